"""Protects the life of sessions: the oracle plays in several at once, idle ones are closed, and no process or machine outlives the server."""

import signal
import time
from collections.abc import Callable
from pathlib import Path

import httpx
import psutil  # type: ignore[import-untyped]
import pytest

from eval_flows.episodes.environment import WAIT
from eval_flows.episodes.serving.client import Server
from eval_flows.episodes.serving.session import UnknownSession
from eval_flows.episodes.tasks.task import Task
from machines.errors import MachineError
from machines.image import Image
from machines.machine import MachineChoice
from tests.eval_flows.episodes.serving.conftest import TOKEN, running
from tests.eval_flows.episodes.serving.oracle import play_all


def guests(process: int) -> list[psutil.Process]:
    """The guest servers below a process."""
    return [one for one in psutil.Process(process).children(recursive=True) if "machines.guest" in _command(one)]


def _command(process: psutil.Process) -> str:
    """Its command line; nothing for one that has just ended and is not collected yet."""
    try:
        return " ".join(process.cmdline())
    except psutil.NoSuchProcess:  # a zombie among them
        return ""


def processes_of_sessions(process: int) -> list[psutil.Process]:
    """The processes of sessions of a server: its fork server starts them."""
    servers = [one for one in psutil.Process(process).children() if "multiprocessing.forkserver" in _command(one)]
    return [one for server in servers for one in server.children() if one.status() != psutil.STATUS_ZOMBIE]


def held(process: int) -> tuple[int, int, int, int]:
    """What a server holds: processes of sessions, open files, threads, mounts."""
    own = psutil.Process(process)
    return len(processes_of_sessions(process)), own.num_fds(), own.num_threads(), len(Path("/proc/mounts").read_text().splitlines())


def soon(holds: Callable[[], bool]) -> bool:
    """Whether it holds within a minute: the host may be busy."""
    until = time.monotonic() + 60
    while not holds() and time.monotonic() < until:
        time.sleep(0.05)
    return holds()


@pytest.mark.slow(minutes=1)
def test_four_sessions_at_once_play_by_the_oracle_and_leave_nothing(
    image: Image, smoke: list[Task], choice: MachineChoice, pytestconfig: pytest.Config
) -> None:
    """Two episodes in each session with --whole, otherwise one."""
    number = 8 if pytestconfig.getoption("--whole") else 4
    with running(image.machines.parent, "--sessions", "4") as (process, address):
        play_all(address, TOKEN, "smoke", smoke[:1], choice.offers, 1)
        before = held(process.pid)
        played = play_all(address, TOKEN, "smoke", smoke[:number], choice.offers, 4)
        assert len(played) == number and [one for one in played if one.reward != 1] == []
        assert soon(lambda: all(now <= then for now, then in zip(held(process.pid), before, strict=True))), (before, held(process.pid))
        assert guests(process.pid) == processes_of_sessions(process.pid) == []


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
        assert soon(lambda: server.call("GET", "/sessions").json() == []) and soon(
            lambda: not guests(process.pid) + processes_of_sessions(process.pid)
        )
        with pytest.raises(UnknownSession, match="after 4 seconds without a call"):
            environment.step(WAIT)
        assert environment.reset().windows and environment.state.step == 0, "a client goes on in another session"
        environment.close()


@pytest.mark.slow(minutes=0.3)
def test_a_process_that_dies_is_told_and_gives_its_place_back(image: Image) -> None:
    with running(image.machines.parent, "--sessions", "2") as (process, address):
        server = Server(address, TOKEN)
        one, other, third = (server.environment("smoke", "none") for _ in range(3))
        one.reset()
        (killed,) = processes_of_sessions(process.pid)
        machine = guests(process.pid)
        other.reset()
        killed.kill()
        assert soon(lambda: len(server.call("GET", "/sessions").json()) == 1)
        assert third.reset().windows and other.step(WAIT).windows, "its place is free, and the others go on"
        with pytest.raises(MachineError, match=r"died with exit code -9 during 'step'"):
            one.step(WAIT)
        with pytest.raises(UnknownSession):
            one.step(WAIT)
        third.close()
        assert one.reset().windows and one.state.step == 0, "a client goes on in another session"
        assert machine and soon(lambda: not any(guest.is_running() for guest in machine))


@pytest.mark.slow(minutes=0.2)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_no_process_and_no_machine_outlives_the_server(image: Image, number: signal.Signals) -> None:
    with running(image.machines.parent) as (process, address):
        server = Server(address, TOKEN)
        server.environment("smoke", "none").reset()
        there = psutil.Process(process.pid).children(recursive=True)
        assert guests(process.pid) and processes_of_sessions(process.pid)
        process.send_signal(number)
        process.wait(30)
        assert soon(lambda: not any(one.is_running() and one.status() != psutil.STATUS_ZOMBIE for one in there))


def test_a_token_is_made_and_printed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DESKMILL_TOKEN", raising=False)
    with running(tmp_path, token=None) as (process, address):
        assert process.stdout is not None
        name, _, token = process.stdout.readline().strip().partition("=")
        assert name == "DESKMILL_TOKEN" and len(token) >= 32 and "smoke" in Server(address, token).suites()
        fault = httpx.post(f"{address}/sessions", headers={"Authorization": f"Bearer {token}"}, json={"suite": "smoke"}, timeout=60)
        assert fault.status_code == 502 and "deskmill machine build smoke" in fault.json()["error"]
