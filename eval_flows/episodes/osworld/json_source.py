"""Read JSON with line numbers. What another program would read in silence is an error: a key that stands twice, numbers that JSON does not have."""

import json
import math
import re
import stat
from functools import partial
from pathlib import Path
from typing import Any

from atomic_tasks.problems import Place, Problem, Source

_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()
_LARGEST = 4 * 2**20  # bytes; the largest published task file has some thousands
_DEEPEST = 100  # levels; the deepest published task file has about ten


def read_json(path: Path, problems: list[Problem]) -> Source:
    """Return the data of a file. What is wrong with its syntax is added to `problems`; the data is None then."""
    source = Source(path)
    try:
        about = path.stat()
        if not stat.S_ISREG(about.st_mode):
            raise ValueError("is no regular file")
        if about.st_size > _LARGEST:
            raise ValueError(f"has {about.st_size} bytes; a task file has at most {_LARGEST}")
        text = path.read_bytes().decode("utf-8-sig")
        data = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_finite)
        _refuse_deep(data)
        json.dumps(data, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        problems.append(Problem(source.file, error.lineno, "file", f"is not JSON: {error.msg}"))
    except UnicodeDecodeError as error:
        problems.append(source.problem((), f"is not UTF-8: byte {error.start} cannot be read"))
    except UnicodeEncodeError as error:
        problems.append(
            source.problem((), f"has half a character, {error.object[error.start]!a}, in a text: write both halves, or the character itself")
        )
    except RecursionError:
        problems.append(source.problem((), "is nested too deeply"))
    except ValueError as error:
        problems.append(source.problem((), str(error)))
    except OSError as error:
        problems.append(source.problem((), f"cannot be read: {error.strerror}"))
    else:
        source.data, source.line_of = data, partial(_line_of, text)
    return source


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key '{next(key for key in keys if keys.count(key) > 1)}' stands twice in one object: keep one")
    return made


def _no_constant(word: str) -> Any:
    raise ValueError(f"{word} is no number of JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"{digits[:40]} is larger than any number that can be held")
    return number


def _refuse_deep(data: Any) -> None:
    """Raise `RecursionError` for data of more levels than what walks over them can take."""
    level = [data]
    for _ in range(_DEEPEST):
        level = [inner for one in level if isinstance(one, dict | list) for inner in (one.values() if isinstance(one, dict) else one)]
        if not level:
            return
    raise RecursionError


def _line_of(text: str, place: Place) -> int:
    """Return the line of the place, or of the nearest place around it."""
    known: dict[Place, int] = {}
    _walk(text.removeprefix("\ufeff"), 0, (), known)
    while place and place not in known:
        place = place[:-1]
    return text.count("\n", 0, known.get(place, 0)) + 1


def _walk(text: str, at: int, place: Place, known: dict[Place, int]) -> int:
    """Note where each value of sound JSON begins (a value of an object: where its key does), and return where this one ends."""
    at = _skip(text, at)
    known.setdefault(place, at)
    if text[at] not in "{[":
        return _DECODER.raw_decode(text, at)[1]
    closing, number = "}" if text[at] == "{" else "]", 0
    at = _skip(text, at + 1)
    while text[at] != closing:
        inner: Place = (*place, number)
        if closing == "}":
            begun = at
            key, at = _DECODER.raw_decode(text, at)
            inner = (*place, key)
            known[inner] = begun
            at = _skip(text, at) + 1  # the colon
        at = _skip(text, _walk(text, at, inner, known))
        at = _skip(text, at + 1) if text[at] == "," else at
        number += 1
    return at + 1


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at
