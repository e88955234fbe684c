"""Protects whole episodes of native computer use on the real sandbox, each against a server that speaks its API."""

import json
from typing import Any

import pytest

from atomic_tasks.catalog import Catalog
from atomic_tasks.problems import BadInput
from eval_flows.episodes.agents.choice import AgentChoice
from eval_flows.episodes.runs.pipeline import EpisodeOptions, evaluate_episodes
from eval_flows.episodes.tasks.suite import read_suite, suite_tasks
from language_models.endpoint import Endpoint
from tests.conftest import quiet
from tests.eval_flows.episodes.agents.native_desk import CHECK, INTERFACES
from tests.eval_flows.episodes.conftest import Listed
from tests.language_models.fake_apis import computer_call, reasoning_item, thinking, tool_use
from tests.language_models.fake_server import fake_server
from tests.language_models.test_client import QUICK
from warehouse.layout import DataFolder
from warehouse.query import connect, rows_of

APPEND = "{level: L1, tasks: [mousepad.append_line]}"


def script(agent: str, jotting: str) -> list[Any]:
    """What a model says step by step that makes a mistake, then clicks into the text, goes to its end, types, saves, and is done."""
    match agent:
        case "openai_computer":
            wheel = {"type": "scroll", "x": 640, "y": 400, "scroll_x": 0, "scroll_y": 300, "keys": ["CTRL"]}
            drag = {"type": "drag", "path": [{"x": 500, "y": 300}, {"x": 520, "y": 320}, {"x": 600, "y": 330}]}
            keys: list[dict[str, Any]] = [
                {"type": "keypress", "keys": ["CTRL", "END"]},
                {"type": "type", "text": jotting},
                {"type": "keypress", "keys": ["CTRL", "S"]},
            ]
            return [
                [reasoning_item(), computer_call({"type": "keypress", "keys": ["NOKEY"]})],
                [reasoning_item(), computer_call({"type": "click", "button": "left", "x": 640, "y": 400}, wheel, drag, {"type": "wait"})],
                [reasoning_item(), computer_call(*keys)],
                "It is saved. DONE",
            ]
        case "anthropic_computer":
            hands = [tool_use("left_click", coordinate=[640, 400]), tool_use("left_mouse_down"), tool_use("mouse_move", coordinate=[660, 420])]
            typed = [tool_use("key", text="ctrl+End"), tool_use("type", text=jotting), tool_use("key", text="ctrl+s")]
            return [
                [thinking(), tool_use("key", text="nokey"), tool_use("type", text="never")],
                [*hands, tool_use("left_mouse_up"), tool_use("hold_key", text="shift", duration=1), tool_use("zoom", region=[0, 0, 300, 200])],
                typed,
                "It is saved. DONE",
            ]
        case _:
            return [
                "Thought: I press a key.\nAction: hotkey(key='nokey')",
                "Thought: I click.\nAction: click(start_box='(640,400)')",
                f"Thought: I type.\nAction: hotkey(key='ctrl end')\n\ntype(content={jotting!r})\n\nhotkey(key='ctrl s')",
                "Thought: It is saved.\nAction: finished(content='saved')",
            ]


@pytest.mark.rotates
@pytest.mark.slow(minutes=1)
@pytest.mark.parametrize("agent", INTERFACES)
def test_a_model_does_a_task_by_its_own_tool(data: DataFolder, listed: Listed, catalog: Catalog, agent: str) -> None:
    name = listed(APPEND)
    (made,) = suite_tasks(read_suite(name), catalog)
    left = script(agent, made.task.values["jotting"])
    with fake_server(lambda request: left.pop(0)) as server:
        endpoint = Endpoint("m", server.base_url, interface=INTERFACES[agent], patience=QUICK)
        run = evaluate_episodes(name, AgentChoice(agent, model="m"), EpisodeOptions(endpoint=endpoint), data, quiet)
    (row,) = run.rows
    assert (row["fault"], row["reward"], row["status"], row["steps"], row["malformed"]) == (None, 1.0, "done", 4, 1), row
    folder = data.runs / run.run_id / "trajectories" / f"{row['episode_id']}_1"
    steps = json.loads((folder / "trajectory.json").read_text())["steps"]
    assert "'nokey' is no key" in steps[0]["feedback"].lower() and steps[3]["decision"] == "DONE" and len(list(folder.glob("*.png"))) == 4
    assert any(action.startswith("single_click") for action in steps[1]["actions"]) and not any(step["feedback"] for step in steps[1:])
    with connect(data.warehouse) as connection:
        (told,) = rows_of(connection, "select agent, status from episodes")
    assert told == {"agent": f"m {agent}", "status": "done"}


def test_a_safety_check_ends_the_episode_with_that_status(data: DataFolder, listed: Listed) -> None:
    checked = [computer_call({"type": "wait"}, checks=[CHECK])]
    with fake_server(lambda request: checked) as server:
        options = EpisodeOptions(endpoint=Endpoint("m", server.base_url, interface="responses", patience=QUICK))
        run = evaluate_episodes(listed(APPEND), AgentChoice("openai_computer", model="m"), options, data, quiet)
        (row,) = run.rows
        assert (row["status"], row["reward"], row["steps"], row["malformed"], row["fault"]) == ("safety check", 0.0, 1, 0, None)
        wrong = EpisodeOptions(endpoint=Endpoint("m", server.base_url))
        with pytest.raises(BadInput, match="speaks the interface 'responses'"):
            evaluate_episodes(listed(APPEND), AgentChoice("openai_computer", model="m"), wrong, data, quiet)
