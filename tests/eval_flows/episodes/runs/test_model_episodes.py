"""Protects runs of a model on the real sandbox: its failures are outcomes with the reward of the final state, and a dead endpoint ends the run."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from click.testing import CliRunner

from atomic_tasks.catalog import Catalog
from deskmill import main
from eval_flows.episodes.agents.choice import AgentChoice
from eval_flows.episodes.agents.observation_source import observation_choice
from eval_flows.episodes.runs import pipeline
from eval_flows.episodes.runs import run as runs
from eval_flows.episodes.runs.pipeline import EpisodeOptions, SuiteRun, evaluate_episodes
from eval_flows.episodes.tasks.suite import read_suite, suite_tasks
from language_models.endpoint import Endpoint, Prices
from language_models.errors import ModelError
from tests.commands import deskmill
from tests.conftest import quiet, workers_and_machines
from tests.eval_flows.episodes.conftest import Listed
from tests.eval_flows.knowing_model import QUICK
from tests.language_models.fake_server import HANG, FakeServer, Fault, fake_server
from warehouse.layout import DataFolder
from warehouse.query import connect, rows_of

APPEND, REPLACE = "{level: L1, tasks: [mousepad.append_line]}", "{level: L1, tasks: [mousepad.replace_word]}"
DONE = "```decision\nDONE\n```"
TOO_LONG = Fault("400", message="maximum context length is 8192 tokens", code="context_length_exceeded")
Said = str | int | Fault


def step_of(request: dict[str, Any]) -> int:
    return int(request["messages"][1]["content"].partition("Step ")[2].partition(" of")[0])


def played(data: DataFolder, server: FakeServer, **options: Any) -> SuiteRun:
    agent = AgentChoice("model", model="m", seconds_per_step=options.pop("seconds_per_step", 60.0))
    endpoint = options.pop("endpoint", Endpoint("m", server.base_url, patience=replace(QUICK, attempts=2)))
    return evaluate_episodes("small", agent, EpisodeOptions(**{"workers": 1, "endpoint": endpoint} | options), data, quiet)


def typing(data: DataFolder, listed: Listed, catalog: Catalog, last: Callable[[], Said]) -> Callable[[dict[str, Any]], Said]:
    """A model that does all that is asked in its first answer, and whose second is what is told."""
    (made,) = suite_tasks(read_suite(listed(APPEND)), catalog)
    jotting = made.task.values["jotting"]
    keys = f"computer.keyboard.press(key='ctrl+end')\ncomputer.keyboard.write(text={jotting!r})\ncomputer.keyboard.press(key='ctrl+s')"
    return lambda request: f"```python\n{keys}\n```" if step_of(request) == 1 else last()


@pytest.mark.parametrize(
    ("last", "status", "why"), [(TOO_LONG, "model failed", "maximum context length"), (HANG, "out of time", "the model took more than its 2 s")]
)
def test_what_the_model_fails_at_is_its_outcome_with_the_reward_of_the_final_state(
    data: DataFolder, listed: Listed, catalog: Catalog, last: Fault, status: str, why: str
) -> None:
    with fake_server(typing(data, listed, catalog, lambda: last)) as server:
        run = played(data, server, seconds_per_step=2 / 35)
        (row,) = run.rows
        requests = len(server.requests)
        assert played(data, server, seconds_per_step=2 / 35).rows == run.rows and len(server.requests) == requests, "it is not tried again"
    assert (row["status"], row["reward"], row["is_success"], row["fault"], row["tries"]) == (status, 1.0, True, None, 1)
    assert (row["steps"], row["malformed"], row["input_tokens"], row["output_tokens"]) == (2, 0, 11, 7), "what was spent is kept"
    folder = data.runs / run.run_id / "trajectories" / f"{row['episode_id']}_1"
    end = json.loads((folder / "trajectory.json").read_text())["steps"][-1]
    assert end["decision"] == "NONE" and why in end["feedback"] and (folder / "002.png").is_file(), "what it saw last is kept too"
    with connect(data.warehouse) as connection:
        told = rows_of(connection, "select played, succeeded, faults from episode_success where slice = 'all'")
    assert told == [{"played": 1, "succeeded": 1, "faults": 0}]


def test_a_dead_endpoint_is_said_before_a_machine_is_started(data: DataFolder, listed: Listed, monkeypatch: pytest.MonkeyPatch) -> None:
    listed(APPEND)
    monkeypatch.setattr(runs, "supervised", lambda *_, **__: pytest.fail("a machine was started"))
    with fake_server(lambda request: DONE, models=["other"]) as server:
        with pytest.raises(ModelError, match="does not serve model 'm'"):
            played(data, server)
        with pytest.raises(ModelError, match="cannot be reached; is the server running"):
            played(data, server, endpoint=Endpoint("m", "http://127.0.0.1:9/v1", patience=QUICK))
        with pytest.raises(ModelError, match="takes no pictures"):
            agent = AgentChoice("model", observation=observation_choice("tree+screenshot", "small"), model="m")
            options = EpisodeOptions(endpoint=Endpoint("m", server.base_url, interface="completion"))
            evaluate_episodes("small", agent, options, data, quiet)
    assert not list(data.root.glob("runs/*"))


def test_the_command_says_a_dead_server_in_one_line_and_ends_with_two(data: DataFolder) -> None:
    """It started machines, one after another, and ended with 0."""
    done = deskmill("episodes", "smoke", "--model", "m", "--base-url", "http://127.0.0.1:9/v1", data=data.root)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.strip() == "error: http://127.0.0.1:9/v1 cannot be reached; is the server running?"


@pytest.mark.parametrize(("fault", "ended_early", "code"), [(None, None, 0), ("MachineError: it broke", None, 1), (None, "the budget is reached", 2)])
def test_the_exit_code_says_whether_all_was_played(monkeypatch: pytest.MonkeyPatch, fault: str | None, ended_early: str | None, code: int) -> None:
    row = {"episode_id": "e", "fault": fault, "is_success": None if fault else False, "reward": None if fault else 0.0}
    monkeypatch.setattr(pipeline, "evaluate_episodes", lambda *_: SuiteRun("r", [row], ended_early))
    done = CliRunner().invoke(main, ["episodes", "smoke"])
    assert done.exit_code == code and "run r: 0 of" in done.output and (fault or ended_early or "") in done.output


def test_an_endpoint_that_dies_ends_the_run_and_the_same_command_goes_on(data: DataFolder, listed: Listed) -> None:
    listed(APPEND, REPLACE)
    alive = [True]

    def reply(request: dict[str, Any]) -> Said:
        alive[0] = alive[0] and len(server.requests) < 2
        return DONE if alive[0] else 503

    with fake_server(reply) as server:
        with pytest.raises(ModelError, match=r"overloaded\. 1 of 2 episodes of run \w+ are played and kept; run the same command to go on"):
            played(data, server)
        assert not workers_and_machines()
        (path,) = data.runs.glob("*/trajectories/[!.]*/trajectory.json")
        kept = path.stat().st_mtime_ns
        with connect(data.warehouse) as connection:
            told = rows_of(connection, "select status, tries from episodes")
        assert told == [{"status": "done", "tries": 1}], "nothing is said of the one that was at work"
        server.requests.clear()
        alive[0] = True
        run = played(data, server)
    assert run.run_id == path.parts[-4] and path.stat().st_mtime_ns == kept
    assert [(row["status"], row["fault"], row["tries"]) for row in run.rows] == [("done", None, 1)] * 2


def test_a_budget_ends_the_run_cleanly_and_more_goes_on(data: DataFolder, listed: Listed) -> None:
    listed(APPEND, REPLACE)
    with fake_server(lambda request: DONE) as server:
        priced = Endpoint("m", server.base_url, prices=Prices(0, 1_000_000 / 7), patience=QUICK)  # a dollar an answer; 1,500 tokens are reserved
        ended = played(data, server, endpoint=priced, budget=1500 / 7 + 0.5)
        assert ended.ended_early and "is reached: $1.0000 spent" in ended.ended_early and "1 of 2 episodes" in ended.ended_early
        assert "larger budget" in ended.ended_early and [row["status"] for row in ended.rows] == ["done"]
        run = played(data, server, endpoint=priced, budget=1000)
    assert run.ended_early is None and run.run_id == ended.run_id and [row["cost_usd"] for row in run.rows] == pytest.approx([1, 1])
