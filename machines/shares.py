"""Equal shares of processor time for the sandboxes of a host: each sandbox is a group, and all groups have the same share.

A group is a control group of Linux if this process may make one. Otherwise it is a session, which the kernel can group by itself: a
sandbox is one session, unless an application in it opens another. The first sandbox tries once what works.
"""

import contextlib
import os
import secrets
import subprocess
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

_PREFIX = "deskmill"
_END_SECONDS = 5.0  # the processes of a killed sandbox are gone within this time
_LIMITS = ("memory.max", "memory.high", "cpu.max")


@cache
def place() -> Path | None:
    """Return the folder in which a control group can be made for each sandbox; None if there is no such folder."""
    mounts, own = Path("/proc/self/mountinfo").read_text(), Path("/proc/self/cgroup").read_text()
    return next((folder for folder in candidates(mounts, own) if _works(folder)), None)


def described() -> str:
    """Return a sentence that tells how processor time is shared out on this host."""
    if place() is not None:
        return "Processor time is shared out evenly between machines, by control groups."
    automatic = Path("/proc/sys/kernel/sched_autogroup_enabled")
    if automatic.is_file() and automatic.read_text().strip() == "1":
        return "Processor time is shared out evenly between machines, by session: no control groups can be made here."
    return "Processor time is not shared out between machines: no control groups can be made here, and kernel.sched_autogroup_enabled is off."


def candidates(mounts: str, own: str) -> Iterator[Path]:
    """Yield folders for control groups with processor time, nearest first, from the text of /proc/self/mountinfo and /proc/self/cgroup.

    In version 2 a group with processes holds no further groups, so ours stand beside it or higher. A group that sets limits is never left.
    """
    paths = {controllers: path for _, controllers, path in (line.split(":", 2) for line in own.splitlines())}
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        root, folder = before.split()[3:5]
        kind, _, options = after.split()
        if kind == "cgroup" and "cpu" in options.split(","):
            path = next((path for controllers, path in paths.items() if "cpu" in controllers.split(",")), "/")
            yield _within(Path(folder), root, path)
        elif kind == "cgroup2" and "" in paths:
            group = _within(Path(folder), root, paths[""])
            while group.is_relative_to(folder):
                if "cpu" in _read(group / "cgroup.subtree_control").split():
                    yield group
                if any(not (_read(group / limit) or "max").startswith("max") for limit in _LIMITS):
                    break
                group = group.parent


def _within(folder: Path, root: str, path: str) -> Path:
    """Return the folder of a group, when only the part of the tree of groups below `root` is mounted."""
    return folder / (path.removeprefix(root) if root != "/" else path).lstrip("/")


def _read(path: Path) -> str:
    return path.read_text() if path.is_file() else ""


def _works(folder: Path) -> bool:
    """Tell whether a process can be put into a new group there. Remove the groups that killed hosts left."""
    for left in folder.glob(f"{_PREFIX}-*"):
        if not Path(f"/proc/{left.name.split('-')[1]}").exists():
            with contextlib.suppress(OSError):
                left.rmdir()
    try:
        group = _made(folder)
    except OSError:
        return False
    done = subprocess.run(joining(group, ["true"]), capture_output=True, check=False)
    leave(group)
    return done.returncode == 0


def make() -> Path | None:
    """Make a new group for a sandbox and return it; None if sessions are used instead."""
    folder = place()
    return None if folder is None else _made(folder)


def _made(folder: Path) -> Path:
    group = folder / f"{_PREFIX}-{os.getpid()}-{secrets.token_hex(4)}"
    group.mkdir()
    return group


def joining(group: Path | None, command: list[str]) -> list[str]:
    """Return the command, wrapped to run in a group."""
    return command if group is None else ["/bin/sh", "-c", 'echo 0 > "$0" && exec "$@"', str(group / "cgroup.procs"), *command]


def leave(group: Path | None) -> None:
    """Remove a group whose processes were killed, as soon as they have ended."""
    until = time.monotonic() + _END_SECONDS
    while group is not None and time.monotonic() < until:
        try:
            group.rmdir()
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(0.01)
        else:
            return
