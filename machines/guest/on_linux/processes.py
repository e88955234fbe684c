"""Processes of the guest: each has a process group and limits, and is reaped here, since the guest server is process 1.

All stay in one session: if the kernel shares out processor time by session, a machine has one share, no matter how much runs in it.
"""

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

_PAGE = os.sysconf("SC_PAGE_SIZE")
_MOST_SAID = 16 * 2**20  # the most bytes of a command's output
_LOOK_EVERY = 0.2  # seconds at least between two checks of the memory in use
_FASTEST = 4 * 2**30  # bytes a second that programs can fill: what is far below the limit need not be looked at so soon
_MOST_LEFT = 60  # processes: a browser has some thirty
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

    def run(
        self, command: Sequence[str], env: Mapping[str, str], seconds: float, ends_forks: bool = False, **options: Any
    ) -> "subprocess.CompletedProcess[bytes]":
        """Run a command until it ends and return its output; `subprocess.TimeoutExpired` with the output so far after killing its group.

        `ends_forks` ends the forks that a command leaves, and everything that it leaves if that is very much; programs that it started stay.
        The output goes to memory and not through pipes: a pipe would stay open as long as a process that the command left in the background.
        """
        with memory_file() as output, memory_file() as error:
            process = self.start(command, env, stdout=output, stderr=error, **options)
            try:
                process.wait(seconds)
            except subprocess.TimeoutExpired:
                end_group(process)
                process.wait()
                raise subprocess.TimeoutExpired(process.args, seconds, said_in(output), said_in(error)) from None
            if ends_forks:
                end_forks(process, command)
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
        most = self.limits.memory_mb * 2**20
        while True:
            by_process, segments = memory_held(), idle_segments()
            held = sum(by_process.values()) + sum(segments.values())
            if held > most:
                if segments:
                    subprocess.run(["ipcrm", *(f"--shmem-id={one}" for one in segments)], check=False, stderr=subprocess.DEVNULL)
                else:
                    with_own_error(os.kill, max(by_process, key=lambda pid: by_process[pid]), signal.SIGKILL)
                self.ended_for_memory += 1
            time.sleep(max(_LOOK_EVERY, (most - held) / _FASTEST))


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
    for process in _others():
        with contextlib.suppress(IndexError):  # it has just ended
            found[process] = int(_read(f"/proc/{process}/statm").split()[1]) * _PAGE + _in_memory_files(f"/proc/{process}/fd", seen)
    return found


def _in_memory_files(descriptors: str, seen: set[int]) -> int:
    """Return the bytes in the memory files among open descriptors that were not seen yet."""
    size = 0
    with contextlib.suppress(OSError), os.scandir(descriptors) as entries:  # the process may have just ended
        for one in entries:
            with contextlib.suppress(OSError):  # the descriptor was closed meanwhile
                file = one.stat()
                if file.st_dev == _of_memory_files():
                    size += file.st_blocks * 512 * (file.st_ino not in seen)
                    seen.add(file.st_ino)
    return size


@cache
def _of_memory_files() -> int:
    """Return the number of the device on which the kernel keeps memory files."""
    with memory_file() as file:
        return os.fstat(file.fileno()).st_dev


def is_anyone_busy(but: Collection[int] = ()) -> bool:
    """Tell whether a process runs, or waits for a processor or a disk, by the state of its first thread.

    Process 1 and those in `but` do not count.
    """
    return any(process not in but and _state(process) in (b"R", b"D") for process in _others())


def _state(process: int) -> bytes:
    """Return the letter of a process's state; nothing if it has ended."""
    return _read(f"/proc/{process}/stat").rpartition(b") ")[2][:1]


def _read(path: str) -> bytes:
    """Return the beginning of a file of a process; nothing if it has ended. All are read many times a second, and a file of Python's costs thrice."""
    try:
        file = os.open(path, os.O_RDONLY)
    except OSError:
        return b""
    try:
        return os.read(file, 512)
    except OSError:
        return b""
    finally:
        os.close(file)


def _others() -> Iterator[int]:
    """Yield the numbers of all processes except process 1."""
    with os.scandir("/proc") as entries:
        yield from (int(one.name) for one in entries if one.name.isdigit() and one.name != "1")


def idle_segments() -> dict[int, int]:
    """Return the bytes of each shared segment that no process has mapped, by its number: it takes memory, and stays when its maker ends."""
    header, *lines = Path("/proc/sysvipc/shm").read_text().splitlines()
    rows = [dict(zip(header.split(), map(int, line.split()), strict=True)) for line in lines]
    return {row["shmid"]: row["rss"] for row in rows if row["nattch"] == 0}


def end_group(process: "subprocess.Popen[bytes]") -> None:
    """Kill the process and every process that is still in its group."""
    with_own_error(os.killpg, process.pid, signal.SIGKILL)


def end_forks(process: "subprocess.Popen[bytes]", command: Sequence[str]) -> None:
    """Kill what is left of the group of a process that has ended: what still has its command line, or all, if nobody can mean to leave so much.

    The group is stopped first: otherwise it could fork faster than it is killed.
    """
    if not _in_group(process.pid):
        return
    with_own_error(os.killpg, process.pid, signal.SIGSTOP)
    left = _in_group(process.pid)
    own = "\0".join(command).encode() + b"\0"
    for one in left:
        if len(left) > _MOST_LEFT or _command_line(one) == own:
            with_own_error(os.kill, one, signal.SIGKILL)
    with_own_error(os.killpg, process.pid, signal.SIGCONT)


def _in_group(group: int) -> list[int]:
    found = []
    for process in _others():
        fields = _read(f"/proc/{process}/stat").rpartition(b") ")[2].split()  # its state, its parent, its group
        if len(fields) > 2 and int(fields[2]) == group and fields[0] != b"Z":
            found.append(process)
    return found


def _command_line(process: int) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""


def with_own_error(kill: Any, *arguments: int) -> None:
    """Call a function that kills; ignore that there is nothing left to kill."""
    try:
        kill(*arguments)
    except (ProcessLookupError, PermissionError):
        return
