"""Protects an imported task from its reset to its reward: the same environment plays it, and its end is judged as its file says, whatever the agent left."""

import errno
import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from eval_flows.episodes.environment import DONE, FAIL, Environment, Reward
from eval_flows.episodes.osworld import evaluator, stage
from eval_flows.episodes.osworld.evaluator import joined
from eval_flows.episodes.osworld.imported_task import imported_task
from eval_flows.episodes.osworld.metrics import METRICS, TaskError
from eval_flows.episodes.osworld.metrics.metric import guarded
from eval_flows.episodes.osworld.task_file import TaskFile
from eval_flows.episodes.runs.trajectory import Trajectory, figures
from eval_flows.episodes.tasks.task import Task
from machines.actions import Action
from machines.errors import MachineError, MachineNeeds, PluginError
from tests.eval_flows.episodes.osworld.made import GOLD, SHEET, Client, Fake, step, task

FILES = {SHEET: b"sheet", GOLD: b"gold"}
Json = dict[str, Any]
Play = Callable[..., Reward]


def vm_file(guest: Any, asked: Mapping[str, Any]) -> Path | None:
    content = guest.file(asked["path"])
    if content is None:
        return None
    place: Path = guest.cache / asked["dest"]
    place.write_bytes(content)
    return place


def cloud_file(guest: Any, asked: Mapping[str, Any]) -> Path:
    return Path(guest.cache / asked["dest"])


def cache_file(guest: Any, asked: Mapping[str, Any]) -> str:
    return Path(guest.cache / asked["path"]).read_text()


def compare_table(result: Path | None, expected: Path, rules: Any = ()) -> float:
    """One if both files are the same, a half if the result is only begun."""
    if result is None or not rules:
        return 0.0
    return 1.0 if result.read_bytes() == expected.read_bytes() else 0.5 if result.read_bytes() == b"begun" else 0.0


@pytest.fixture(autouse=True)
def registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        evaluator, "GETTERS", {"vm_file": vm_file, "cloud_file": cloud_file, "cache_file": cache_file, "rule": lambda guest, asked: asked["rules"]}
    )
    monkeypatch.setattr(
        stage,
        "METRICS",
        {
            "compare_table": compare_table,
            "exact_match": lambda result, rules: float(result == rules["expected"]),
            "is_utc_0": lambda result: float(result == "0"),
        },
    )


def made(tmp_path: Path, document: Json) -> Task:
    store = tmp_path / "files"
    store.mkdir(exist_ok=True)
    hashes = {address: hashlib.sha256(content).hexdigest() for address, content in FILES.items()}
    for address, content in FILES.items():
        (store / hashes[address]).write_bytes(content)
    return imported_task("calc/a", TaskFile.model_validate(document), hashes, store).task


def played(tmp_path: Path, client: Client, act: Callable[[Client], None] | None = None, ending: Action = DONE, **changes: Any) -> Reward:
    with Environment(Fake(client).as_machine, sees=()) as environment:
        environment.reset(made(tmp_path, task(**changes)))
        if act is not None:
            act(client)
        environment.step(ending)
        return environment.evaluate()


def leaves(content: bytes) -> Callable[[Client], None]:
    return lambda client: client.files.update({"/home/user/sheet.xlsx": content})


def test_a_task_is_set_up_by_its_steps_and_judged_by_its_evaluator(tmp_path: Path) -> None:
    client = Client()
    reward = played(tmp_path, client, leaves(b"gold"))
    assert client.done == [
        ("start",),
        ("upload", "/home/user/sheet.xlsx"),
        ("launch", ["libreoffice", "--calc", "/home/user/sheet.xlsx"], False),
        ("stop",),
    ]
    assert reward.value == 1 and reward.is_success and reward.side_effects == []


@pytest.mark.parametrize(("left", "value", "is_success"), [(b"gold", 1.0, True), (b"begun", 0.5, False), (b"sheet", 0.0, False)])
def test_the_reward_is_the_share_of_the_metric(tmp_path: Path, left: bytes, value: float, is_success: bool) -> None:
    reward = played(tmp_path, Client(), leaves(left))
    assert (reward.value, reward.is_success) == (value, is_success)


def test_fail_earns_nothing_where_the_task_can_be_done_and_everything_where_it_cannot(tmp_path: Path) -> None:
    client = Client()
    assert played(tmp_path, client, leaves(b"gold"), FAIL).value == 0 and not any(one[0] == "file" for one in client.asked)
    infeasible = {"evaluator": {"func": "infeasible", "postconfig": [step("close_all")]}}
    client = Client()
    assert played(tmp_path, client, None, FAIL, **infeasible).value == 1 and ("close_all",) not in client.asked
    assert played(tmp_path, Client(), None, DONE, **infeasible).value == 0


