"""Protects the command `rollouts`: it plays an ordinary run, asks nothing twice, writes a played run again, and refuses in words what cannot be."""

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from atomic_tasks.catalog import Catalog
from deskmill import main
from eval_flows.episodes.runs import pipeline
from eval_flows.episodes.runs.pipeline import SuiteRun
from eval_flows.episodes.tasks.suite import read_suite, suite_tasks
from tests.eval_flows.episodes.conftest import Listed
from tests.eval_flows.episodes.rollouts.made_runs import RUN, scripted_run
from tests.eval_flows.episodes.rollouts.test_rollouts import files_of
from tests.language_models.fake_server import completion, fake_server
from warehouse.layout import DataFolder

APPEND = "{level: L1, tasks: [mousepad.append_line]}"
DONE = "```decision\nDONE\n```"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DataFolder:
    """A data folder without a machine."""
    monkeypatch.setenv("DESKMILL_DATA", str(tmp_path / "data"))
    return DataFolder.from_environment()


def call(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["rollouts", *arguments])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "name a suite to play (`deskmill suite list`), or a run that is played with --run ID"),
        (("smok", "--groups", "2"), "there is no suite 'smok'; did you mean smoke?"),
        (("smoke", "--agent", "orakel"), "there is no agent 'orakel'; did you mean 'oracle'?"),
        (("smoke", "--groups", "1"), "1 is not in the range x>=2"),
        (("--run", "nowhere"), "there is no run 'nowhere'"),
        (("smoke", "--run", RUN, "--agent", "idle"), "--run writes a run as it was played: leave out SUITE, --agent"),
        (("--run", RUN, "--groups", "8"), "--run writes a run as it was played: leave out --groups"),
        (
            ("smoke", "--model", "m", "--base-url", "http://127.0.0.1:9/v1", "--interface", "anthropic", "--log-probabilities"),
            "come only with chat and",
        ),
        (("smoke", "--log-probabilities"), "name the model with --model, or leave it out"),
        (("smoke", "--agent", "model"), "asks a language model: name it with --model"),
    ],
)
def test_bad_input_ends_with_two_and_a_remedy(folder: DataFolder, arguments: tuple[str, ...], message: str) -> None:
    done = call(*arguments)
    assert done.exit_code == 2 and message in done.output and "Traceback" not in done.output
    assert not folder.runs.exists()


def test_a_played_run_is_written_and_the_command_says_where(folder: DataFolder) -> None:
    scripted_run(folder, {"ended": [1.0, 0.0], "other": [1.0, 1.0]}, faults=[("other", 3)])
    done = call("--run", RUN[:6])
    assert done.exit_code == 0, done.output
    first, second, path = done.output.splitlines()
    assert first == "4 rollouts in 2 groups, mean reward 0.750; groups with differing rewards: 1"
    assert "1 had only faults of the infrastructure and are no rollouts" in second and Path(path) == folder.runs / RUN / "rollouts"


@pytest.mark.parametrize(
    ("fault", "ended_early", "code"), [(None, None, 0), ("GuestSilent: it is silent", None, 1), (None, "the budget is reached", 2)]
)
def test_the_exit_code_says_whether_all_was_played(
    folder: DataFolder, monkeypatch: pytest.MonkeyPatch, fault: str | None, ended_early: str | None, code: int
) -> None:
    scripted_run(folder, {"ended": [1.0, 0.0]}, faults=[("ended", 3)] if fault else [])
    rows: list[dict[str, Any]] = [
        {"episode_id": "ended", "repeat": repeat, "fault": None, "is_success": bool(repeat % 2), "reward": repeat % 2} for repeat in (1, 2)
    ]
    rows += [{"episode_id": "ended", "repeat": 3, "fault": fault, "is_success": None, "reward": None}] if fault else []
    monkeypatch.setattr(pipeline, "evaluate_episodes", lambda *_: SuiteRun(RUN, rows, ended_early))
    done = call("smoke", "--groups", "3")
    assert done.exit_code == code and f"run {RUN}: 1 of 2 succeeded" in done.output and (ended_early or "") in done.output
    assert (folder.runs / RUN / "rollouts").is_dir() == (ended_early is None), "what ended early is not written"


@pytest.mark.slow(minutes=0.8)
def test_a_model_plays_a_group_on_the_real_desktop_and_pays_for_each_answer_once(
    data: DataFolder, listed: Listed, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DESKMILL_DATA", str(data.root))
    name = listed(APPEND)
    (made,) = suite_tasks(read_suite(name), catalog)
    keys = f"computer.keyboard.press(key='ctrl+end')\ncomputer.keyboard.write(text={made.task.values['jotting']!r})\ncomputer.keyboard.press(key='ctrl+s')"
    begun: list[str] = []

    def reply(request: dict[str, Any]) -> dict[str, Any]:
        """The first of the two rollouts does the task; the other one says at once that it is done."""
        is_first = len(request["messages"]) == 2
        begun.extend(["asked"] * is_first)
        said = f"I write it.\n```python\n{keys}\n```" if is_first and len(begun) == 1 else DONE
        answer = completion(request["model"], said)
        answer["choices"][0]["logprobs"] = {"content": [{"token": word, "logprob": -0.5} for word in said.split()]}
        return answer if request["logprobs"] is True else {}

    with fake_server(reply) as server:
        options = ["--model", "m", "--base-url", server.base_url, "--agent", "conversation", "--observe", "tree+screenshot", "--workers", "1"]
        done = call(name, *options, "--groups", "2", "--log-probabilities")
        assert done.exit_code == 0 and "2 rollouts in 1 group, mean reward 0.500; groups with differing rewards: 1" in done.output, done.output
        folder = Path(done.output.splitlines()[-1])
        before, asked = files_of(folder), len(server.requests)
        again = call(name, *options, "--groups", "2", "--log-probabilities")
        assert again.exit_code == 0 and len(server.requests) == asked == 3 and files_of(folder) == before, "the same command, the same bytes"
    assert call("--run", folder.parent.name).exit_code == 0 and files_of(folder) == before
    first, second = pq.read_table(folder / "rollouts.parquet").to_pylist()
    assert [(row["reward"], len(row["steps"])) for row in (first, second)] == [(1.0, 2), (0.0, 1)]
    assert [message["role"] for message in first["messages"]] == ["system", "user", "assistant", "user", "assistant"]
    assert [call["asked"] for step in first["steps"] for call in step["calls"]] == [[0, 1], [0, 1, 2, 3]]
    assert first["steps"][0]["actions"][1] == f"write(text={made.task.values['jotting']!r})" and first["steps"][0]["calls"][0]["log_probabilities"]
    for number, step in enumerate(first["steps"], 1):
        shown = [part["image"] for part in first["messages"][2 * number - 1]["content"] if part["type"] == "image"]
        assert (
            shown == step["pictures"] and before[shown[0]] == (folder.parent / f"trajectories/{first['episode_id']}_1/{number:03}.png").read_bytes()
        )
    assert first["seed"] == "7, mousepad.append_line, 0" and json.loads(first["settings"])["log_probabilities"] is True
