"""The folder of a site mirror: a folder for each host, as `wget --mirror` and `httrack` make them, and `mirror.yaml` for what a folder cannot tell.

It is read with every mistake by its place, and packed into one zip file with the same bytes each time.
"""

import hashlib
import io
import json
import os
import re
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import Field

from atomic_tasks.problems import BadInput, Place, Problem, shown_path, suggestion
from atomic_tasks.schema import Declared
from atomic_tasks.yaml_source import read_yaml, validated
from eval_flows.episodes.osworld.in_guest.mirror import DECLARED, Pages
from eval_flows.episodes.osworld.safe_paths import is_inside

DECLARATION = "mirror.yaml"
LARGEST, MOST_FILES = 128 * 2**20, 20_000  # bytes and files of a mirror: a machine holds it in memory
MOST_HOSTS = 500  # and hosts, all of which stand in one flag of the browser
_OF_HTTRACK = "hts-cache"  # a folder that httrack keeps for itself
_LABEL = re.compile(r"(?!-)[a-z0-9-]{1,63}(?<!-)")
_LONGEST_HOST = 253
_REDIRECTS = range(300, 400)
_LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the time of every file in the zip file: the first that one can have
Mistake = tuple[Place, str]


class Told(Declared):
    """What is answered at an address: a file, with its type if its name does not tell it; or `to`, where the page is, with a status from 300."""

    status: int = Field(200, ge=200, le=599)
    file: str | None = None
    type: str | None = Field(None, pattern=r"^[\x21-\x7e]+/[\x20-\x7e]+$")
    to: str | None = None


class Declaration(Declared):
    """The file: hosts that mean the same as another one, and what is answered at addresses."""

    same: dict[str, str] = Field(default_factory=dict)
    answers: dict[str, Told] = Field(default_factory=dict)

    @property
    def plain(self) -> dict[str, Any]:
        """Return it as the server in a machine reads it."""
        return self.model_dump(exclude_none=True)


@dataclass(frozen=True)
class Mirror:
    """A mirror that was read: its files by their names in it, and what is declared beside them."""

    files: Mapping[str, Path]
    declared: Declaration

    @cached_property
    def pages(self) -> Pages:
        """Return its pages as the server in a machine finds them."""
        return Pages(self.files, **self.declared.plain)

    @cached_property
    def archive(self) -> bytes:
        """Return the mirror as one zip file, which depends on nothing but its content."""
        packed = io.BytesIO()
        declared = json.dumps(self.declared.plain, sort_keys=True).encode()
        with zipfile.ZipFile(packed, "w") as archive:  # not compressed: other versions of a library would give other bytes
            archive.writestr(zipfile.ZipInfo(DECLARED, _LONG_AGO), declared)
            for name, path in sorted(self.files.items()):
                archive.writestr(zipfile.ZipInfo(name, _LONG_AGO), path.read_bytes())
        return packed.getvalue()

    @cached_property
    def sha256(self) -> str:
        """Return the SHA-256 of the zip file."""
        return hashlib.sha256(self.archive).hexdigest()


def read_mirror(folder: Path) -> Mirror:
    """Return the mirror in a folder; `BadInput` names every mistake with its place."""
    problems: list[Problem] = []
    files = dict(_files(folder, problems))
    size = sum(path.stat().st_size for path in files.values())
    if len(files) > MOST_FILES or size > LARGEST:
        most = f"at most {MOST_FILES} files and {LARGEST} bytes are taken, since a machine holds them in memory"
        problems.append(_at(folder, f"has {len(files)} files with {size} bytes, but {most}: leave out what the tasks do not show"))
    if not files and not problems:
        problems.append(_at(folder, "has no pages: give a folder with a folder for each host in it, such as www.example.com/index.html"))
    declared = _declaration(folder / DECLARATION, files, problems)
    hosts = len({*declared.same, *(name.partition("/")[0] for name in files)})
    if hosts > MOST_HOSTS:
        problems.append(_at(folder, f"has {hosts} hosts, but at most {MOST_HOSTS} are taken: leave out what the tasks do not show"))
    if problems:
        raise BadInput(problems)
    return Mirror(files, declared)


def host_mistake(host: str) -> str | None:
    """Return why a text is no name of a host that a mirror can have; None if it is one."""
    name, _, port = host.partition(":")
    if port.isdigit():
        return (
            f"'{host}' names a port: only the ports of http and https are served; leave it out, or call it '{name}' if the pages are the same there"
        )
    labels = host.split(".")
    if len(labels) < 2 or len(host) > _LONGEST_HOST or not all(map(_LABEL.fullmatch, labels)) or labels[-1].isdigit():
        small = f"write it as '{host.lower()}'" if host != host.lower() else "name it as an address does, such as www.example.com"
        return f"'{host}' is no name of a host: {small}, or leave it out"
    return None