@pytest.mark.parametrize(("passes", "value"), [(True, 1), (False, 0)])
def test_what_the_agent_wrote_is_run_in_the_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, passes: bool, value: int) -> None:
    name = "check_python_file_by_test_suite"
    monkeypatch.setattr(stage, "METRICS", {name: METRICS[name]})

    class Runs(Client):
        def execute(self, command: Any, shell: bool = False) -> Json:
            super().execute(command, shell)
            return {"output": f"it says\n{command[-1]}\n" if passes else "", "error": "", "returncode": 0}

    client = Runs()
    reward = played(tmp_path, client, leaves(b"code"), evaluator={**task()["evaluator"], "func": name, "options": {"test_function_name": "check"}})
    assert reward.value == value and client.asked[-2][0] == "execute"
    uploaded = {path.rpartition("/")[2]: content for path, content in client.files.items() if path.startswith("/tmp/")}
    assert uploaded == {"sheet.xlsx": b"code", "gold.xlsx": b"gold"} and "check" in client.asked[-2][1]


SAVE = [step("activate_window", window_name="Calc"), step("execute", command=["python", "-c", "save"], stdout="said.txt")]
SAID = {
    "func": "exact_match",
    "result": {"type": "cache_file", "path": "said.txt"},
    "expected": {"type": "rule", "rules": {"expected": "yes"}},
    "postconfig": SAVE,
}


def test_postconfig_is_done_once_before_anything_is_compared(tmp_path: Path) -> None:
    client = Client(says={"['python', '-c', 'save']": {"output": "no", "error": "", "returncode": 0}})
    reward = played(tmp_path, client, evaluator=SAID)
    assert reward.value == 0 and [one[0] for one in client.done][-3:] == ["activate_window", "execute", "stop"], (
        "a failed check is not looked at again"
    )
    client = Client(says={"['python', '-c', 'save']": {"output": "yes", "error": "", "returncode": 0}})
    assert played(tmp_path, client, evaluator=SAID).value == 1


def test_a_function_without_an_expected_value_gets_only_the_result(tmp_path: Path) -> None:
    client = Client(says={"['python', '-c', 'save']": {"output": "0", "error": "", "returncode": 0}})
    assert played(tmp_path, client, evaluator={"func": "is_utc_0", "result": SAID["result"], "postconfig": SAVE}).value == 1


@pytest.mark.parametrize(
    ("conj", "shares", "share"),
    [("and", [1, 1], 1), ("and", [1, 0], 0), ("and", [1, 0.5], 0.75), ("or", [0, 1], 1), ("or", [0, 0.5], 0.5), ("or", [0, 0], 0)],
)
def test_several_functions_are_joined_as_their_harness_does(conj: str, shares: list[float], share: float) -> None:
    assert joined(conj, shares) == share


def test_functions_after_the_decision_are_not_asked(tmp_path: Path) -> None:
    both = {"func": ["exact_match", "compare_table"], "result": [SAID["result"], task()["evaluator"]["result"]], "expected": [SAID["expected"], task()["evaluator"]["expected"]],
            "options": [{}, task()["evaluator"]["options"]], "postconfig": SAVE}  # fmt: skip
    said = {"['python', '-c', 'save']": {"output": "yes", "error": "", "returncode": 0}}
    (checked,) = played(tmp_path, Client(says=said), leaves(b"begun"), evaluator={**both, "conj": "and"}).checked
    assert checked.share == 0.75 and [one["func"] for one in checked.got] == ["exact_match", "compare_table"]
    (checked,) = played(tmp_path, Client(says=said), leaves(b"begun"), evaluator={**both, "conj": "or"}).checked
    assert checked.share == 1 and [one["func"] for one in checked.got] == ["exact_match"]
    (checked,) = played(tmp_path, Client(), leaves(b"gold"), evaluator={**both, "conj": "and"}).checked
    assert checked.share == 0 and [one["func"] for one in checked.got] == ["exact_match"]


def hangs(*_: Any, **__: Any) -> float:
    while True:
        pass


def crashes(*_: Any, **__: Any) -> float:
    raise KeyError("what the agent left")


@pytest.mark.parametrize(("broken", "why"), [(crashes, "KeyError"), (hangs, "TimeoutError")])
@pytest.mark.parametrize("place", ["METRICS", "GETTERS"])
def test_an_evaluator_that_crashes_or_hangs_is_a_failed_check_that_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: Any, why: str, place: str
) -> None:
    monkeypatch.setattr(evaluator, "_SECONDS", 0.2)
    module = stage if place == "METRICS" else evaluator
    registry: dict[str, Any] = getattr(module, place)
    monkeypatch.setattr(module, place, {**registry, ("compare_table" if place == "METRICS" else "vm_file"): broken})
    reward = played(tmp_path, Client(), leaves(b"gold"))
    assert reward.value == 0 and why in reward.checked[0].got[0]["why"]


def test_a_step_that_the_machine_refuses_after_the_agent_is_told_and_the_rest_is_judged(tmp_path: Path) -> None:
    changed = {**task()["evaluator"], "postconfig": [step("open", path="/home/user/gone.xlsx")]}
    reward = played(tmp_path, Client(refuses="open_file"), leaves(b"gold"), evaluator=changed)
    assert reward.value == 1 and "postconfig[0] (open): the guest answered 500: refused" in reward.checked[0].got


