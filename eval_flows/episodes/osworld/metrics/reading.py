"""Reading the files that getters fetched: agents may have made them, so each is read with a limit."""

import json
import re
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from lxml import etree

from eval_flows.episodes.checkers.care import opened, read_part

Place = str | PathLike[str]
_LARGEST = 256 * 2**20  # bytes
_LARGEST_TEXT = 32 * 2**20  # bytes


def content(place: Place, largest: int = _LARGEST) -> bytes:
    """Return the content of a file; `ValueError` if it is no regular file, or too large to look at."""
    path = Path(place)
    if path.is_symlink() or not path.is_file():
        raise ValueError(f"{path.name} is no regular file")
    if path.stat().st_size > largest:
        raise ValueError(f"{path.name} has {path.stat().st_size} bytes: more than the {largest} that are looked at")
    return path.read_bytes()


def text(place: Place) -> str:
    """Return a text in UTF-8, whose lines end as on Linux."""
    return content(place, _LARGEST_TEXT).decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")


def xml(source: bytes | str) -> Any:
    """Return the root of an XML document. Entities are not resolved, and nothing is fetched."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    return etree.fromstring(source.encode() if isinstance(source, str) else source, parser)


def archive(place: Place) -> ZipFile:
    """Return a zip archive; `ValueError` if it would unpack to too much."""
    return opened(content(place))


def parts(place: Place) -> Mapping[str, bytes]:
    """Return the files in a zip archive by their names; folders are left out."""
    with archive(place) as packed:
        return {part.filename: read_part(packed, part) for part in packed.infolist() if not part.is_dir()}


def json_file(place: Place) -> Any:
    """Return what a file in JSON holds."""
    return json.loads(text(place))


_JSONC = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_LAST_COMMA = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])')


def json_with_comments(place: Place) -> Any:
    """Return what a file in JSON holds that may have comments and commas before closing brackets, as the settings of VS Code do."""
    bare = _JSONC.sub(lambda found: found[1] or " ", text(place))
    return json.loads(_LAST_COMMA.sub(lambda found: found[1] or "", bare))


def listed(value: Any) -> Sequence[Any]:
    """Return a list as it is, and anything else as a list of itself."""
    return value if isinstance(value, list | tuple) else [value]
