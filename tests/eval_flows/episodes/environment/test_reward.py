"""Protects the reward from an agent that plants what a check compares with, or breaks what it was not asked to touch."""

import subprocess
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import pytest

from atomic_tasks.catalog import Catalog
from eval_flows.episodes.agents.oracle import lines
from eval_flows.episodes.checkers.checks import check, check_all, sources_of
from eval_flows.episodes.environment import Environment
from eval_flows.episodes.environment.desktop import Desktop
from eval_flows.episodes.environment.reward import Before, Reward, look_before, rewarded
from eval_flows.episodes.environment.side_effects import home as home_snapshots
from eval_flows.episodes.environment.side_effects.compare import side_effects
from eval_flows.episodes.environment.side_effects.home import Entry, Home
from eval_flows.episodes.tasks.changes import Changes
from eval_flows.episodes.tasks.suite import read_suite, suite_tasks
from eval_flows.episodes.tasks.task import Task, TaskStep
from machines.errors import MachineError
from machines.image import Image
from machines.sandbox import Sandbox
from tests.eval_flows.episodes.conftest import Listed
from tests.eval_flows.episodes.desktops import OFFERS, Files, Screen, desktop

COPIED = {"text": "copy.txt", "same_as": {"text": "original.txt"}}
PASTED = {"text": "note.txt", "same_as": {"clipboard": {}}}


def home(screen: Desktop) -> Files:
    return cast("Files", screen.client)


def test_a_source_that_was_there_counts_as_it_was() -> None:
    screen = desktop({"original.txt": b"the real one"})
    before = sources_of(screen, [[COPIED]])
    for planted in (b"", b"anything"):
        for name in ("original.txt", "copy.txt"):
            home(screen).upload(f"/home/agent/{name}", planted)
        assert not check(screen, COPIED, before).holds
    home(screen).upload("/home/agent/copy.txt", b"the real one")
    assert check(screen, COPIED, before).holds, "whatever became of the original: it may have been moved"


def test_the_clipboard_counts_as_it_was() -> None:
    screen = desktop({"note.txt": b"mine"}, client={"clipboard": "what was on it"})
    before = sources_of(screen, [[PASTED]])
    home(screen).clipboard = "mine"
    assert not check(screen, PASTED, before).holds


def test_a_line_may_be_copied_with_its_line_break_and_pasted_without() -> None:
    for pasted, is_right in ((b"a line", True), (b"a line\n", True), (b"a line and more", False), (b"", False)):
        assert check(desktop({"note.txt": pasted}, client={"clipboard": "a line\n"}), PASTED, {}).holds is is_right


@pytest.mark.parametrize(
    ("there", "earlier"),
    [({}, []), ({"original.txt": b"old"}, [{"lines": "original.txt", "contains": "new"}]), ({"original.txt": b"old"}, [{"csv": {"path": "original.txt"}, "is": []}])],
    ids=["not there yet", "checked by its path", "checked by an entry with a path"],
)  # fmt: skip
def test_a_source_that_an_earlier_step_makes_counts_as_that_leaves_it(there: dict[str, bytes], earlier: list[dict[str, Any]]) -> None:
    screen = desktop(there)
    before = sources_of(screen, [earlier, [COPIED]])
    for name in ("original.txt", "copy.txt"):
        home(screen).upload(f"/home/agent/{name}", b"new")
    assert not before and check(screen, COPIED, before).holds


def test_what_the_same_or_a_later_step_checks_does_not_free_a_source() -> None:
    screen = desktop({"original.txt": b"the real one"})
    own = {"text": "/home/agent/original.txt", "contains": ""}
    assert list(sources_of(screen, [[own, COPIED], [own]]).values()) == ["the real one"]


def test_a_check_of_the_screen_without_arguments_is_of_no_source() -> None:
    in_front = {"front_window": None, "begins_with": "Notes"}
    assert list(sources_of(desktop({"original.txt": b"old"}), [[in_front], [COPIED]]).values()) == ["old"]


PLANTING = {
    "thunar.copy_file": "echo -n > {target_folder}/{reference}; echo -n > {target_folder}/{subfolder}/{reference}",
    "mousepad.paste_clipboard": "printf '\\nmine' >> {text_file}; printf mine | xclip -selection clipboard -i > /dev/null 2>&1",
}


