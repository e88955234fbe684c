"""Damage done on purpose, for proofs: to a file that the episode does not touch, and to one more part of a file that it touches."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from eval_flows.episodes.checkers import files
from eval_flows.episodes.checkers.captures import read_capture
from eval_flows.episodes.environment.side_effects import databases, documents, pictures, workbooks
from eval_flows.episodes.environment.side_effects.compare import kind_of
from eval_flows.episodes.environment.side_effects.home import Home
from eval_flows.episodes.tasks.changes import Change, Changes

_UNASKED = "Documents/zzz unasked.txt"
_STRANGE = "zzz qqq"  # no task frees this text
Fetch = Callable[[str], bytes | None]


@dataclass(frozen=True)
class Spoil:
    """A damage: the file, its content after (None: it is deleted), and its content before (None: it did not exist)."""

    path: str
    content: bytes | None
    before: bytes | None


def spoils(before: Home, after: Home, changes: Changes, fetch: Fetch) -> Iterator[Spoil]:
    """Yield the first file that the episode does not touch, deleted, or a new file; and the first touched file with one more part changed."""
    beside = [path for path, entry in before.entries.items() if entry.kind == "f" and after.entries.get(path) == entry and not changes.about(path)]
    path = min((path for path in beside if not changes.frees(path)), default=None)
    yield Spoil(_UNASKED, _STRANGE.encode(), None) if path is None else Spoil(path, None, fetch(path))
    for path in changes.paths:
        about = changes.about(path)
        kind = kind_of(path, about)
        content = fetch(path) if kind in SPOILERS and not changes.frees(path) and path in before.entries else None
        if content is not None:
            yield Spoil(path, SPOILERS[kind](content, [asked for its_kind, asked in about if its_kind == kind]), content)
            return


def _text(content: bytes, _: Sequence[Change]) -> bytes:
    end = "\r\n" if b"\r\n" in content else "\n"
    return f"{_STRANGE}{end}{files.text(content)}".encode()


def _capture(content: bytes, _: Sequence[Change]) -> bytes:
    """Return the capture with another last byte in the first packet."""
    frame = read_capture(content).packets[0].frame
    return content.replace(frame, frame[:-1] + bytes([frame[-1] ^ 1]), 1)


SPOILERS: Mapping[str, Callable[[bytes, Sequence[Change]], bytes]] = {
    "text": _text,
    "csv": _text,
    "document": lambda content, _: documents.spoiled(content),
    "workbook": lambda content, _: workbooks.spoiled(content),
    "database": databases.spoiled,
    "picture": lambda content, _: pictures.spoiled(content),
    "capture": _capture,
    "settings": lambda content, _: content + b"\n[zzz]\nqqq=1\n",  # a section of its own: the last one of the file may be a program's own
}