def _files(folder: Path, problems: list[Problem]) -> Iterator[tuple[str, Path]]:
    """Yield the files below the folders of hosts by their names; what is wrong is added to `problems`. Files beside the folders belong to no host."""
    for place in sorted(folder.iterdir()):
        if place.is_file() and place.suffix in (".yaml", ".yml") and place.name != DECLARATION:
            problems.append(_at(place, f"is not read: call it {DECLARATION}, or remove it"))
        if not place.is_dir() or place.name == _OF_HTTRACK:
            continue
        if reason := host_mistake(os.fsencode(place.name).decode(errors="backslashreplace")) or _file_mistake(place, folder):
            problems.append(_at(place, reason))
            continue
        for parent, folders, names in os.walk(place):
            folders.sort()
            for path in (Path(parent, name) for name in [*folders, *sorted(names)]):
                if reason := _file_mistake(path, folder):
                    problems.append(_at(path, reason))
                elif path.is_file():
                    yield path.relative_to(folder).as_posix(), path


def _file_mistake(path: Path, folder: Path) -> str | None:
    """Return why a file or a folder of a mirror is not taken; None if it is."""
    try:
        path.name.encode()
    except UnicodeEncodeError:
        return "its name is not UTF-8: rename it"
    if path.is_symlink() and not path.resolve().is_relative_to(folder.resolve()):
        return "is a link that leads out of the mirror: put the file itself there"
    if path.is_symlink() and path.is_dir():
        return f"is a link to a folder: put the folder itself there, or declare the pages in {DECLARATION}"
    if not path.is_file() and not path.is_dir():
        return "is no regular file, or a link to nothing: remove it"
    return None


def _declaration(path: Path, files: Mapping[str, Path], problems: list[Problem]) -> Declaration:
    """Return what `mirror.yaml` declares; nothing if there is none, or if it is wrong, which is added to `problems`."""
    if not path.exists():
        return Declaration()
    mistakes: list[Problem] = []
    source = read_yaml(path, mistakes)
    made = validated(source, Declaration, mistakes) if not mistakes and source.data is not None else Declaration()
    if made is not None:
        mistakes += [source.problem(place, reason) for place, reason in _mistakes(made, files)]
    problems += mistakes
    return Declaration() if mistakes or made is None else made


def _mistakes(made: Declaration, files: Mapping[str, Path]) -> Iterator[Mistake]:
    hosts = sorted({name.partition("/")[0] for name in files})
    for host, other in made.same.items():
        if reason := host_mistake(host):
            yield ("same", host), reason
        elif host in hosts:
            yield ("same", host), "has a folder of its own: remove the folder, or this line"
        if other not in hosts:
            yield ("same", host), f"'{other}' has no folder in the mirror{suggestion(other, hosts)}"
    pages = Pages(files, made.same, {})
    for address, told in made.answers.items():
        yield from ((("answers", address, *place), reason) for place, reason in _answer_mistakes(address, told, pages, files, made))


def _answer_mistakes(address: str, told: Told, pages: Pages, files: Mapping[str, Path], made: Declaration) -> Iterator[Mistake]:
    """Yield the place and the reason of each mistake in what is declared of an address."""
    if not pages.is_served(address):
        yield (), "is no address of http or https of a host in the mirror: give the host a folder, or name it in `same`"
    if told.file is not None and not is_inside(told.file):
        yield ("file",), f"'{told.file}' leads out of the mirror: name a file in it, such as www.example.com/index.html"
    elif told.file is not None and told.file not in files:
        yield ("file",), f"'{told.file}' is not in the mirror{suggestion(told.file, files)}"
    if (told.to is not None) != (told.status in _REDIRECTS):
        yield ("status",), "a status from 300 to 399 and `to` belong together: give both, or none of them"
    elif told.to is not None and not (pages.is_served(told.to) and (told.to in made.answers or pages.has(told.to))):
        yield ("to",), f"'{told.to}' is no page of the mirror: name the address of one, with https:// and its host"
    if told.file is None and told.status < _REDIRECTS.start:
        yield (), "answers nothing: name a `file`, `to` with a status from 300 to 399, or a status from 400"


def _at(path: Path, reason: str) -> Problem:
    return Problem(os.fsencode(shown_path(path)).decode(errors="backslashreplace"), 1, "mirror", reason)