def on_machine(image: Image) -> Environment:
    return Environment(Sandbox(image), sees=())


def by_oracle(environment: Environment) -> None:
    """Do what is left of the task as its oracle does it."""
    for step in environment.steps_left:
        for line in lines(environment, step):
            assert not environment.step(line.actions).feedback


@pytest.mark.slow
@pytest.mark.parametrize("task", PLANTING)
def test_planting_what_the_checker_compares_with_earns_nothing(task: str, listed: Listed, catalog: Catalog, image: Image) -> None:
    (made,) = suite_tasks(read_suite(listed(f"{{level: L1, tasks: [{task}]}}")), catalog)
    planting = PLANTING[task].format_map({name: f"'{value}'" for name, value in made.task.values.items()})
    with on_machine(image) as environment:
        environment.reset(made.task)
        environment.desktop.client.execute(["sh", "-c", f"cd /home/agent/Documents; {planting}"])
        home_now = look_before(environment.desktop, made.task).home
        compared_now = rewarded(environment.desktop, made.task, Before({}, home_now), seconds=0)
        assert compared_now.by_checks == 1, "it is good enough for whom compares what is there now"
        assert environment.evaluate(1).by_checks == 0


@pytest.mark.rotates
@pytest.mark.slow
@pytest.mark.parametrize("task", ["thunar.move_file", "thunar.rename_file"])
def test_what_was_moved_is_held_against_what_it_was(task: str, listed: Listed, catalog: Catalog, image: Image) -> None:
    (made,) = suite_tasks(read_suite(listed(f"{{level: L1, tasks: [{task}]}}")), catalog)
    with on_machine(image) as environment:
        environment.reset(made.task)
        by_oracle(environment)
        assert environment.evaluate().value == 1
        spoiling = "cd /home/agent/Documents; find . -name '*.txt' -exec sh -c 'echo else > \"$1\"' - {} ';'"
        environment.desktop.client.execute(["sh", "-c", spoiling])
        assert environment.evaluate(0).by_checks == 0


@dataclass
class SlowlyRead(Files):
    """A machine on a busy host: the first look takes longer than an application gets for writing, and comes before it has written."""

    looks: int = 0

    def file(self, path: str) -> bytes | None:
        self.looks += 1
        time.sleep(0.05)
        return b"done" if self.looks > 1 else b""


def test_a_slow_look_leaves_the_application_its_time_for_writing() -> None:
    entry = {"text": "a.txt", "is": "done"}
    for seconds, holds in ((0.01, True), (0, False)):  # after FAIL there is one look
        (found,) = check_all(cast("Desktop", Screen(SlowlyRead())), [entry], {}, seconds)
        assert found.holds is holds


def test_damage_earns_nothing_at_every_level_and_is_named() -> None:
    step = TaskStep(task="t", application="editor", program="editor", setup=(), preload=None, oracle=(), check=({"text": "a.txt", "is": "done"},))
    entry = Entry("f", "0644", 4, "", "1")
    before = Before({}, Home({"old.txt": entry}))
    for level in ("L1", "L2", "L3"):
        task = Task(level=level, discipline="", instruction="", values={}, steps=(step,))
        unchanged = desktop({"a.txt": b"done"}, client={"said": "f\t644\t4\t\told.txt\0\0end\x001  ./old.txt\0\0end\0"})
        assert rewarded(unchanged, task, before, seconds=0).value == 1
        damaged = rewarded(desktop({"a.txt": b"done"}), task, before, seconds=0)
        assert (damaged.by_checks, damaged.value, damaged.side_effects) == (1, 0, ["old.txt deleted"])


@pytest.mark.parametrize(
    ("infeasible", "ended", "damage", "value"),
    [(False, None, [], 1), (False, "DONE", [], 1), (False, "FAIL", [], 0), (True, "DONE", [], 0), (True, "FAIL", [], 1), (True, "FAIL", ["x"], 0), (True, None, [], 0)],
)  # fmt: skip
def test_giving_up_is_right_for_an_infeasible_task_alone(infeasible: bool, ended: Any, damage: list[str], value: float) -> None:
    assert Reward(1.0, [], damage, infeasible, ended).value == value


