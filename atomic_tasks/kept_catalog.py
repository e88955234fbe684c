"""What is declared as it was read and checked, kept for the next command: that takes seconds of a processor, to read what is kept some tenths.

It lies in the folder of caches of the user. Its name is a hash of all files that it was made from, code included, so it is never out of date. What
cannot be read or written counts as not kept. Nothing is kept of files that change meanwhile, or by code that is no longer the one on the disk.
"""

import contextlib
import hashlib
import os
import pickle
import platform
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TypeVar

Read = TypeVar("Read")
_READ_FROM = {".py", ".yaml", ".csv"}
_CODE = Path(__file__).parent
_BEGUN = time.time()  # when this process imported its code
_MOST = 4  # of several checkouts; the oldest goes
_LEFT_FOR = 86_400.0  # seconds after which a temporary file is one of a command that was killed


def kept(name: str, roots: Sequence[Path], read: Callable[[], Read], is_sound: Callable[[Read], bool], beside: str = "") -> Read:
    """Return what `read` makes of the files in some folders, or made of them before; only what is sound is kept.

    `beside` says what else the result depends on.
    """
    made_from = _hash(roots, beside)
    if made_from is None:
        return read()
    path = _folder() / f"{name}.{made_from}.pickle"
    with contextlib.suppress(Exception):  # not there, or damaged in any way
        found: Read = pickle.loads(path.read_bytes())
        with contextlib.suppress(OSError):  # a folder that cannot be written
            os.utime(path)  # what is used is not the oldest
        return found
    made = read()
    if is_sound(made) and _hash(roots, beside) == made_from:
        with contextlib.suppress(OSError):  # a folder that cannot be written
            _write(path, pickle.dumps(made, pickle.HIGHEST_PROTOCOL))
    return made


def _folder() -> Path:
    home = os.environ.get("HOME") or os.devnull  # no folder can be made there: without a home nothing is kept
    return Path(os.environ.get("XDG_CACHE_HOME") or Path(home, ".cache"), "deskmill")


def _hash(roots: Sequence[Path], beside: str) -> str | None:
    """Return a hash of all that a result is made from; None if a file cannot be read, or if code is newer than what this process runs."""
    made_from = hashlib.blake2b(f"{platform.python_version()} {version('pydantic')} {beside}\n".encode(), digest_size=8)
    try:
        for path in sorted({*_CODE.rglob("*.py"), *(path for root in roots for path in root.rglob("*") if path.suffix in _READ_FROM)}):
            if path.suffix == ".py" and path.stat().st_mtime > _BEGUN:
                return None
            content = path.read_bytes()
            made_from.update(f"{path} {len(content)}\n".encode() + content)
    except OSError:  # whoever reads it next says which file that is
        return None
    return made_from.hexdigest()


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    name = path.name.partition(".")[0]
    for left in path.parent.glob(f".{name}.*"):
        if time.time() - left.stat().st_mtime > _LEFT_FOR:
            left.unlink(missing_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    others = sorted(path.parent.glob(f"{name}.*.pickle"), key=lambda one: one.stat().st_mtime)
    for old in others[:-_MOST]:
        old.unlink(missing_ok=True)
