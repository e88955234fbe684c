"""Protects the commands: judges are asked or served, the scores are shown in the end, and a kill of the pages loses nothing."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.commands import deskmill, invoked
from tests.conftest import REPOSITORY
from tests.eval_flows.episodes.judging.played import play
from tests.language_models.fake_server import fake_server
from warehouse.judging import error_kinds
from warehouse.layout import DataFolder
from warehouse.loader import load_warehouse
from warehouse.query import connect, rows_of


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    folder = DataFolder(tmp_path / "data")
    for name, reward in (("human", 1.0), ("agent", 0.0)):
        play(folder, name, {"e1": reward})
    return folder


def test_a_model_judges_and_labels_and_the_results_are_shown(data: DataFolder) -> None:
    def reply(request: dict[str, Any]) -> str:
        if "kind" in request["response_format"]["json_schema"]["schema"]["properties"]:
            return json.dumps({"reason": "it left out saving", "kind": "planning", "step": 1})
        return json.dumps({"reason": "the same", "first_marks": [], "second_marks": [], "better": "tie"})

    with fake_server(reply) as server:
        where = ("--base-url", server.base_url)
        judged = deskmill("judge", "hum", "agent", "--judge", "m", *where, data=data.root)
        labelled = deskmill("label", "agent", "--labeller", "m", *where, data=data.root)
    assert judged.returncode == 0, judged.stderr
    assert "2 judgements of 1 pairs" in judged.stdout and re.search(r"model +agent +agent model +1\.0000 +0\.5000 +0\.0000", judged.stdout), (
        judged.stdout
    )
    assert labelled.returncode == 0, labelled.stderr
    assert "1 labels" in labelled.stdout and re.search(r"model +agent +agent model +Task planning +1 ", labelled.stdout), labelled.stdout


@pytest.mark.parametrize(("arguments", "told"), [
    (("judge", "human"), "two runs or more"), (("judge", "human", "nonesuch"), "there is no run 'nonesuch'"), (("label", "human"), "succeeded"),
    (("review", "nonesuch"), "nonesuch"), (("review", "smoke", "--answer", "--write"), "each by itself"),
])  # fmt: skip
def test_bad_input_is_said_with_the_exit_code_2(data: DataFolder, arguments: tuple[str, ...], told: str) -> None:
    done = invoked(*arguments, data=data.root)
    assert done.exit_code == 2 and told in done.stderr, done.stderr


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
def test_the_pages_end_when_told_and_a_kill_loses_nothing(data: DataFolder, end: signal.Signals) -> None:
    command = [sys.executable, str(REPOSITORY / "deskmill.py"), "judge", "human", "agent", "--port", "0"]
    environment = {"PATH": os.environ["PATH"], "DESKMILL_DATA": str(data.root), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        link = re.fullmatch(r"open (http://127\.0\.0\.1:\d+)/enter#([\w-]{32})\n", server.stdout.readline())
        assert link is not None
        address, token = link.groups()
        with httpx.Client(base_url=address, headers={"Origin": address}) as client:
            assert client.get("/").status_code == 403
            assert client.post("/enter", content=token).status_code == 204
            client.post("/name", data={"name": "Ada"})
            item = client.get("/next").headers["location"]
            assert client.post(item, data={"preference": "left"}).status_code == 303
        server.send_signal(end)
        told = server.stdout.read()
        errors = server.stderr.read() if server.stderr else ""
    assert token not in told + errors
    if end == signal.SIGINT:
        assert server.returncode == 0, errors
        assert re.search(r"person +human +person +1\.0000", told), told
    else:
        load_warehouse(data)
    with connect(data.warehouse) as connection:
        assert [row["judge"] for row in rows_of(connection, "from judgements")] == ["Ada"]


def test_the_page_of_documentation_names_every_kind_of_error() -> None:
    page = (REPOSITORY / "docs" / "judging.md").read_text()
    assert re.findall(r"^\| `(\w+)` \| (.+?)(?:: .*)? \| (\w+) \|$", page, re.MULTILINE) == [(one.kind, one.title, one.of) for one in error_kinds()]