@pytest.mark.slow
def test_on_a_machine_what_was_not_asked_for_is_named_and_what_programs_write_is_not(listed: Listed, catalog: Catalog, image: Image) -> None:
    (made,) = suite_tasks(read_suite(listed("{level: L1, tasks: [thunar.make_private]}")), catalog)
    folder, secret = (f"Documents/{made.task.values['target_folder']}", made.task.values["secret_file"])
    with on_machine(image) as environment:
        environment.reset(made.task)
        was = look_before(environment.desktop, made.task).home
        by_oracle(environment)
        assert environment.evaluate().side_effects == []
        damage = (
            f"rm recipe.txt; echo more >> handbook.txt; chmod 600 timetable.txt; echo more >> {secret}; mkdir -p New; touch 'New/a b'; ln -s x link"
        )
        own = "touch ~/.local/share/recently-used.xbel ~/.cache/more"
        environment.desktop.client.execute(["sh", "-c", f"cd '/home/agent/{folder}'; {damage}; {own}"])
        assert environment.evaluate(0).side_effects == [
            f"{folder}/New/ made",
            *sorted([f'{folder}/{secret}: line {len(was.contents[f"{folder}/{secret}"].splitlines()) + 1} added: "more"',
                     f'{folder}/handbook.txt: line 4 added: "more"', f"{folder}/link made", f"{folder}/recipe.txt deleted",
                     f"{folder}/timetable.txt: permissions changed from 0644 to 0600"]),
        ]  # fmt: skip


@dataclass
class InShell(Files):
    """The agent's home folder as a folder of this host, which the guest's command looks at."""

    def execute(self, command: list[str] | str, shell: bool = False) -> dict[str, Any]:
        done = subprocess.run(["sh", "-c", str(command)], capture_output=True, check=False)
        return {"output": done.stdout.decode(errors="replace"), "error": done.stderr.decode(errors="replace")}


def on_this_host(folder: Path) -> Desktop:
    return cast("Desktop", Screen(InShell(), offers=replace(OFFERS, home=str(folder))))


NOTHING_ASKED = Task(level="L1", discipline="", instruction="", values={}, steps=())


def test_more_files_than_can_be_listed_are_damage_and_no_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The guest cuts off a longer list, which looked like a fault of the machine: the episode was tried again and left the denominator."""
    screen = on_this_host(tmp_path)
    (tmp_path / "kept.txt").write_text("kept")
    before = look_before(screen, NOTHING_ASKED)
    assert set(before.home.entries) == {"kept.txt"} and rewarded(screen, NOTHING_ASKED, before, seconds=0).value == 1
    monkeypatch.setattr(home_snapshots, "_MOST_LISTED", 1_000)
    for number in range(100):
        (tmp_path / f"junk {number}").touch()
    made = rewarded(screen, NOTHING_ASKED, before, seconds=0)
    assert (made.value, made.side_effects) == (0.0, ["the home folder holds more files and folders than can be listed"])
    with pytest.raises(MachineError):
        look_before(screen, NOTHING_ASKED)  # before an agent begins, it is nobody's doing


def test_files_that_take_too_long_to_digest_count_as_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = on_this_host(tmp_path)
    (tmp_path / "kept.txt").write_text("kept")
    before = look_before(screen, NOTHING_ASKED)
    monkeypatch.setattr(home_snapshots, "_MOST_SECONDS", 0.001)
    for number in range(20):
        with (tmp_path / f"huge {number}").open("w") as file:
            file.truncate(60_000_000)
    assert "huge 0 made" in rewarded(screen, NOTHING_ASKED, before, seconds=0).side_effects


def test_very_many_new_files_and_very_deep_folders_are_compared_in_no_time() -> None:
    """Each was held against each other one that was made: an hour for what can be listed."""
    files = {f"junk {number}": Entry("f", "0644", 0) for number in range(60_000)}
    folders = {"/".join(["d"] * depth): Entry("d", "0755", 0) for depth in range(1, 1_500)}
    told = side_effects(Home({}), Home({**files, **folders}), Changes(()), lambda path: None)
    assert told[0] == "d/ made" and told[-1] == "and 59981 more"
