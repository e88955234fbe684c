"""The comparison of two snapshots of a home folder: every difference that no task allows, in words."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from eval_flows.episodes.checkers.apart import read_apart
from eval_flows.episodes.checkers.care import within
from eval_flows.episodes.environment.side_effects.captures import of_capture
from eval_flows.episodes.environment.side_effects.databases import of_database
from eval_flows.episodes.environment.side_effects.documents import of_document
from eval_flows.episodes.environment.side_effects.home import Entry, Home, parents
from eval_flows.episodes.environment.side_effects.parts import Parts, differences
from eval_flows.episodes.environment.side_effects.pictures import of_picture
from eval_flows.episodes.environment.side_effects.settings import of_settings
from eval_flows.episodes.environment.side_effects.texts import of_csv, of_text
from eval_flows.episodes.environment.side_effects.workbooks import of_workbook
from eval_flows.episodes.tasks.changes import Change, Changes
from machines.errors import LeftUnreadable, MachineError

Read = Callable[[bytes, Sequence[Change]], Parts]
KINDS: Mapping[str, Read] = {
    "text": of_text,
    "csv": of_csv,
    "document": of_document,
    "workbook": of_workbook,
    "database": of_database,
    "picture": of_picture,
    "capture": of_capture,
    "settings": of_settings,
}
_APART = frozenset({"database"})  # kinds that are read by SQL: in a process that a file may end
_KIND_OF = {
    "csv": "csv",
    "docx": "document",
    "xlsx": "workbook",
    "db": "database",
    **dict.fromkeys(("png", "jpg", "jpeg", "bmp", "gif", "tif"), "picture"),
    **dict.fromkeys(("pcap", "pcapng"), "capture"),
    **dict.fromkeys(("txt", "md", "log", "html", "sh", "m3u", "conf"), "text"),
}
_PERMISSIONS = "permissions"
_TRASH = ".local/share/Trash"
_READING_SECONDS = 10.0
_MOST_TOLD = 20


def side_effects(before: Home, after: Home, changes: Changes, fetch: Callable[[str], bytes | None]) -> list[str]:
    """Return the differences beyond the declared changes; `fetch` gets the later content of a file."""
    found: list[str] = []
    whole: set[str] = set()
    for path in sorted({*before.entries, *after.entries}):
        old, new = before.entries.get(path), after.entries.get(path)
        if old == new or any(folder in whole for folder in parents(path)) or changes.frees(path):
            continue
        told = list(_of_entry(path, old, new, before, changes, fetch))
        if told and (old is None or new is None):
            whole.add(path)  # the content of a deleted or a new folder is told with the folder
        found += told
    return [*found[:_MOST_TOLD], f"and {len(found) - _MOST_TOLD} more"] if len(found) > _MOST_TOLD else found


def _of_entry(path: str, old: Entry | None, new: Entry | None, before: Home, changes: Changes, fetch: Callable[[str], bytes | None]) -> Iterator[str]:
    about = changes.about(path)
    is_folder = "d" in (old.kind if old else "", new.kind if new else "")
    if old is None:
        if about and new is not None and new.kind == "f":
            yield from _of_content(path, b"", fetch(path), about)
        elif not _is_in_trash(path) and not (is_folder and changes.has_below(path)):
            yield f"{path}{'/' if is_folder else ''} made"
    elif new is None:
        yield f"{path}{'/' if is_folder else ''} deleted"
    elif old.kind != new.kind or old.target != new.target:
        yield f"{path} is not what it was: {_called(old)} became {_called(new)}"
    else:
        if old.mode != new.mode and not any(kind == _PERMISSIONS for kind, _ in about):
            yield f"{path}: permissions changed from {old.mode or 'none'} to {new.mode or 'none'}"
        if (old.size, old.digest) != (new.size, new.digest):
            yield from _of_content(path, before.contents.get(path), fetch(path), about)


def _is_in_trash(path: str) -> bool:
    """Tell whether a path is in the trash: a deleted file is told by its old place, and not a second time by its new one."""
    return path == _TRASH or path.startswith(f"{_TRASH}/")


def kind_of(path: str, about: Iterable[tuple[str, Change]]) -> str:
    """Return the kind as which a file is read: by its changes, or else by its ending; None if it is compared as a whole."""
    return next((kind for kind, _ in about if kind in KINDS), _KIND_OF.get(path.rpartition(".")[2].lower(), ""))


def _called(entry: Entry) -> str:
    return {"f": "a file", "d": "a folder", "l": f"a link to {entry.target}"}.get(entry.kind, "something else")


def _of_content(path: str, old: bytes | None, new: bytes | None, about: Iterable[tuple[str, Change]]) -> Iterator[str]:
    """Yield the differences in a file, by the parts of its kind; as a whole if one version cannot be read."""
    about = list(about)
    kind = kind_of(path, about)
    if kind not in KINDS or old is None or new is None:
        yield f"{path} changed"
        return
    asked = [one for its_kind, one in about if its_kind == kind]
    try:
        was, became = (
            read_apart(_READING_SECONDS, _parts, kind, asked, old, new)
            if kind in _APART
            else within(_READING_SECONDS, lambda: _parts(kind, asked, old, new))
        )
    except LeftUnreadable as error:
        yield f"{path} changed: {error}"
        return
    except MachineError:
        raise
    except Exception:  # a dozen parsers raise as many kinds of errors for content that they cannot read
        yield f"{path} changed, and cannot be read as before"
        return
    for one in differences(was, became):
        yield f"{path}: {one}"


def _parts(kind: str, asked: Sequence[Change], *contents: bytes) -> list[Parts]:
    return [KINDS[kind](content, asked) for content in contents]
