"""Protects the page about an agent of one's own: the form of questions and answers is what it says, and its example plays."""

import contextlib
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from eval_flows.episodes.agents.action_spaces.computer import Computer
from eval_flows.episodes.agents.agent import Spent
from eval_flows.episodes.agents.choice import AgentChoice
from eval_flows.episodes.agents.model import read_decision
from eval_flows.episodes.runs.pipeline import EpisodeOptions, SuiteRun, evaluate_episodes
from language_models.endpoint import Endpoint
from tests.commands import free_port
from tests.conftest import REPOSITORY, quiet
from tests.eval_flows.episodes.agents.test_agents import asked
from tests.eval_flows.episodes.conftest import Listed
from warehouse.layout import DataFolder

SECTION = (REPOSITORY / "docs/episodes.md").read_text().partition("## An agent of your own")[2].partition("\n## ")[0]


def block(language: str, fence: str = "```") -> str:
    (found,) = re.findall(rf"^{fence}{language}\n(.*?)^{fence}$", SECTION, re.DOTALL | re.MULTILINE)
    return str(found)


def test_a_question_looks_as_the_page_shows_it() -> None:
    assert block("text").rstrip() == asked().messages[1].text.rstrip()


def test_the_answer_of_the_page_is_read_whole() -> None:
    found = read_decision(block("text", "````"), Spent(), Computer())
    assert (found.kind, found.malformed, len(found.actions)) == ("COMMAND", None, 3)
    assert found.words.startswith("The dialog asks") and found.memory == "the number is set; the result must still be saved"


def wait_until_open(port: int, server: subprocess.Popen[bytes]) -> None:
    while True:
        assert server.poll() is None, "the example ended"
        with contextlib.suppress(OSError), socket.create_connection(("localhost", port), 1):
            return
        time.sleep(0.05)


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[str]:
    """The example at work; its address."""
    (code,) = (one for one in re.findall(r"```python\n(import .*?)```\n", SECTION, re.DOTALL) if "HTTPServer" in one)
    assert len([line for line in code.splitlines() if line]) <= 20 and ", 8000)" in code
    port, program = free_port(), tmp_path / "agent.py"
    program.write_text(code.replace(", 8000)", f", {port})"))
    server = subprocess.Popen([sys.executable, str(program)], stderr=subprocess.DEVNULL)
    try:
        wait_until_open(port, server)
        yield f"http://localhost:{port}/v1"
    finally:
        server.terminate()
        server.wait()


@pytest.mark.slow(minutes=0.5)
@pytest.mark.rotates(of="programs of the pages", number=2)
def test_the_example_plays_and_another_edition_is_asked_anew_as_a_run_of_its_own(data: DataFolder, listed: Listed, agent: str) -> None:
    listed("{level: L1, tasks: [mousepad.append_line]}")

    def played(edition: str | None) -> SuiteRun:
        options = EpisodeOptions(workers=1, endpoint=Endpoint("mine", agent, edition=edition))
        return evaluate_episodes("small", AgentChoice("model", model="mine"), options, data, quiet)

    first, mended = played(None), played("v2")
    for run in (first, mended):
        assert [(row["status"], row["steps"], row["malformed"], row["fault"]) for row in run.rows] == [("done", 2, 0, None)]
    assert first.run_id != mended.run_id and played(None).run_id == first.run_id and played("v2").run_id == mended.run_id
