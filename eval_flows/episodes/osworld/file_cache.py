"""The local cache of the files that tasks fetch: a folder that a person can fill by hand, or that is filled from the addresses.

A file lies at its address: `https://host/a/b.xlsx` at `host/a/b.xlsx`, with its query behind a question mark if it has one (as `wget -x` writes it);
or, if the name cannot be written so, at `by_hash/<SHA-256 of the address>`. `manifest.json` keeps the SHA-256 of each file by its address; an entry
may say by `file` that it lies elsewhere in the folder, and by `stand_in` that it stands in for the file of the address.
"""

import contextlib
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import httpx
from pydantic import TypeAdapter, ValidationError

from atomic_tasks.problems import BadInput
from atomic_tasks.schema import Declared
from eval_flows.episodes.osworld.archives import harm_of
from eval_flows.episodes.osworld.safe_paths import is_inside
from warehouse.layout import written_file

if TYPE_CHECKING:
    from eval_flows.episodes.osworld.stand_ins.declared import Made

LARGEST = 256 * 2**20  # bytes; a guest takes no larger file
_MADE = "made/"  # the folder of what is made, in the folder of the cache
_SECONDS, _REDIRECTS, _PIECE = 60.0, 5, 2**20


class BadFile(ValueError):
    """A file of the cache that must not be used; the text says what is wrong and what to do."""


class Kept(Declared):
    """What the manifest keeps of a file. A stand-in has the shape of the file that the address has, and not its content."""

    sha256: str
    bytes: int
    file: str | None = None
    stand_in: bool = False


_MANIFEST = TypeAdapter(dict[str, Kept])


@dataclass
class FileCache:
    """The cache in a folder. `fetch` gets the content of an address from the network, `make` a stand-in for it, if there is one.

    Without both, only what is there is found. The file itself counts before a stand-in, once somebody puts it there, or once it is fetched.
    """

    folder: Path
    fetch: Callable[[str, Path], None] | None = None
    make: "Callable[[str], Made | None] | None" = None
    kept: dict[str, Kept] = field(default_factory=dict)

    @classmethod
    def of(cls, folder: Path, may_fetch: bool = False, may_make: bool = False) -> "FileCache":
        """Return the cache of a folder, which need not exist; `BadInput` if its manifest is broken."""
        made = cls(folder, fetch_file if may_fetch else None, kept=read_kept(folder / "manifest.json"))
        if may_make:
            from eval_flows.episodes.osworld.stand_ins.declared import made_for  # writers of a dozen formats

            made.make = made_for
        return made

    def found(self, address: str) -> tuple[Path, Kept] | None:
        """Return the file of an address and what is kept of it; None if the cache lacks it.

        `BadFile` if it climbs out, is too large, does harm as an archive, or has another hash than the manifest says.
        """
        known = self.kept.get(address)
        if known is not None and known.stand_in and self._place(address, None) is not None:
            known = None
        path = self._place(address, known)
        if path is None:
            return None
        if not path.resolve().is_relative_to(self.folder.resolve()):
            raise BadFile(f"'{path.relative_to(self.folder)}' leads out of the cache folder: put the file itself there")
        if path.stat().st_size > LARGEST:
            raise BadFile(f"the file has {path.stat().st_size} bytes, but at most {LARGEST} are taken: leave the task out")
        with path.open("rb") as content:
            digest = hashlib.file_digest(content, "sha256").hexdigest()
        if known is not None and known.sha256 != digest:
            raise BadFile(
                f"its SHA-256 is {digest}, but manifest.json says {known.sha256}: put the right file there, or remove its entry if the file is right"
            )
        if harm := harm_of(path):
            raise BadFile(f"the file {harm}: put a harmless one there, or leave the task out")
        made = Kept(sha256=digest, bytes=path.stat().st_size, file=known.file if known else None, stand_in=known is not None and known.stand_in)
        self.kept[address] = made
        return path, made

    def got(self, address: str) -> tuple[Path, Kept] | None:
        """Return the same, after the file was made or fetched if the cache lacks it and may do so; `BadFile` too if it cannot be fetched."""
        if self.make is not None and (self._is_made(address) or self.found(address) is None):
            self._keep(address, self.make(address))  # what was made is made again: what is declared, or its maker, may have changed
        found = self.found(address)
        if self.fetch is None or (found is not None and not found[1].stand_in):
            return found
        if not _is_of_web(address):
            raise BadFile(f"'{address[:80]}' is no address of the web: put the file into the cache folder")
        target = self.folder / self._names(address)[-1]
        with written_file(target) as temporary:
            self.fetch(address, temporary)
        return self.found(address)

    def _is_made(self, address: str) -> bool:
        known = self.kept.get(address)
        return known is not None and known.file is not None and known.file.startswith(_MADE)

    def _keep(self, address: str, made: "Made | None") -> None:
        if made is not None:
            name = f"{_MADE}{_hash_of_address(address)}"
            with written_file(self.folder / name) as temporary:
                temporary.write_bytes(made.content)
            digest = hashlib.sha256(made.content).hexdigest()
            self.kept[address] = Kept(sha256=digest, bytes=len(made.content), file=name, stand_in=made.stands_in)

    def write_manifest(self) -> None:
        """Write what is kept of the files that were found, if that is more than the manifest has."""
        path = self.folder / "manifest.json"
        if self.kept and read_kept(path) != self.kept:
            with written_file(path) as temporary:
                temporary.write_text(written(self.kept))

    def _place(self, address: str, known: Kept | None) -> Path | None:
        if known is not None and known.file is not None:
            if not is_inside(known.file):
                raise BadFile(f"manifest.json says that it lies at '{known.file}', which leads out of the cache folder: name a file in it")
            return self.folder / known.file if (self.folder / known.file).is_file() else None
        with contextlib.suppress(OSError, ValueError):  # a name that no file can have
            return next((path for path in (self.folder / name for name in self._names(address)) if path.is_file()), None)
        return None

    def _names(self, address: str) -> list[str]:
        """Return the paths below the folder where a file may lie; the last one can always be written."""
        parts = urlsplit(address)
        by_hash = f"by_hash/{_hash_of_address(address)}"
        query = f"?{parts.query}" if parts.query else ""
        readable = [f"{parts.netloc}{path}{query}" for path in (unquote(parts.path), parts.path)]
        return [name for name in readable if parts.netloc and is_inside(name)] + [by_hash]


