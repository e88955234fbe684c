"""What the commands of the campaign need beside them, as processes that can be killed: a scheduler of Dask with workers, and a server of Prefect."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]

from tests.commands import free_port
from tests.conftest import REPOSITORY

_COMES_WITHIN = 240.0  # seconds; on a busy host the first start of Prefect's server takes minutes
_PLAIN = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}


def environment(**more: str) -> dict[str, str]:
    """The environment of what the campaign starts."""
    return {**_PLAIN, "HF_HUB_OFFLINE": "1", "PREFECT_SERVER_ANALYTICS_ENABLED": "false", "DO_NOT_TRACK": "1", **more}


class Scheduler:
    """A scheduler of Dask with two workers; it comes back at the same address."""

    def __init__(self) -> None:
        self.address = f"tcp://127.0.0.1:{free_port()}"
        self._processes: list[subprocess.Popen[bytes]] = []
        self.start()

    def start(self) -> None:
        """Start both, and wait until the scheduler listens."""
        host, port = self.address.removeprefix("tcp://").split(":")
        self._begin("scheduler", "--host", host, "--port", port, "--no-dashboard")
        until = time.monotonic() + _COMES_WITHIN
        while socket.socket().connect_ex((host, int(port))) != 0 and time.monotonic() < until:
            time.sleep(0.1)
        self._begin("worker", self.address, "--nworkers", "2", "--nthreads", "1", "--resources", "machine=1", "--no-dashboard")

    def _begin(self, *words: str) -> None:
        self._processes.append(_started("dask", *words, with_environment=environment()))

    def kill(self) -> bool:
        """Kill the scheduler and its workers, and start them again."""
        self.stop()
        self.start()
        return True

    def kill_worker(self) -> bool:
        """Kill one process that does items; its nanny starts another. False if there is none, since a nanny is just starting it."""
        nannies = psutil.Process(self._processes[-1].pid)
        return kill_one([one for one in nannies.children() if "spawn_main" in " ".join(command_line(one))])

    def stop(self) -> None:
        """End both."""
        for process in reversed(self._processes):
            _end(process)
        self._processes.clear()


@contextlib.contextmanager
def prefect(folder: Path) -> Iterator[Mapping[str, str]]:
    """Run a server of Prefect; yield the environment in which flows find it."""
    port = free_port()
    found = {"PREFECT_HOME": str(folder / "prefect"), "PREFECT_API_URL": f"http://127.0.0.1:{port}/api"}
    server = _started("prefect", "server", "start", "--host", "127.0.0.1", "--port", str(port), with_environment=environment(**found))
    try:
        until = time.monotonic() + _COMES_WITHIN
        while not _answers(f"{found['PREFECT_API_URL']}/health"):
            if server.poll() is not None or time.monotonic() > until:
                raise RuntimeError("no server of Prefect came up")
            time.sleep(0.5)
        yield found
    finally:
        _end(server)


def workers_below(process: int) -> list[Any]:
    """The processes in which a command does its items: those of Dask and Prefect are spawned, those of a pool come from a fork server."""
    try:
        below = psutil.Process(process).children(recursive=True)
    except psutil.Error:
        return []
    told = [(one, " ".join(command_line(one))) for one in below]
    return [one for one, command in told if "spawn_main" in command or ("forkserver" in command and _parent(one) != process)]


def kill_one(processes: list[Any]) -> bool:
    """Kill the first of some processes that still runs; False if there is none."""
    for one in processes:
        with contextlib.suppress(psutil.Error):
            one.kill()
            return True
    return False


def command_line(process: Any) -> list[str]:
    """The words of a process; none if it has ended."""
    try:
        return list(process.cmdline())
    except psutil.Error:
        return []


def _parent(process: Any) -> int | None:
    try:
        return int(process.ppid())
    except psutil.Error:
        return None


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2) as response:
            return bool(response.status == 200)
    except OSError:
        return False


def _started(program: str, *words: str, with_environment: dict[str, str]) -> "subprocess.Popen[bytes]":
    command = [str(Path(sys.executable).with_name(program)), *words]
    quiet = subprocess.DEVNULL
    return subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet, cwd=REPOSITORY, env=with_environment, process_group=0)


def _end(process: "subprocess.Popen[bytes]") -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
