"""Protects the command that serves the pages: it says two links, keeps a token that the user has set to itself, and says why it cannot listen."""

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.commands import deskmill
from tests.conftest import REPOSITORY

LINK = re.compile(r"(to act|only to watch): (http://127\.0\.0\.1:\d+/)enter#(\S+)")


@pytest.mark.parametrize("token", [None, "a secret of the user"])
def test_it_says_a_link_that_acts_and_one_that_watches(tmp_path: Path, token: str | None) -> None:
    environment = {**os.environ, "DESKMILL_DATA": str(tmp_path), **({"DESKMILL_TOKEN": token} if token else {})}
    command = [sys.executable, str(REPOSITORY / "deskmill.py"), "watch", "--port", "0"]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        found = [LINK.fullmatch(process.stdout.readline().strip()) for _ in range(2)]
        acting, watching = (one.groups() for one in found if one)
        assert (acting[0], watching[0]) == ("to act", "only to watch") and acting[2] != watching[2]
        for given in (token or acting[2], watching[2]):
            answer = httpx.post(f"{acting[1]}enter", content=given, headers={"Origin": acting[1].rstrip("/")}, timeout=60)
            assert answer.status_code == 204
    finally:
        process.terminate()
        output, error = process.communicate(timeout=60)
    assert token is None or token not in f"{acting}{output}{error}"
    assert not [path for path in tmp_path.rglob("*") if path.is_file()], "nothing is written"


def test_a_place_that_is_taken_is_told(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = deskmill("watch", "--port", str(taken.getsockname()[1]), data=tmp_path)
    assert done.returncode == 2 and "choose another --host or --port" in done.stderr


def test_a_person_is_no_agent_of_the_command_for_agents(tmp_path: Path) -> None:
    done = deskmill("episodes", "smoke", "--agent", "person", data=tmp_path)
    assert done.returncode == 2 and "deskmill demonstrate" in done.stderr
