"""Protects that the house is open: an agent, an action space, an observation source, a checker and a machine of a package outside the tree play `smoke`."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from atomic_tasks.catalog import sound_catalog
from eval_flows.episodes.tasks.suite import read_suite, suite_tasks
from machines.image import Image
from tests.conftest import REPOSITORY
from tests.language_models.fake_server import fake_server

ENTRY_POINTS = """
[deskmill.agents]
typist = outside.agent:Typist
broken = outside.missing:Agent
[deskmill.actions]
lines = outside.actions:Lines
[deskmill.observations]
titles = outside.observation:titles
broken = outside.missing:source
[deskmill.checkers]
words = outside.checks:CHECKERS
broken = outside.missing:CHECKERS
[deskmill.machines]
toybox = outside.machine:toybox
broken = outside.missing:machine
"""
FILES = {
    "agent.py": """
from eval_flows.episodes.agents.agent import Decision
from eval_flows.episodes.environment import DONE
from machines.actions import Action

class Typist:
    wants = frozenset()

    def __init__(self, setting):
        self._left = [("press", {"key": "ctrl+end"}), ("write", {"text": setting.task.values["jotting"]}), ("press", {"key": "ctrl+s"})]

    def decide(self, situation):
        return Decision([Action(*self._left.pop(0))] if self._left else [DONE])
""",
    "actions.py": """
from machines.actions import Action, MalformedAction

class Lines:
    language = "lines"
    example = "press enter"

    def told(self, programs):
        return "press KEY, or type TEXT"

    def read(self, code):
        return [self._line(line) for line in code.splitlines()]

    def _line(self, line):
        verb, _, rest = line.partition(" ")
        if verb == "press":
            return Action("press", {"key": rest})
        if verb == "type":
            return Action("write", {"text": rest})
        raise MalformedAction(f"{verb} is neither press nor type")
""",
    "observation.py": """
from dataclasses import dataclass

from eval_flows.episodes.agents.observation_source import Shown

@dataclass(frozen=True)
class Titles:
    wants = frozenset()
    about = ("The titles in capitals.",)
    content = ""

    def show(self, situation):
        return Shown("Titles: " + "; ".join(window.title.upper() for window in situation.observation.windows))

def titles(asked):
    return Titles()
""",
    "checks.py": """
from eval_flows.episodes.checkers.checker import Checkers

CHECKERS = Checkers(
    of_files={"word_count": lambda content, asked: len(content.split())},
    metrics={"is_more_than": lambda got, expected: got is not None and got > float(expected)},
)
""",
    "checkers.yaml": """
getters:
  word_count: {takes: [path], gives: the number of words in a text file}
metrics:
  is_more_than: {takes: number, holds: it is larger}
""",
    "machine.py": """
from machines.image import find_image
from machines.sandbox import Sandbox

class Toybox(Sandbox):
    pass

def toybox(choice):
    return Toybox(find_image(choice.image, choice.folder))
""",
}
WITH_ANOTHER_CHECK = """
import shutil, sys
from functools import partial
from pathlib import Path
from atomic_tasks import catalog
from atomic_tasks.executable import executable_tasks
from eval_flows.episodes.agents.choice import AgentChoice
from eval_flows.episodes.runs.pipeline import EpisodeOptions, evaluate_episodes
from warehouse.layout import DataFolder

if __name__ == "__main__":
    root = Path(sys.argv[1]) / "catalog"
    shutil.copytree(catalog.CATALOG_ROOT, root, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    path = root / "applications" / "mousepad.yaml"
    before, task, after = path.read_text().partition("  - id: mousepad.append_line\\n")
    path.write_text(before + task + after.replace("    check:\\n", "    check:\\n      - {word_count: 'Documents/{text_file}', is_more_than: BOUND}\\n".replace("BOUND", sys.argv[2]), 1))
    catalog.read_catalog = partial(catalog.read_catalog, root)
    assert list(executable_tasks(catalog.sound_catalog())) == [], "the declaration of the package is known to the validator"
    run = evaluate_episodes("smoke", AgentChoice("oracle"), EpisodeOptions(1, limit=1), DataFolder(Path(sys.argv[1])), lambda *_: None)
    print(run.run_id, run.rows[0]["reward"], run.rows[0]["fault"], run.rows[0]["checks"][0]["got"])
"""
OF_PLUGINS = pytest.mark.rotates(of="kinds of plug-ins", number=2)
Outside = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def outside(tmp_path: Path, image: Image) -> Outside:
    """Runs Python with a package installed that is not in the tree, in a data folder of the test's own; without a program, `deskmill`."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "machines").symlink_to(image.machines)
    package, described = tmp_path / "site" / "outside", tmp_path / "site" / "outside-1.2.dist-info"
    package.mkdir(parents=True)
    described.mkdir()
    for name, content in {"__init__.py": "", **FILES}.items():
        (package / name).write_text(content)
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: outside\nVersion: 1.2\n")
    (described / "entry_points.txt").write_text(ENTRY_POINTS)
    environment = {**os.environ, "PYTHONPATH": f"{REPOSITORY}:{package.parent}", "DESKMILL_DATA": str(tmp_path / "data")}

    def run(*arguments: str, program: Path = REPOSITORY / "deskmill.py") -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, str(program), *arguments], env=environment, capture_output=True, text=True, check=False)

    return run


