"""Images for other hosts: packed into one file in the folder of machines, and unpacked once a host, after their hash is checked.

The hosts of a run share the data folder, which is often far away. A host that sets `DESKMILL_MACHINES` to a folder of its own plays on images that
lie there.
"""

import gzip
import hashlib
import logging
import os
import secrets
import shutil
import socket
import tarfile
import tempfile
import time
import zlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from pydantic import BaseModel, ConfigDict, ValidationError

from machines.build import locked, use
from machines.errors import MachineError, MachineNeeds
from machines.image import Image, find_image
from machines.machine import MachineChoice

OWN_FOLDER = "DESKMILL_MACHINES"
_KINDS = ("sandbox",)  # whose images are packed: a disk of a virtual machine is made for the processor of its host
_COMPRESSION = 1  # of nine: packing and unpacking wait for the processor, not for the disk
_HOST = 32  # characters of a host's name: names of files may have 255 bytes
_LOG = logging.getLogger("deskmill")


class Packed(BaseModel):
    """What a packed image holds: the names of its root file system and home folder, and the SHA-256 of the file."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    image: str
    root: str
    home: str
    sha256: str


def pack(image: Image) -> Path:
    """Pack an image that is built, and return the file; one that is there is kept. `MachineNeeds` if it is not built."""
    image.check_built()
    path = _archive(image)
    path.parent.mkdir(exist_ok=True)
    with locked(path.parent / ".lock"):
        for left in path.parent.glob(".*.tmp"):  # of a command that was killed
            left.unlink()
        if not (path.is_file() and _described(path).is_file()):
            digest = _pack(image, path)
            described = Packed(image=image.name, root=image.root.name, home=image.home.name, sha256=digest)
            aside = _aside(path)
            aside.write_text(described.model_dump_json(indent=1) + "\n")
            aside.replace(_described(path))  # last: it says that the file is whole
    return path


def _pack(image: Image, path: Path) -> str:
    """Write the file of an image, and return its hash."""
    aside = _aside(path)
    try:
        with aside.open("wb") as file:
            hashed = _Hashed(file)
            with (
                gzip.GzipFile("", "wb", _COMPRESSION, hashed, mtime=0) as small,
                tarfile.open(fileobj=small, mode="w|") as archive,
            ):
                archive.add(image.root, f"roots/{image.root.name}")
                archive.add(image.home, f"homes/{image.home.name}")
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)
    return hashed.digest


def on_this_host(choice: MachineChoice, environment: Mapping[str, str] = os.environ) -> MachineChoice:
    """Return the choice with the images of this host, unpacked if they were not yet; the same where the host has no folder of its own.

    `MachineNeeds` if the image is not packed. `MachineError` if the file is not what it was when it was packed.
    """
    own = environment.get(OWN_FOLDER)
    if not own or choice.kind not in _KINDS:
        return choice
    unpack(find_image(choice.image, choice.folder), Path(own))
    return replace(choice, folder=Path(own))


def unpack(shared: Image, own: Path) -> None:
    """Unpack an image of a shared folder of machines into a folder of this host, unless it is there."""
    shared.check_built()
    own.mkdir(parents=True, exist_ok=True)
    with locked(own / ".lock"):
        for left in own.glob(".unpacked.*.tmp"):  # of a worker that was killed: whoever holds the lock unpacks alone
            shutil.rmtree(left, ignore_errors=True)
        if not _is_there(shared, own):
            begun = time.monotonic()
            _unpack(shared, own)
            # a warning, since a log that nobody has set up shows nothing less
            _LOG.warning("the image '%s' was unpacked into %s in %.1f s; this host does it once", shared.name, own, time.monotonic() - begun)
        use(replace(find_image(shared.name, own), identity=shared.root.name))


def _is_there(shared: Image, own: Path) -> bool:
    return (own / "roots" / shared.root.name).is_dir() and (own / "homes" / shared.home.name).is_dir()


def _unpack(shared: Image, own: Path) -> None:
    path = _archive(shared)
    try:
        described = Packed.model_validate_json(_described(path).read_text())
        file = path.open("rb")
    except FileNotFoundError:
        raise MachineNeeds(f"the image '{shared.name}' is not packed for other hosts: deskmill machine pack {shared.name}") from None
    except ValidationError as error:
        raise MachineError(f"{_described(path)} is damaged ({error.errors()[0]['msg']}): remove it, and pack the image again") from error
    aside = Path(tempfile.mkdtemp(prefix=".unpacked.", suffix=".tmp", dir=own))
    try:
        with file:
            digest = _extracted(file, path, aside)
        if digest != described.sha256:
            raise MachineError(_damaged(path, "its hash is another"))
        for kind, name in (("roots", described.root), ("homes", described.home)):
            (own / kind).mkdir(exist_ok=True)
            if not (own / kind / name).is_dir():
                (aside / kind / name).rename(own / kind / name)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _extracted(file: BinaryIO, path: Path, folder: Path) -> str:
    """Unpack the file into a folder, and return its hash; `MachineError` if that is not possible."""
    hashed = _Hashed(file)
    try:
        with gzip.GzipFile("", "rb", fileobj=hashed) as small, tarfile.open(fileobj=small, mode="r|") as archive:
            archive.extractall(folder, filter="tar")
        while hashed.read(2**20):  # what follows the end of the archive
            pass
    except (tarfile.TarError, EOFError, OSError, ValueError, zlib.error) as error:
        if isinstance(error, OSError) and error.errno is not None:  # of this host: its disk is full, for example
            raise MachineError(f"{path} cannot be unpacked into {folder.parent}: {error.strerror}") from error
        raise MachineError(_damaged(path, f"{type(error).__name__}: {error}")) from error
    return hashed.digest


def _damaged(path: Path, why: str) -> str:
    return f"{path} is not what was packed ({why}): remove it and {_described(path).name} beside it, and pack the image again"


def _archive(image: Image) -> Path:
    return image.machines / "packed" / f"{image.root.name}.{image.home.name}.tar.gz"


def _described(archive: Path) -> Path:
    return archive.with_suffix(".json")


def _aside(path: Path) -> Path:
    """Return a temporary path beside `path` that no other process has, on this host or on another that shares the folder."""
    return path.with_name(f".{path.name}.{socket.gethostname()[:_HOST]}.{secrets.token_hex(8)}.tmp")


class _Hashed:
    """A file whose bytes are hashed as they pass."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._hash = hashlib.sha256()

    @property
    def digest(self) -> str:
        """Return the hash of what has passed."""
        return self._hash.hexdigest()

    def read(self, size: int = -1) -> bytes:
        """Read and hash."""
        content = self._file.read(size)
        self._hash.update(content)
        return content

    def write(self, content: bytes) -> int:
        """Write and hash."""
        self._hash.update(content)
        return self._file.write(content)

    def flush(self) -> None:
        """Pass on what is written."""
        self._file.flush()
