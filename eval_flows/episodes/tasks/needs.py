"""What a suite needs of a machine: its platform, the programs of its tasks, and what the environment and the checks do there."""

from collections.abc import Iterable, Iterator
from importlib.util import find_spec

from atomic_tasks.checkers import Checkers
from eval_flows.episodes.environment.picture import PictureForm
from eval_flows.episodes.tasks.suite import Suite
from eval_flows.episodes.tasks.task import Task
from machines.actions import ACTIONS
from machines.errors import MachineNeeds
from machines.machine import Offers

_WITH_WINDOWS = ". Play it on a Windows machine of yours: --machine remote --machine-option file FILE (docs/windows.md)"
_OBSERVED = ("screenshot", "tree", "windows", "clipboard")


def refuse_if_lacking(name: str, suite: Suite, tasks: Iterable[Task], kind: str, offers: Offers) -> None:
    """Raise `MachineNeeds` in one line that names everything that the suite needs and the machine does not offer."""
    lacking = list(_lacking(suite, tasks, offers))
    if lacking:
        hint = _WITH_WINDOWS if suite.platform == "windows" and offers.platform != "windows" else ""
        raise MachineNeeds(f"the suite '{name}' cannot be played on this machine of kind '{kind}', which lacks: {'; '.join(lacking)}{hint}")


def refuse_without_packages(name: str, tasks: Iterable[Task], known: Checkers) -> None:
    """Raise `MachineNeeds` if this host lacks a package by which the materials of tasks are made or their results are read."""
    used = {one for task in tasks for step in task.steps for entry in (*step.setup, *step.check) for one in entry}
    declared = {one: {**known.makers, **known.getters}[one].package for one in used if one in known.makers or one in known.getters}
    missing = sorted({package for package in declared.values() if package is not None and find_spec(package) is None})
    if missing:
        raise MachineNeeds(f"the suite '{name}' needs the Python packages {', '.join(missing)} on this host: pip install 'deskmill[professional]'")


def refuse_form(form: PictureForm, kind: str, offers: Offers) -> None:
    """Raise `MachineNeeds` if the machine cannot give pictures of its screen in a form."""
    if not form.pointer and not offers.leaves_pointer_out:
        raise MachineNeeds(
            f"picture '{form}': this machine of kind '{kind}' draws the pointer into every picture: add `pointer`. "
            "A remote machine leaves it out only if its file declares the dialect deskmill"
        )
    if isinstance(form.size, int) and form.size > offers.screen[0]:
        raise MachineNeeds(f"picture '{form}': the screen of this machine is {offers.screen[0]} pixels wide, and pictures are not made larger")


def refuse_actions(space: str, needs: Iterable[str], kind: str, offers: Offers) -> None:
    """Raise `MachineNeeds` if the machine cannot do what an action space needs."""
    if lacking := sorted(set(needs) - offers.actions):
        raise MachineNeeds(f"actions '{space}': this machine of kind '{kind}' cannot {', '.join(lacking)}; a sandbox can")


def _lacking(suite: Suite, tasks: Iterable[Task], offers: Offers) -> Iterator[str]:
    return (what for _, what in lacking_by_reason(suite, tasks, offers))


def lacking_by_reason(suite: Suite, tasks: Iterable[Task], offers: Offers) -> Iterator[tuple[str, str]]:
    """Yield what tasks of a suite need and a machine does not offer, each with its reason: `platform`, `home`, `application` or `machine`."""
    if offers.platform != suite.platform:
        yield "platform", f"the platform {suite.platform} (it has {offers.platform})"
    if suite.home is not None and offers.home != suite.home:
        yield "home", f"the home folder {suite.home} (it has {offers.home})"
    programs = sorted({program for task in tasks for program in task.programs} - set(offers.programs))
    if programs:
        yield "application", f"the programs {', '.join(programs)}"
    actions = [name for name in ACTIONS if name not in offers.actions]
    if actions:
        yield "machine", f"the actions {', '.join(actions)}"
    observed = [name for name in _OBSERVED if name not in offers.observations]
    if observed:
        yield "machine", f"observations with {', '.join(observed)}"
    if not offers.fetches_files:
        yield "machine", "a way to fetch files for the checks"
    if not offers.runs_commands:
        yield "machine", "a way to run commands for the checks"
