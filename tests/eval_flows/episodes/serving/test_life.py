"""Protects the life of sessions: the oracle plays in several at once, idle ones are closed, and no machine outlives the server."""

import signal
import time
from collections.abc import Callable
from pathlib import Path

import httpx
import psutil  # type: ignore[import-untyped]
import pytest

from eval_flows.episodes.environment import WAIT
from eval_flows.episodes.serving.client import Server
from eval_flows.episodes.serving.sessions import UnknownSession
from eval_flows.episodes.tasks.task import Task
from machines.errors import MachineError
from machines.image import Image
from machines.machine import MachineChoice
from tests.eval_flows.episodes.serving.conftest import TOKEN, running
from tests.eval_flows.episodes.serving.oracle import play_all


def guests(process: int) -> list[psutil.Process]:
    """The guest servers below a process."""
    return [one for one in psutil.Process(process).children(recursive=True) if "machines.guest" in " ".join(one.cmdline())]


def held(process: int) -> tuple[int, int, int]:
    """What a server holds: processes below it, open files, mounts."""
    own = psutil.Process(process)
    return len(own.children(recursive=True)), own.num_fds(), len(Path("/proc/mounts").read_text().splitlines())


def soon(holds: Callable[[], bool]) -> bool:
    """Whether it holds within a minute: the host may be busy."""
    until = time.monotonic() + 60
    while not holds() and time.monotonic() < until:
        time.sleep(0.05)
    return holds()


@pytest.mark.slow(minutes=1)
def test_four_sessions_at_once_play_by_the_oracle_and_leave_nothing(image: Image, smoke: list[Task], choice: MachineChoice) -> None:
    with running(image.machines.parent, "--sessions", "4") as (process, address):
        play_all(address, TOKEN, "smoke", smoke[:1], choice.offers, 1)
        before = held(process.pid)
        played = play_all(address, TOKEN, "smoke", smoke[:8], choice.offers, 4)
        assert len(played) == 8 and [one for one in played if one.reward != 1] == []
        after = held(process.pid)
        assert after[0] == before[0] == 0 and after[2] == before[2]
        assert soon(lambda: held(process.pid)[1] <= before[1]), (before, held(process.pid))


@pytest.mark.slow(minutes=0.3)
def test_an_idle_session_is_closed_and_a_fault_of_a_machine_is_told(image: Image) -> None:
    with running(image.machines.parent, "--idle-seconds", "4") as (process, address):
        server = Server(address, TOKEN)
        environment = server.environment("smoke", "none")
        environment.reset()
        for guest in guests(process.pid):
            guest.kill()
        with pytest.raises(MachineError):
            environment.step(WAIT)
        assert environment.reset().windows, "a session survives the fault of its machine"
        assert soon(lambda: server.call("GET", "/sessions").json() == []) and soon(lambda: held(process.pid)[0] == 0)
        with pytest.raises(UnknownSession, match="after 4 seconds without a call"):
            environment.step(WAIT)
        assert environment.reset().windows and environment.state.step == 0, "a client goes on in another session"
        environment.close()


@pytest.mark.slow(minutes=0.2)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_no_machine_outlives_the_server(image: Image, number: signal.Signals) -> None:
    with running(image.machines.parent) as (process, address):
        server = Server(address, TOKEN)
        server.environment("smoke", "none").reset()
        there = psutil.Process(process.pid).children(recursive=True)
        assert guests(process.pid)
        process.send_signal(number)
        process.wait(30)
        assert soon(lambda: not any(one.is_running() and one.status() != psutil.STATUS_ZOMBIE for one in there))


def test_a_token_is_made_and_printed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DESKMILL_TOKEN", raising=False)
    with running(tmp_path, token=None) as (process, address):
        assert process.stdout is not None
        name, _, token = process.stdout.readline().strip().partition("=")
        assert name == "DESKMILL_TOKEN" and len(token) >= 32 and "smoke" in Server(address, token).suites()
        fault = httpx.post(f"{address}/sessions", headers={"Authorization": f"Bearer {token}"}, json={"suite": "smoke"})
        assert fault.status_code == 502 and "deskmill machine build smoke" in fault.json()["error"]
