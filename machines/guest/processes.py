"""Processes of the guest: each in a process group of its own, under limits, and reaped here, since the guest server is process 1.

All stay in one session: where the kernel shares processor time out by session, a machine has one share, however much runs in it.
"""

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

_PAGE = os.sysconf("SC_PAGE_SIZE")
_MOST_SAID = 16 * 2**20  # bytes of what a command says
_LOOK_EVERY = 0.2  # seconds between two looks at how much memory is used
_BELOW = 10  # niceness of applications: what spins leaves processor time to the guest server and to the desktop


@dataclass(frozen=True)
class Limits:
    """What the agent's processes may use together, and one of them alone."""

    processes: int
    memory_mb: int

    def around(self, command: Sequence[str]) -> list[str]:
        """The command with its limits set before it starts. Address space is not limited: browsers reserve terabytes."""
        data = self.memory_mb * 2**20
        return ["prlimit", f"--nproc={self.processes}", f"--data={data}", "--core=0", "--", *command]


class Processes:
    """Starts processes, reaps every orphan, and ends the largest process when all together use too much memory."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.ended_for_memory = 0
        self._own: dict[int, subprocess.Popen[bytes]] = {}
        self._lock = threading.Lock()

    def watch(self) -> None:
        """Start reaping and watching memory."""
        threading.Thread(target=self._reap, name="reaper", daemon=True).start()
        threading.Thread(target=self._watch_memory, name="memory", daemon=True).start()

    def start(self, command: Sequence[str], env: Mapping[str, str], niceness: int = _BELOW, **options: Any) -> "subprocess.Popen[bytes]":
        """Start a command under the limits, with nothing to read from unless `stdin` is given."""
        options.setdefault("stdin", subprocess.DEVNULL)
        with self._lock:
            limited = ["nice", f"--adjustment={niceness}", *self.limits.around(command)]
            process = subprocess.Popen(limited, env=dict(env), process_group=0, **options)
            self._own[process.pid] = process
        return process

    def run(self, command: Sequence[str], env: Mapping[str, str], seconds: float, **options: Any) -> "subprocess.CompletedProcess[bytes]":
        """Run a command to its end and keep what it says; `subprocess.TimeoutExpired` once its whole process group was killed.

        What it says goes to memory and not through pipes: those would stay open as long as anything that it left in the background.
        """
        with memory_file() as output, memory_file() as error:
            process = self.start(command, env, stdout=output, stderr=error, **options)
            try:
                process.wait(seconds)
            except subprocess.TimeoutExpired:
                end_group(process)
                process.wait()
                raise
            return subprocess.CompletedProcess(process.args, process.returncode, said_in(output), said_in(error))

    def _reap(self) -> None:
        """Take the status of processes that nobody else waits for; those of `start` are left to their `Popen`."""
        while True:
            try:
                found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)
            except ChildProcessError:
                time.sleep(0.05)
                continue
            if found is None:
                continue
            with self._lock:
                own = self._own.get(found.si_pid)
                if own is None:
                    os.waitpid(found.si_pid, os.WNOHANG)
                elif own.poll() is not None:
                    del self._own[found.si_pid]
            if own is not None and own.returncode is None:
                time.sleep(0.01)  # somebody is in `wait` and takes it in a moment

    def _watch_memory(self) -> None:
        while True:
            by_process, segments = memory_held(), idle_segments()
            if sum(by_process.values()) + sum(segments.values()) > self.limits.memory_mb * 2**20:
                if segments:
                    subprocess.run(["ipcrm", *(f"--shmem-id={one}" for one in segments)], check=False, stderr=subprocess.DEVNULL)
                else:
                    with_own_error(os.kill, max(by_process, key=lambda pid: by_process[pid]), signal.SIGKILL)
                self.ended_for_memory += 1
            time.sleep(_LOOK_EVERY)


def memory_file() -> BinaryIO:
    """A file that is in memory alone, and gone once it is closed."""
    return os.fdopen(os.memfd_create("said"), "w+b")


def said_in(file: BinaryIO) -> bytes:
    """What was written to a file, by whomever."""
    return os.pread(file.fileno(), min(os.fstat(file.fileno()).st_size, _MOST_SAID), 0)


def memory_held() -> dict[int, int]:
    """Bytes by process, without process 1: what is resident (shared memory that is mapped counts for each), and what lies in memory files.

    A memory file need not be mapped to take memory; it counts for one of those who hold it open.
    """
    found: dict[int, int] = {}
    seen: set[int] = set()
    for place in _others():
        with contextlib.suppress(OSError, IndexError):  # it has just ended
            found[int(place.name)] = int((place / "statm").read_text().split()[1]) * _PAGE
            found[int(place.name)] += _in_memory_files(place / "fd", seen)
    return found


def _in_memory_files(descriptors: Path, seen: set[int]) -> int:
    """Bytes in the memory files among open descriptors that were not seen yet."""
    size = 0
    for one in descriptors.iterdir():
        with contextlib.suppress(OSError):  # closed meanwhile
            if str(one.readlink()).startswith("/memfd:"):
                file = one.stat()
                size += file.st_blocks * 512 * (file.st_ino not in seen)
                seen.add(file.st_ino)
    return size


def is_anyone_busy() -> bool:
    """Whether a process without process 1 runs, waits for a processor or for a disk, as its first thread tells."""
    for place in _others():
        with contextlib.suppress(OSError):  # it has just ended
            if (place / "stat").read_text().rpartition(") ")[2][0] in "RD":
                return True
    return False


def _others() -> Iterator[Path]:
    """The folders of all processes but process 1."""
    return (place for place in Path("/proc").iterdir() if place.name.isdigit() and place.name != "1")


def idle_segments() -> dict[int, int]:
    """Bytes of the shared segments that no process has mapped, by their number: they take memory, and stay when their maker ends."""
    header, *lines = Path("/proc/sysvipc/shm").read_text().splitlines()
    rows = [dict(zip(header.split(), map(int, line.split()), strict=True)) for line in lines]
    return {row["shmid"]: row["rss"] for row in rows if row["nattch"] == 0}


def end_group(process: "subprocess.Popen[bytes]") -> None:
    """Kill the process and all of its process group that did not leave it."""
    with_own_error(os.killpg, process.pid, signal.SIGKILL)


def with_own_error(kill: Any, *arguments: int) -> None:
    """Call a function that kills; that there is nothing left to kill is fine."""
    try:
        kill(*arguments)
    except (ProcessLookupError, PermissionError):
        return
