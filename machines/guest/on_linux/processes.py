"""Processes of the guest: each has a process group and limits, and is reaped here, since the guest server is process 1.

All stay in one session: if the kernel shares out processor time by session, a machine has one share, no matter how much runs in it.
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
_MOST_SAID = 16 * 2**20  # the most bytes of a command's output
_LOOK_EVERY = 0.2  # seconds between two checks of the memory in use
_BELOW = 10  # niceness of applications: a busy one leaves processor time to the guest server and to the desktop


@dataclass(frozen=True)
class Limits:
    """The limits of the agent's processes together, and of each one alone."""

    processes: int
    memory_mb: int

    def around(self, command: Sequence[str]) -> list[str]:
        """Return the command with its limits, which are set before it starts. Address space is not limited: browsers reserve terabytes."""
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
        """Start a command under the limits; it has nothing to read unless `stdin` is given."""
        options.setdefault("stdin", subprocess.DEVNULL)
        with self._lock:
            limited = ["nice", f"--adjustment={niceness}", *self.limits.around(command)]
            process = subprocess.Popen(limited, env=dict(env), process_group=0, **options)
            self._own[process.pid] = process
        return process

    def run(self, command: Sequence[str], env: Mapping[str, str], seconds: float, **options: Any) -> "subprocess.CompletedProcess[bytes]":
        """Run a command until it ends and return its output; `subprocess.TimeoutExpired` after killing its whole process group.

        The output goes to memory and not through pipes: a pipe would stay open as long as a process that the command left in the background.
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
        """Take the exit status of processes that nobody else waits for; the processes of `start` belong to their `Popen`."""
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
                time.sleep(0.01)  # another thread is in `wait` and takes it in a moment

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
    """Return a file that exists in memory only, and is gone once it is closed."""
    return os.fdopen(os.memfd_create("said"), "w+b")


def said_in(file: BinaryIO) -> bytes:
    """Return everything that was written to a file, by any process."""
    return os.pread(file.fileno(), min(os.fstat(file.fileno()).st_size, _MOST_SAID), 0)


def memory_held() -> dict[int, int]:
    """Return the bytes of memory by process, without process 1: resident memory (mapped shared memory counts for each) and memory files.

    A memory file takes memory even if it is not mapped; it counts for one of the processes that hold it open.
    """
    found: dict[int, int] = {}
    seen: set[int] = set()
    for place in _others():
        with contextlib.suppress(OSError, IndexError):  # the process has just ended
            found[int(place.name)] = int((place / "statm").read_text().split()[1]) * _PAGE
            found[int(place.name)] += _in_memory_files(place / "fd", seen)
    return found


def _in_memory_files(descriptors: Path, seen: set[int]) -> int:
    """Return the bytes in the memory files among open descriptors that were not seen yet."""
    size = 0
    for one in descriptors.iterdir():
        with contextlib.suppress(OSError):  # the descriptor was closed meanwhile
            if str(one.readlink()).startswith("/memfd:"):
                file = one.stat()
                size += file.st_blocks * 512 * (file.st_ino not in seen)
                seen.add(file.st_ino)
    return size


def is_anyone_busy() -> bool:
    """Tell whether a process other than process 1 runs, or waits for a processor or a disk, by the state of its first thread."""
    for place in _others():
        with contextlib.suppress(OSError):  # the process has just ended
            if (place / "stat").read_text().rpartition(") ")[2][0] in "RD":
                return True
    return False


def _others() -> Iterator[Path]:
    """Yield the folders of all processes except process 1."""
    return (place for place in Path("/proc").iterdir() if place.name.isdigit() and place.name != "1")


def idle_segments() -> dict[int, int]:
    """Return the bytes of each shared segment that no process has mapped, by its number: it takes memory, and stays when its maker ends."""
    header, *lines = Path("/proc/sysvipc/shm").read_text().splitlines()
    rows = [dict(zip(header.split(), map(int, line.split()), strict=True)) for line in lines]
    return {row["shmid"]: row["rss"] for row in rows if row["nattch"] == 0}


def end_group(process: "subprocess.Popen[bytes]") -> None:
    """Kill the process and every process that is still in its group."""
    with_own_error(os.killpg, process.pid, signal.SIGKILL)


def with_own_error(kill: Any, *arguments: int) -> None:
    """Call a function that kills; ignore that there is nothing left to kill."""
    try:
        kill(*arguments)
    except (ProcessLookupError, PermissionError):
        return