def _hash_of_address(address: str) -> str:
    return hashlib.sha256(address.encode()).hexdigest()


def _is_of_web(address: str) -> bool:
    try:
        return urlsplit(address).scheme in ("http", "https")
    except ValueError:  # such as http://[::1
        return False


def read_kept(path: Path) -> dict[str, Kept]:
    """Return what a manifest keeps; nothing if there is none. `BadInput` if it is broken."""
    try:
        return _MANIFEST.validate_json(path.read_bytes()) if path.is_file() else {}
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise BadInput(
            f"{path}: {'.'.join(map(str, first['loc'])) or 'file'}: {first['msg']}; correct it, or remove the file to keep new hashes"
        ) from None


def written(kept: dict[str, Kept]) -> str:
    """Return the manifest as JSON."""
    plain: dict[str, Any] = {address: one.model_dump(exclude_none=True, exclude_defaults=True) for address, one in sorted(kept.items())}
    return json.dumps(plain, indent=1, ensure_ascii=False) + "\n"


def fetch_file(address: str, target: Path) -> None:
    """Write the content of an address to a file; `BadFile` if that fails, or if it is too large."""
    try:
        with (
            httpx.Client(timeout=_SECONDS, follow_redirects=True, max_redirects=_REDIRECTS) as client,
            client.stream("GET", address) as answer,
            target.open("wb") as file,
        ):
            answer.raise_for_status()
            size = 0
            for piece in answer.iter_bytes(_PIECE):
                size += len(piece)
                if size > LARGEST:
                    raise BadFile(f"it has more than {LARGEST} bytes, which is the most that is fetched: leave the task out")
                file.write(piece)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise BadFile(f"it cannot be fetched ({error}): put the file into the cache folder") from error