def run_id(done: subprocess.CompletedProcess[str]) -> str:
    found = re.search(r"run (\w+): 1 of 1 succeeded", done.stdout)
    assert found, (done.stdout, done.stderr)
    return found[1]


@OF_PLUGINS
@pytest.mark.slow(minutes=0.5)
def test_an_agent_of_a_package_plays_by_its_name_and_by_its_place(outside: Outside, tmp_path: Path) -> None:
    play = ("episodes", "smoke", "--limit", "1", "--agent")
    by_name = run_id(outside(*play, "typist"))
    described = json.loads((tmp_path / "data" / "runs" / by_name / "suite_run.json").read_text())["agent"]
    assert described["name"] == "typist" and described["agent"]["package"] == "outside" and described["agent"]["version"] == "1.2"
    path = tmp_path / "site" / "outside" / "agent.py"
    path.write_text(path.read_text() + "\n# changed\n")
    by_place = run_id(outside(*play, "outside.agent:Typist", "--name", "typist"))
    assert by_place != by_name, "what its code is belongs to the run"


@pytest.mark.slow(minutes=0.2)
@pytest.mark.rotates
@pytest.mark.parametrize("option", ["--agent", "--observe", "--machine"])
def test_a_broken_plugin_is_named_with_its_package(outside: Outside, option: str) -> None:
    done = outside("episodes", "smoke", option, "broken")
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert "broken (outside.missing:" in done.stderr and "package outside 1.2) cannot be imported: ModuleNotFoundError" in done.stderr


def test_an_unknown_plugin_is_told_with_those_that_there_are(outside: Outside) -> None:
    done = outside("episodes", "smoke", "--agent", "typits")
    assert done.returncode == 2 and "did you mean 'typist'?" in done.stderr and "typist (outside.agent:Typist, package outside 1.2)" in done.stderr


@OF_PLUGINS
@pytest.mark.slow(minutes=0.5)
@pytest.mark.parametrize(
    ("options", "answer", "told"),
    [
        (("--actions", "lines"), "```lines\npress ctrl+end\ntype {jotting}\npress ctrl+s\n```", "press KEY, or type TEXT"),
        (
            ("--observe", "titles+tree"),
            "```python\npress(key='ctrl+end')\nwrite(text={jotting!r})\npress(key='ctrl+s')\n```",
            "The titles in capitals.",
        ),
    ],
    ids=["action space", "observation source"],
)
def test_a_model_answers_and_sees_in_the_ways_of_a_package(options: tuple[str, ...], answer: str, told: str, outside: Outside) -> None:
    asked: list[Any] = []
    jotting = suite_tasks(read_suite("smoke"), sound_catalog())[0].task.values["jotting"]

    def reply(request: dict[str, Any]) -> str:
        asked.append(request["messages"])
        return answer.format(jotting=jotting) if len(asked) == 1 else "```decision\nDONE\n```"

    with fake_server(reply) as server:
        run_id(outside("episodes", "smoke", "--limit", "1", "--model", "m", "--base-url", server.base_url, *options))
    assert told in asked[0][0]["content"]
    assert ("Titles: " in asked[0][1]["content"]) == ("titles+tree" in options)


@OF_PLUGINS
@pytest.mark.slow(minutes=0.5)
def test_a_checker_of_a_package_checks_a_task_of_the_catalog(outside: Outside, tmp_path: Path) -> None:
    program = tmp_path / "play.py"
    program.write_text(WITH_ANOTHER_CHECK)
    for bound, reward in (("3", 1.0), ("3000", 0.0)):
        done = outside(str(tmp_path / "data"), bound, program=program)
        assert done.returncode == 0, done.stderr
        _, earned, fault, got = done.stdout.split()
        assert (float(earned), fault) == (reward, "None") and 3 < int(got) < 3000
        if reward:
            (path,) = (tmp_path / "data" / "runs").glob("*/suite_run.json")
            (described,) = json.loads(path.read_text())["checkers"]
            assert (described["place"], described["package"], described["version"]) == ("outside.checks:CHECKERS", "outside", "1.2")
        subprocess.run(["rm", "-r", str(tmp_path / "data" / "catalog")], check=True)


@OF_PLUGINS
@pytest.mark.slow(minutes=0.5)
def test_a_machine_of_a_package_is_played_on(outside: Outside, tmp_path: Path) -> None:
    found = run_id(outside("episodes", "smoke", "--limit", "1", "--machine", "toybox"))
    described = json.loads((tmp_path / "data" / "runs" / found / "suite_run.json").read_text())
    assert described["machine"] == "toybox" and described["machine_identity"]["plugin"]["package"] == "outside"
    told = outside("sql", "select machine from suite_runs", "--format", "csv").stdout.split()
    assert told == ["machine", "toybox"]
