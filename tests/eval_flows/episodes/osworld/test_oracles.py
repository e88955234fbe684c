"""Protects oracles of imported tasks: mistakes in them are named, an import gives them to the tasks, and ours are for tasks that there are."""

from pathlib import Path

import pytest

from atomic_tasks.catalog import sound_catalog
from atomic_tasks.problems import BadInput
from eval_flows.episodes.osworld.file_cache import FileCache
from eval_flows.episodes.osworld.imported_task import NO_ORACLE
from eval_flows.episodes.osworld.importing import Asked, import_suite
from eval_flows.episodes.osworld.json_source import read_json
from eval_flows.episodes.osworld.oracles import OURS, Oracle, read_oracles, written
from eval_flows.episodes.proofs.proof import Trial
from eval_flows.episodes.proofs.proving import Proof
from eval_flows.episodes.tasks.suite import read_suite, suite_tasks
from tests.conftest import REPOSITORY
from tests.eval_flows.episodes.osworld.made import task, write
from warehouse.layout import DataFolder

EXAMPLES = REPOSITORY / "eval_flows" / "episodes" / "osworld" / "examples"
PAGE = REPOSITORY / "docs" / "imports"


def oracles(folder: Path, text: str, name: str = "calc") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.yaml").write_text(text)
    return folder


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("oracles: {a: {steps: [{clack: x}]}}", "oracles.a.steps[0]: unknown name 'clack'; did you mean 'click'?"),
        ("oracles: {a: {steps: [{press: x, write: y}]}}", "needs exactly one name"),
        ("oracles: {a: {steps: [{run: touch x}]}}", "run is no action of agents"),
        ("oracles: {a: {steps: []}}", "oracles.a: it has no steps: give some, or say by `unproven` why"),
        ("oracles: {a: {unproven: no}}", "oracles.a.unproven"),
        ("oracles: {a: {step: [{press: x}]}}", "unknown key"),
        ("oracles: {a: {steps: [{press: x}], unproven: no}}", "oracles.a.unproven"),
    ],
)
def test_mistakes_are_named_with_their_place(tmp_path: Path, text: str, named: str) -> None:
    with pytest.raises(BadInput) as refused:
        read_oracles(oracles(tmp_path, text))
    assert "calc.yaml:1: " in str(refused.value) and named in str(refused.value)


def test_a_task_has_one_oracle(tmp_path: Path) -> None:
    oracles(tmp_path, "oracles: {a: {steps: [{press: x}]}}")
    oracles(tmp_path, "oracles: {a: {steps: [{press: y}]}}", "other")
    with pytest.raises(BadInput, match=r"other\.yaml:1: oracles\.a: this task has an oracle in another file too"):
        read_oracles(tmp_path)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    made = {
        "a": Oracle(steps=({"press": "ctrl+s"}, {"write": "ä\n"})),
        "b": Oracle(steps=({"press": ["1", "2"]},), unproven="the task is wrong: see there"),
        "c": Oracle(unproven="doing nothing earns 1: the file is there at the beginning"),
    }
    assert read_oracles(oracles(tmp_path, written(made))) == made


def test_an_oracle_for_a_task_that_is_not_imported_is_refused(tmp_path: Path) -> None:
    tasks = write(tmp_path / "tasks", {"os/a": task(id="0000-made", config=[], related_apps=["os"])})
    wrong = oracles(tmp_path / "oracles", "oracles: {0000-mad: {steps: [{press: x}]}}")
    with pytest.raises(BadInput, match=r"oracles\.0000-mad: no readable task file has this id; did you mean '0000-made'\?"):
        import_suite(Asked(tasks, "made", "smoke", FileCache.of(tmp_path), oracles=wrong), DataFolder(tmp_path), is_dry=True)


def test_an_import_gives_tasks_their_oracles(own_data: DataFolder) -> None:
    found = import_suite(Asked(PAGE / "tasks", "example", "smoke", FileCache.of(PAGE / "files"), oracles=PAGE / "oracles"), own_data, is_dry=False)
    assert list(found.oracles) == ["add_milk"]
    milk, moon = suite_tasks(read_suite("example"), sound_catalog())
    assert milk.unproven is None and [len(step.oracle) for step in milk.task.steps] == [3] and moon.unproven is None, "what cannot be done needs none"
    import_suite(Asked(PAGE / "tasks", "example", "smoke", FileCache.of(PAGE / "files")), own_data, is_dry=False)
    assert suite_tasks(read_suite("example"), sound_catalog())[0].unproven == "imported: it has no oracle"


def test_a_task_that_rewards_doing_nothing_is_told_unless_the_suite_says_why(own_data: DataFolder, tmp_path: Path) -> None:
    """A task without an oracle was unproven as listed, whatever failed, so a reward for doing nothing was hidden."""
    oracle, nothing = (Trial(kind=kind, what="1", reward=reward, passed=False) for kind, reward in (("oracle", 0.0), ("nothing", 1.0)))
    unproven, rewarding = (Proof(episode_id="a", tasks=["os/add_milk"], trials=trials) for trials in ([oracle], [oracle, nothing]))
    why = "doing nothing earns 1: milk is on the list at the beginning"
    told = oracles(tmp_path / "oracles", f"oracles: {{add_milk: {{unproven: '{why}'}}}}")
    for given, covers in ((tmp_path, False), (told, True)):
        import_suite(Asked(PAGE / "tasks", "example", "smoke", FileCache.of(PAGE / "files"), oracles=given), own_data, is_dry=False)
        reason = suite_tasks(read_suite("example"), sound_catalog())[0].unproven
        assert unproven.is_explained_by(reason) and rewarding.is_explained_by(reason) == covers
    assert reason == why and rewarding.rewards_nothing_done and not unproven.rewards_nothing_done
    assert not Proof(episode_id="a", tasks=[], trials=[], fault="MachineError").is_explained_by(NO_ORACLE)


def test_each_example_has_an_oracle_and_each_oracle_of_ours_a_task() -> None:
    examples = {read_json(path, []).data["id"] for path in EXAMPLES.rglob("*.json")}  # type: ignore[index]
    written_for = {one for one in read_oracles(OURS) if one.startswith("deskmill-")}
    assert len(examples) > 45 and written_for == examples
