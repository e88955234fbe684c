"""Protects rollouts: they hold what was sent, answered, done and earned, each message and picture once, and are written completely or not at all."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
import yaml

from atomic_tasks.catalog import Catalog
from atomic_tasks.problems import BadInput
from eval_flows.episodes.rollouts.described import columns, licences_of
from eval_flows.episodes.rollouts.export import write_rollouts
from eval_flows.episodes.rollouts.source import find_run, seeds_of
from eval_flows.episodes.tasks.suite import read_suite, suite_tasks
from language_models.client import ask_all
from language_models.endpoint import Endpoint
from tests.conftest import REPOSITORY
from tests.eval_flows.episodes.rollouts.made_runs import RUN, conversation_run, describe, leave, picture, scripted_run
from tests.language_models.fake_server import completion, fake_server
from tests.language_models.test_conversations import TALK, calling
from tests.warehouse.episode_rows import episode_row, write_run
from warehouse.episode_tables import ROLLOUTS
from warehouse.layout import DataFolder
from warehouse.loader import load_warehouse
from warehouse.query import connect, rows_of

TOKENS = [("So", -0.5), (" be it.", -0.125)]
PAGE = (REPOSITORY / "docs/training.md").read_text()


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path / "data")


def answered(request: dict[str, Any]) -> dict[str, Any]:
    """An answer with the log probabilities of its tokens, if they are asked for."""
    made = completion(request["model"], "So be it.")
    if request.get("logprobs"):
        made["choices"][0]["logprobs"] = {"content": [{"token": token, "logprob": value} for token, value in TOKENS]}
    return made


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def rows_in(folder: Path) -> list[dict[str, Any]]:
    rows = pq.read_table(folder / "rollouts.parquet").to_pylist()
    assert rows == [json.loads(line) for line in (folder / "rollouts.jsonl").read_text().splitlines()], "both forms hold the same"
    return list(rows)


def test_a_rollout_holds_the_conversation_as_it_was_with_tokens_and_pictures(data: DataFolder) -> None:
    with fake_server(answered) as server:
        answers = conversation_run(data, server.base_url, log_probabilities=True)
        asked = len(server.requests)
        made = write_rollouts(RUN, data)
        assert len(server.requests) == asked == 4, "nothing is asked again"
    assert (made.number, made.mean_reward, made.telling, dict(made.rewards)) == (2, 0.5, 1, {f"{RUN}/ended": [1.0, 0.0]})
    first, second = rows_in(made.folder)
    assert [row["rollout_id"] for row in (first, second)] == [f"{RUN}/ended_1", f"{RUN}/ended_2"] and {first["group_id"]} == {second["group_id"]}
    assert [(one["role"], [part["text"] or part["image"] for part in one["content"]]) for one in first["messages"]] == [
        ("system", ["Be brief."]),
        ("user", ["Step 1.", first["steps"][0]["pictures"][0]]),
        ("assistant", ["So be it."]),
        ("user", ["Step 2.", first["steps"][1]["pictures"][0]]),
    ], "the second answer is the same message as the first"
    calls = [call for step in first["steps"] for call in step["calls"]]
    assert [(call["asked"], call["answered"]) for call in calls] == [([0, 1], 2), ([0, 1, 2, 3], 2)]
    assert [list(zip(call["tokens"], call["log_probabilities"], strict=True)) for call in calls] == [TOKENS] * 2
    assert [(call["status"], call["input_tokens"], call["output_tokens"]) for call in calls] == [("answered", 11, 7)] * 2
    assert answers[1][0].call_id != answers[2][0].call_id, "each sample was asked anew"
    assert {(made.folder / name).read_bytes() for row in (first, second) for step in row["steps"] for name in step["pictures"]} == {
        picture(1),
        picture(2),
    }
    assert len(list((made.folder / "pictures").iterdir())) == 2, "each is kept once"
    assert (first["reward"], first["is_success"], first["model"], first["agent"]) == (1.0, True, "m", "m")
    assert json.loads(first["settings"])["log_probabilities"] is True and first["tools"] is None


def test_a_server_without_log_probabilities_leaves_them_null_and_a_step_without_an_answer_has_no_call(data: DataFolder) -> None:
    with fake_server(answered) as server:
        conversation_run(data, server.base_url)
    nothing = {"decision": "NONE", "actions": [], "calls": ["f" * 16], "feedback": "the model took more than its 2 s"}
    leave(data, "ended", 3, [nothing], {1: [picture(1)]}, reward=0.0, status="out of time", agent="m")
    *_, last = rows = rows_in(write_rollouts(RUN, data).folder)
    assert {call["tokens"] or call["log_probabilities"] for row in rows for step in row["steps"] for call in step["calls"]} == {None}
    assert last["messages"] == [] and last["steps"][0]["calls"] == [] and last["steps"][0]["feedback"].startswith("the model took")
    assert (last["status"], last["reward"]) == ("out of time", 0.0)


def test_tools_and_their_calls_are_kept_in_the_words_of_the_api(data: DataFolder) -> None:
    with fake_server(calling) as server:
        endpoint = Endpoint("m", server.base_url)
        describe(data, {"name": "m", "model": "m"})
        for repeat in (1, 2):
            (answer,) = ask_all(endpoint, [TALK], data.model_calls)
            leave(data, "ended", repeat, [{"calls": [answer.call_id]}], {}, agent="m")
    row, _ = rows_in(write_rollouts(RUN, data).folder)
    assert json.loads(row["tools"])[0]["function"]["name"] == "click"
    said, tool = row["messages"][2:4]
    assert said["tool_calls"] == [{"id": "c1", "name": "click", "arguments": '{"id": 3}'}] and tool["tool_call_id"] == "c1"
    answer_row = row["messages"][row["steps"][0]["calls"][0]["answered"]]
    assert [json.loads(call["arguments"]) for call in answer_row["tool_calls"]] == [{"id": 7}, {}], "arguments that are no JSON are none"


def test_a_script_has_actions_and_screens_and_no_messages(data: DataFolder) -> None:
    scripted_run(data, {"ended": [1.0, 0.0], "other": [1.0]})
    made = write_rollouts(RUN, data)
    rows = rows_in(made.folder)
    assert [row["episode_id"] for row in rows] == ["ended", "ended", "other"] and all(row["messages"] == [] and row["model"] is None for row in rows)
    steps = rows[0]["steps"]
    assert [step["decision"] for step in steps] == ["COMMAND", "COMMAND", "DONE"] and steps[0]["actions"] == ["press(key='enter')"]
    files = [[(made.folder / name).read_bytes() for name in step["pictures"]] for step in steps]
    assert files == [[picture(1)], [picture(2, "JPEG"), picture(3)], [picture(1)]], "in the order in which the agent got them"
    assert steps[1]["pictures"][0].endswith(".jpg") and steps[1]["words"] == "Ü" and "Ü" in (made.folder / "rollouts.jsonl").read_text()
    assert rows[0]["checks"][0]["share"] is None, "of a trajectory that has none"


def test_the_same_again_gives_the_same_bytes_and_a_run_that_went_on_gives_more(data: DataFolder) -> None:
    scripted_run(data, {"ended": [1.0, 0.0]})
    before = files_of(write_rollouts(RUN, data).folder)
    pictures = {name for name in before if name.startswith("pictures/")}
    assert len(pictures) == 3 and set(before) == pictures | {"README.md", "manifest.json", "rollouts.parquet", "rollouts.jsonl", "faults.jsonl"}
    assert files_of(write_rollouts(RUN, data).folder) == before
    leave(data, "other", 1, [{}], {1: [picture(4)]})
    leave(data, "other", 2, [{}], {1: [picture(4)]})
    wanted = {("ended", 1), ("ended", 2)}
    assert files_of(write_rollouts(RUN, data, wanted).folder) == before, "what was asked for stays the same"
    assert write_rollouts(RUN, data).number == 4
    manifest = json.loads((data.runs / RUN / "rollouts" / "manifest.json").read_text())
    assert (manifest["rollouts"], manifest["groups"], manifest["groups_with_differing_rewards"], manifest["pictures"]) == (4, 2, 1, 4)


def test_a_fault_of_the_machine_is_no_rollout_and_is_told_apart(data: DataFolder) -> None:
    scripted_run(data, {"ended": [1.0, 1.0]}, faults=[("ended", 3), ("other", 1)])
    made = write_rollouts(RUN, data)
    assert [row["reward"] for row in rows_in(made.folder)] == [1.0, 1.0] and made.mean_reward == 1.0
    faults = [json.loads(line) for line in (made.folder / "faults.jsonl").read_text().splitlines()]
    assert [(one["rollout_id"], one["status"], one["tries"]) for one in faults] == [
        (f"{RUN}/ended_3", "infrastructure fault", 1),
        (f"{RUN}/other_1", "infrastructure fault", 1),
    ]
    assert faults[0]["fault"].startswith("GuestSilent") and len(made.faults) == 2


def test_what_is_missing_is_said_and_what_was_written_before_stays(data: DataFolder) -> None:
    with fake_server(answered) as server:
        conversation_run(data, server.base_url)
    before = files_of(write_rollouts(RUN, data).folder)
    data.model_calls.unlink()
    with pytest.raises(BadInput, match=r"the answer to call \w{16} of run \w+ is not in model_calls.sqlite .* put that file back, or play the run"):
        write_rollouts(RUN, data)
    assert files_of(data.runs / RUN / "rollouts") == before and not list((data.runs / RUN).glob(".*"))


def test_what_a_killed_command_left_is_removed(data: DataFolder) -> None:
    scripted_run(data, {"ended": [1.0, 0.0]})
    left = data.runs / RUN / ".rollouts.abc.tmp"
    left.mkdir()
    write_rollouts(RUN, data)
    assert not left.exists()


def test_a_run_is_found_by_its_beginning_and_anything_else_is_refused_with_a_remedy(data: DataFolder) -> None:
    scripted_run(data, {"ended": [1.0, 0.0]})
    scripted_run(data, {"ended": [1.0]}, run_id="01fff")
    (data.runs / "77aa").mkdir()
    (data.runs / "77aa" / "run.json").write_text("{}")
    data.sweeps.mkdir()
    (data.sweeps / "5eeb.json").write_text(json.dumps({"cells": [{"run_id": RUN, "label": "oracle"}, {"run_id": "01fff", "label": "idle"}]}))
    assert find_run("0123", data) == RUN
    for asked, message in {
        "nowhere": "there is no run 'nowhere' in .*`deskmill sql .* lists those of episodes",
        "": "there is no run ''",
        "01": f"several runs begin with '01': {RUN}, 01fff: give more of the id",
        "77aa": "77aa is a run of a protocol over a dataset: give a run of `deskmill episodes`",
        "5eeb": rf"5eeb is a sweep of 2 runs: give one of them, {RUN} \(oracle\); 01fff \(idle\)",
    }.items():
        with pytest.raises(BadInput, match=message):
            find_run(asked, data)
    with pytest.raises(BadInput, match="run 01fff has no episode that was played to its end at least 2 times.* `deskmill rollouts SUITE --groups 8`"):
        write_rollouts("01fff", data)
    leave(data, "ended", 3, [{}], {}, agent="another")
    with pytest.raises(BadInput, match=r"trajectories of several agents \(another, oracle\): remove from its folder"):
        write_rollouts(RUN, data)


def test_the_views_of_the_warehouse_have_the_groups_and_the_advantages(data: DataFolder) -> None:
    rewards = {"ended": [1.0, 0.0, 0.5, 0.0], "other": [1 / 3, 1 / 3, 1 / 3]}
    scripted_run(data, rewards, faults=[("other", 4)])
    write_run(data, [episode_row("single", "ended"), episode_row("single", "other")])
    written = rows_in(write_rollouts(RUN, data).folder)
    load_warehouse(data)
    with connect(data.warehouse) as connection:
        groups = rows_of(connection, "from rollout_groups order by group_id")
        rows = rows_of(connection, "from rollouts order by rollout_id")
    assert [(one["group_id"], one["rollouts"], one["faults"], one["succeeded"]) for one in groups] == [
        (f"{RUN}/ended", 4, 0, 1),
        (f"{RUN}/other", 3, 1, 0),
    ]
    assert [one["mean_reward"] for one in groups] == pytest.approx([0.375, 1 / 3])
    assert groups[0]["reward_deviation"] == pytest.approx(np.std(rewards["ended"])) and groups[1]["reward_deviation"] == 0
    played = [row for row in rows if row["reward"] is not None]
    assert [(row["rollout_id"], row["group_id"], row["sample"], row["reward"]) for row in played] == [
        (row["rollout_id"], row["group_id"], row["sample"], row["reward"]) for row in written
    ]
    expected = (np.array(rewards["ended"]) - 0.375) / np.std(rewards["ended"])
    assert [row["advantage"] for row in played] == pytest.approx([*expected, 0, 0, 0])
    assert [(row["rollout_id"], row["advantage"]) for row in rows if row["reward"] is None] == [(f"{RUN}/other_4", None)]


def test_the_seed_of_a_composed_task_is_told_and_a_written_job_has_none(catalog: Catalog) -> None:
    first = suite_tasks(read_suite("smoke"), catalog)[0]
    assert seeds_of("smoke")[first.task.episode_id] == "20261121, mousepad.append_line, 0"
    assert seeds_of("a suite that is gone") == {}
    assert len(seeds_of("desktop")) == len(read_suite("desktop").episodes)


def test_every_application_has_a_licence_and_a_machine_of_ones_own_has_none_of_ours(catalog: Catalog) -> None:
    unknown = licences_of(["something else"], "sandbox", None)[-1]["licence"]
    for name, application in catalog.applications.items():
        if application.platform == "linux":
            assert licences_of([name], "sandbox", None)[-1] == {
                "of": f"pictures of {name}",
                "licence": licences_of([name], "qemu", None)[-1]["licence"],
            }
            assert licences_of([name], "sandbox", None)[-1]["licence"] != unknown, name
    assert [one["of"] for one in licences_of(["mousepad"], "remote", "m")] == ["texts", "pictures of the machine", "answers of m"]


def test_the_texts_of_an_imported_task_have_the_licence_of_their_authors(data: DataFolder) -> None:
    scripted_run(data, {"ended": [1.0, 0.0]}, checkers=[{"imported": "0123"}])
    row, _ = rows_in(write_rollouts(RUN, data).folder)
    licences = {one["of"]: one["licence"] for one in row["licences"]}
    assert licences["instruction and checks"].startswith("as the authors of the task files say") and "texts" not in licences


def test_an_imported_suite_that_was_changed_does_not_hinder_the_rollouts_of_its_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESKMILL_DATA", str(tmp_path))
    folder = DataFolder(tmp_path).imported / "theirs"
    folder.mkdir(parents=True)
    (folder / "suite.yaml").write_text("{title: theirs, description: theirs, image: smoke, seed: 0, imported: theirs}")
    assert seeds_of("theirs") == {}


def test_the_page_and_the_card_say_what_each_column_holds(data: DataFolder) -> None:
    scripted_run(data, {"ended": [1.0, 0.0]})
    lines = [f"| `{name}` | {kind or 'list'} | {words} |" for name, kind, words in columns()]
    card = (write_rollouts(RUN, data).folder / "README.md").read_text()
    for line in lines:
        assert line in PAGE and line in card, line
    assert {name.split("[")[0] for name, _, _ in columns()} == set(ROLLOUTS.names) and len(lines) > 45
    declared = yaml.safe_load((REPOSITORY / "eval_flows/episodes/rollouts/columns.yaml").read_text())
    assert set(declared) == {name for name, _, _ in columns()}
