"""Whether a worker has the code of the client: the version of Deskmill, a hash of its files, and Python. Others would make other bytes."""

import hashlib
import platform
from collections.abc import Callable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from runners.errors import RunnerError

ROOMS = ("atomic_tasks", "compositions", "eval_flows", "flows", "language_models", "machines", "narrators", "retrieval", "runners", "warehouse")
"""The folders whose code and declarations items are made by."""
_SUFFIXES = {".py", ".yaml", ".csv", ".sql", ".j2"}
_ROOT = Path(__file__).parents[1]

Code = dict[str, str]


@cache
def own_code() -> Code:
    """What must be the same on all hosts, by what it is called in a message."""
    content = hashlib.blake2b(digest_size=8)
    for path in sorted(path for room in ROOMS for path in (_ROOT / room).rglob("*") if path.suffix in _SUFFIXES):
        content.update(str(path.relative_to(_ROOT)).encode() + b"\0" + path.read_bytes())
    return {"Deskmill": _version(), "a hash of its code": content.hexdigest(), "Python": ".".join(platform.python_version_tuple()[:2])}


def _version() -> str:
    try:
        return version("deskmill")
    except PackageNotFoundError:
        return "not installed"


def refuse_other(theirs: Code, worker: str, mine: Code | None = None) -> None:
    """Raise `RunnerError` if the code of a worker is not the client's (default: that of this process)."""
    differing = "; ".join(f"{name}: {theirs[name]} there, {here} here" for name, here in (mine or own_code()).items() if theirs[name] != here)
    if differing:
        raise RunnerError(
            f"the worker {worker} has other code of Deskmill than this host ({differing}), so it would make other bytes. "
            "Install the same version on all hosts, start the workers again, and run the same command again"
        )


class WithCode:
    """A function that a worker carries out only if it has the code that the client has; `RunnerError` at once otherwise."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self._function = function
        self._code = own_code()

    def __call__(self, item: Any) -> Any:
        """Check and apply; the check is made once a worker."""
        refuse_other(own_code(), platform.node(), self._code)
        return self._function(item)
