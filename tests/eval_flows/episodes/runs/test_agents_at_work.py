"""Protects whole episodes of the agents that ask a model, on the real sandbox: what they write is done there, told to them, and kept."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from atomic_tasks.catalog import Catalog
from eval_flows.episodes.agents.choice import AgentChoice
from eval_flows.episodes.agents.observation_source import observation_choice
from eval_flows.episodes.runs import pipeline
from eval_flows.episodes.runs.pipeline import EpisodeOptions, evaluate_episodes
from eval_flows.episodes.tasks.suite import read_suite, suite_tasks
from language_models.endpoint import Endpoint
from machines.actions import ACTIONS
from machines.errors import MachineNeeds
from machines.image import Image
from tests.commands import deskmill
from tests.conftest import REPOSITORY, quiet
from tests.eval_flows.episodes.agents.test_conversation import TOO_LONG, said, step_of
from tests.eval_flows.episodes.conftest import Listed
from tests.eval_flows.knowing_model import QUICK
from tests.language_models.fake_server import Fault, fake_server
from warehouse.layout import DataFolder
from warehouse.query import connect, rows_of

APPEND = "{level: L1, tasks: [mousepad.append_line]}"
SECTION = (REPOSITORY / "docs/agents.md").read_text().partition("## A script of your own")[2].partition("\n## ")[0]


def answers(jotting: str) -> list[str]:
    """What a model says step by step that first makes a mistake, then does the task by code, looks at the file, and is done."""
    codes = [
        "print('before')\nopen('/nowhere/at all')",
        f"pyautogui.hotkey('ctrl', 'end')\ncomputer.keyboard.write({jotting!r})\npyautogui.hotkey('ctrl', 's')\nprint(pyautogui.position() != (0, 0))",
        "import glob\nprint(open(glob.glob('Documents/*.txt')[0]).read()[-200:])",
    ]
    return [f"So it is.\n```decision\nCOMMAND\n```\n```python\n{code}\n```" for code in codes] + ["```decision\nDONE\n```"]


@pytest.mark.rotates
@pytest.mark.slow(minutes=1)
@pytest.mark.parametrize(("agent", "observe"), [("model", "tree"), ("conversation", "tree+screenshot"), ("navi", "marks")])
def test_an_agent_does_a_task_by_code_and_is_told_what_it_printed(
    data: DataFolder, listed: Listed, catalog: Catalog, agent: str, observe: str
) -> None:
    name = listed(APPEND)
    (made,) = suite_tasks(read_suite(name), catalog)
    script = answers(made.task.values["jotting"])

    def reply(request: dict[str, Any]) -> str | Fault:
        pictures = sum(number for _, _, number in said(request))
        return script[step_of(request) - 1] if pictures <= 2 else TOO_LONG

    choice = AgentChoice(agent, model="m", observation=observation_choice(observe, name), actions="code")
    with fake_server(reply) as server:
        run = evaluate_episodes(name, choice, EpisodeOptions(endpoint=Endpoint("m", server.base_url, patience=QUICK)), data, quiet)
        last = said(server.requests[-1])
    (row,) = run.rows
    assert (row["fault"], row["reward"], row["status"], row["steps"], row["malformed"]) == (None, 1.0, "done", 4, 1)
    steps = json.loads((data.runs / run.run_id / "trajectories" / f"{row['episode_id']}_1" / "trajectory.json").read_text())["steps"]
    assert steps[0]["printed"].startswith("before\nTraceback") and "FileNotFoundError" in steps[0]["printed"] and "status 1" in steps[0]["feedback"]
    assert steps[1]["printed"] == "True\n" and steps[1]["actions"] == [f"run_code(code={script[1].split('```python')[1].split('```')[0].strip()!r})"]
    assert steps[2]["printed"].rstrip().endswith(made.task.values["jotting"]) and steps[2]["printed"].rstrip() in last[-1][1], "and it was told"
    dropped = [note.rpartition("without ")[2] for step in steps for note in step["notes"]]
    assert dropped == (["the pictures of 1 earlier step", "the pictures of 1 earlier step"] if agent == "conversation" else [])
    with connect(data.warehouse) as connection:
        told = rows_of(connection, "select printed, notes from steps order by number")
    assert [one["printed"] for one in told] == [step["printed"] for step in steps] and [one["notes"] for one in told] == [
        step["notes"] for step in steps
    ]


def test_a_machine_that_runs_no_code_is_refused_before_anything_starts(data: DataFolder, listed: Listed, monkeypatch: pytest.MonkeyPatch) -> None:
    offers = vars(Image)["offers"].fget
    monkeypatch.setattr(Image, "offers", property(lambda image: replace(offers(image), actions=frozenset(ACTIONS))))
    monkeypatch.setattr(pipeline, "run_episodes", lambda *_: pytest.fail("it began"))
    choice = AgentChoice("model", model="m", actions="code")
    with pytest.raises(MachineNeeds, match="actions 'code': this machine of kind 'sandbox' cannot run_code"):
        evaluate_episodes(listed(APPEND), choice, EpisodeOptions(), data, quiet)


@pytest.mark.slow(minutes=0.4)
def test_a_script_of_ones_own_plays_from_the_folder_that_it_is_in(data: DataFolder, tmp_path: Path) -> None:
    folder = tmp_path / "mine" / "my_package"
    folder.mkdir(parents=True)
    (folder / "__init__.py").touch()
    (code,) = re.findall(r"```python\n(.*?)```\n", SECTION, re.DOTALL)
    (folder / "my_module.py").write_text(code)
    done = deskmill(
        "episodes", "smoke", "--agent", "my_package.my_module:MyAgent", "--limit", "1", "--workers", "1", data=data.root, cwd=folder.parent
    )
    assert done.returncode == 0 and "0 of 1 succeeded" in done.stdout, done.stderr
    (trajectory,) = (data.runs).glob("*/trajectories/*/trajectory.json")
    told = json.loads(trajectory.read_text())
    assert (told["episode"]["status"], told["episode"]["steps"], told["episode"]["malformed"]) == ("done", 2, 0)
    assert told["steps"][0]["words"].startswith("I save it: ") and told["steps"][0]["actions"] == ["press(key='ctrl+s')"]
    missing = deskmill("episodes", "smoke", "--agent", "my_package.my_module:Other", data=data.root, cwd=folder.parent)
    assert missing.returncode == 2 and "cannot be imported: AttributeError" in missing.stderr and "in this folder" in missing.stderr