@pytest.mark.parametrize("dies_at", ["file", "activate_window"])
def test_a_machine_that_no_longer_answers_is_a_fault_and_no_outcome(tmp_path: Path, dies_at: str) -> None:
    changed = {**task()["evaluator"], "postconfig": SAVE}
    with pytest.raises(MachineError, match="does not answer"):
        played(tmp_path, Client(dies_at=dies_at), leaves(b"gold"), evaluator=changed)


def test_a_task_whose_own_rules_are_wrong_is_a_fault_and_no_outcome(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(*_: Any, **__: Any) -> float:
        raise TaskError("there is no rule 'sheet'")

    monkeypatch.setattr(stage, "METRICS", {"compare_table": wrong})
    with pytest.raises(MachineError, match="the task is wrong, not its end: compare_table: there is no rule 'sheet'"):
        played(tmp_path, Client(), leaves(b"gold"))


@pytest.mark.parametrize("error", [MachineNeeds("install it"), PluginError("install it"), OSError(errno.ENOSPC, "install it")])
@pytest.mark.parametrize("place", ["METRICS", "GETTERS"])
def test_what_this_host_lacks_is_a_fault_and_no_outcome(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, place: str) -> None:
    def lacks(*_: Any, **__: Any) -> float:
        raise error

    module = stage if place == "METRICS" else evaluator
    registry: dict[str, Any] = getattr(module, place)
    monkeypatch.setattr(module, place, {**registry, **({"compare_table": guarded(lacks)} if place == "METRICS" else {"vm_file": lacks})})
    with pytest.raises(type(error), match="install it"):
        played(tmp_path, Client(), leaves(b"gold"))


@pytest.mark.parametrize(("left", "why"), [(None, "there is no result"), (leaves(b"gold"), "KeyError: 'what the agent left'")])
def test_a_metric_that_could_not_compare_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, left: Any, why: str) -> None:
    monkeypatch.setattr(stage, "METRICS", {"compare_table": guarded(crashes)})
    reward = played(tmp_path, Client(), left, config=[])
    assert reward.value == 0 and reward.checked[0].got[0]["why"] == why


def test_a_step_that_cannot_be_carried_out_is_a_fault_with_its_place(tmp_path: Path) -> None:
    with pytest.raises(MachineError, match=r"config\[0\] \(open\) of calc/a could not be carried out: the guest answered 500"):
        played(tmp_path, Client(refuses="open_file"), config=[step("open", path="/home/user/a")])


def test_a_file_that_was_changed_after_the_import_is_a_fault(tmp_path: Path) -> None:
    one = made(tmp_path, task())
    for path in (tmp_path / "files").iterdir():
        path.write_bytes(b"tampered")
    with Environment(Fake(Client()).as_machine, sees=()) as environment, pytest.raises(MachineError, match="was changed .*: import the suite again"):
        environment.reset(one)


def test_braces_of_a_task_file_are_its_own(tmp_path: Path) -> None:
    client = Client()
    played(tmp_path, client, config=[step("execute", command="echo {home} {task}", shell=True)], evaluator={"func": "infeasible"})
    assert ("execute", "echo {home} {task}", True) in client.asked


def test_a_result_is_never_compared_with_itself(tmp_path: Path) -> None:
    same_name = {**task()["evaluator"], "result": {"type": "vm_file", "path": "/home/user/sheet.xlsx", "dest": "gold.xlsx"}}
    assert played(tmp_path, Client(), leaves(b"sheet"), evaluator=same_name).value == 0
    assert played(tmp_path, Client(), leaves(b"gold"), evaluator=same_name).value == 1


def test_their_metrics_judge_where_the_suite_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stage, "THEIRS", {"compare_table": lambda *compared, **options: 0.25})
    ours = made(tmp_path, task())
    theirs = ours.model_copy(update={"judged_by": "theirs"})
    assert theirs.episode_id != ours.episode_id
    with Environment(Fake(Client()).as_machine, sees=()) as environment:
        environment.reset(theirs)
        environment.step(DONE)
        assert environment.evaluate().value == 0.25


def test_two_tasks_on_one_machine_do_not_share_a_folder(tmp_path: Path) -> None:
    client = Client(says={"['python', '-c', 'save']": {"output": "yes", "error": "", "returncode": 0}})
    with Environment(Fake(client).as_machine, sees=()) as environment:
        environment.reset(made(tmp_path, task(evaluator=SAID)))
        environment.step(DONE)
        assert environment.evaluate().value == 1
        environment.reset(made(tmp_path, task(evaluator={**SAID, "postconfig": []})))
        environment.step(DONE)
        assert environment.evaluate().value == 0


def test_what_was_compared_is_kept_in_the_row_of_the_episode(tmp_path: Path) -> None:
    row = figures(Trajectory("done", played(tmp_path, Client(), leaves(b"begun")), [], None, 1.0, 2.0))
    assert row["reward"] == 0.5 and not row["is_success"] and len(row["checks"]) == 1
    assert row["checks"][0]["share"] == 0.5 and "compare_table" in row["checks"][0]["check"] and "gold.xlsx" in row["checks"][0]["got"]
