"""Shared by the tests of serving: the tasks of `smoke`, a choice of the small machine, and a server that runs as its command runs it."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from eval_flows.episodes.serving.client import Server
from eval_flows.episodes.tasks.suite import tasks_of
from eval_flows.episodes.tasks.task import Task
from machines.image import Image
from machines.machine import MachineChoice
from tests.conftest import REPOSITORY

TOKEN = "a token of tests"


@pytest.fixture(scope="session")
def smoke() -> list[Task]:
    return tasks_of("smoke")


@pytest.fixture(scope="session")
def choice(image: Image) -> MachineChoice:
    return MachineChoice("sandbox", "smoke", image.machines)


@contextmanager
def running(data: Path, *options: str, token: str | None = TOKEN) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """`deskmill serve` on a free port: the process and its address."""
    command = [sys.executable, str(REPOSITORY / "deskmill.py"), "serve", "--port", "0", *options]
    environment = {**os.environ, "DESKMILL_DATA": str(data), **({"DESKMILL_TOKEN": token} if token else {})}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process, process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait(30)
        process.stdout.close()


@pytest.fixture(scope="module")
def address(image: Image) -> Iterator[str]:
    """The address of a server for the tests of a module."""
    with running(image.machines.parent, "--sessions", "2", "--steps", "6") as (_, found):
        yield found


@pytest.fixture
def server(address: str) -> Iterator[Server]:
    found = Server(address, TOKEN)
    yield found
    found.close()
