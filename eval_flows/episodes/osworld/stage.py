"""The stage of an imported task: its config steps set it up, and its evaluator judges the end."""

import hashlib
import tempfile
from collections.abc import Sequence
from pathlib import Path

from eval_flows.episodes.environment.desktop import Desktop
from eval_flows.episodes.environment.observation import Ending
from eval_flows.episodes.environment.reward import Reward
from eval_flows.episodes.environment.stage import Stage, Start
from eval_flows.episodes.osworld.evaluator import Guests, evaluate
from eval_flows.episodes.osworld.guest_of_desktop import DesktopGuest
from eval_flows.episodes.osworld.imported_task import ImportedTask, MirroredTask
from eval_flows.episodes.osworld.metrics import METRICS, THEIRS
from eval_flows.episodes.osworld.mirror.serving import serve
from eval_flows.episodes.osworld.setup import Hand
from eval_flows.episodes.osworld.task_file import FETCHED, TaskFile, listed
from eval_flows.episodes.tasks.task import TaskStep
from machines.errors import MachineError

_QUIET, _WITHIN = 0.6, 15.0  # seconds of stillness after the steps, and the limit of waiting for it


class ImportedStage(Stage):
    """Where an imported task is played once, with folders of its own on this host for the files of its evaluator."""

    judges_damage = False

    def __init__(self, task: ImportedTask) -> None:
        self._task = task
        self._file: TaskFile = task.file
        self._folder = tempfile.TemporaryDirectory(prefix="deskmill-task-")
        self._browser_flags: Sequence[str] = ()

    def set_up(self, desktop: Desktop, start: Start) -> None:
        """Serve the mirror of sites, if it has one, carry out the config steps, and wait until the screen is still.

        How the episode starts is the task's own: `start` changes nothing.
        """
        if isinstance(self._task, MirroredTask):
            self._browser_flags = serve(desktop, self._kept(self._task.mirror, "mirror of sites"))
        hand = self._hand(desktop)
        for number, step in enumerate(self._file.config):
            try:
                hand.carry_out(step)
            except MachineError as error:
                raise MachineError(f"config[{number}] ({step.type}) of {self._task.steps[0].task} could not be carried out: {error}") from error
        desktop.settle(_QUIET, _WITHIN)

    def judge(self, desktop: Desktop, ended: Ending | None, seconds: float) -> Reward:
        """Judge the end once: `postconfig` changes the machine. After FAIL, and for an infeasible task, nothing is looked at."""
        if self._file.is_infeasible or ended == "FAIL":
            return Reward(0.0, [], [], self._file.is_infeasible, ended)
        desktop.settle(_QUIET, _WITHIN)
        self._keep_expected()
        guests = Guests(fetched=DesktopGuest(desktop, self._place("fetched")), others=DesktopGuest(desktop, self._place("task")))
        checked = evaluate(self._file, self._hand(desktop), guests, THEIRS if self._task.judged_by == "theirs" else METRICS)
        return Reward(checked.share, [checked], [], False, ended)

    @property
    def steps_left(self) -> Sequence[TaskStep]:
        """Return all steps: what a task begins with does none of them."""
        return self._task.steps

    def _place(self, name: str) -> Path:
        place = Path(self._folder.name) / name
        place.mkdir(exist_ok=True)
        return place

    def _hand(self, desktop: Desktop) -> Hand:
        return Hand(desktop, self._place("task"), self._content, self._browser_flags)

    def _keep_expected(self) -> None:
        """Put the files that the end is compared with into their folder, under the names that getters know them by."""
        for _, getter in self._file.getters:
            if getter["type"] == FETCHED:
                for address, name in zip(listed(getter["path"]), listed(getter["dest"]), strict=True):
                    place = self._place("fetched") / name
                    place.parent.mkdir(parents=True, exist_ok=True)
                    place.write_bytes(self._content(address))

    def _content(self, address: str) -> bytes:
        """Return the content of a file that the task fetches; `MachineError` if it is not what was imported."""
        return self._kept(self._task.hashes[address], f"file of {address}")

    def _kept(self, digest: str, what: str) -> bytes:
        """Return a file of the suite by its hash; `MachineError` if it is gone or was changed."""
        place = self._task.store / digest
        try:
            content = place.read_bytes()
        except OSError as error:
            raise MachineError(f"the imported {what} is gone ({place}): import the suite again") from error
        if hashlib.sha256(content).hexdigest() != digest:
            raise MachineError(f"the imported {what} was changed ({place}): import the suite again")
        return content
