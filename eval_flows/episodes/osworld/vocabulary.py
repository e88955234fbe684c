"""The names and fields that task files may have, as `vocabulary.yaml` declares them."""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, create_model

from atomic_tasks.form_mistakes import form_mistakes
from atomic_tasks.problems import Place
from atomic_tasks.schema import Declared
from atomic_tasks.yaml_source import read_declared_file

_FILE = Path(__file__).parent / "vocabulary.yaml"
_MAYBE = "maybe "
LONGEST_WAIT, LONGEST_WAITS, _LONGEST_AGO = 600, 1800, 10**10  # seconds: for one step, for all of a task, and about three centuries
Kind = str | tuple[str]  # a kind, a form, or a form in a list
Fields = Mapping[str, Kind]


class Word(Declared):
    """A type of step or getter: its fields by name, and what it cannot do without.

    `web` and `stream` are the internet, if the task names an address there.
    """

    fields: dict[str, Kind]
    needs: Literal["internet", "web", "stream", "account", "windows"] | None = None


class Vocabulary(Declared):
    """The file."""

    forms: dict[str, dict[str, Kind]]
    steps: dict[str, Word]
    getters: dict[str, Word]
    functions: tuple[str, ...] = Field(min_length=1)


@cache
def vocabulary() -> Vocabulary:
    """Return the vocabulary."""
    return read_declared_file(_FILE, Vocabulary)


def step_mistakes(kind: str, parameters: Mapping[str, Any]) -> Iterator[tuple[Place, str]]:
    """Yield the place and the reason of each mistake in the parameters of a step of a known type."""
    yield from _mistakes(_form(tuple(vocabulary().steps[kind].fields.items())), parameters)


def getter_mistakes(kind: str, fields: Mapping[str, Any]) -> Iterator[tuple[Place, str]]:
    """Yield the same of the fields beside the `type` of a getter."""
    yield from _mistakes(_form(tuple(vocabulary().getters[kind].fields.items())), fields)


def is_true(flag: object) -> bool:
    """Return what a flag says: some task files have it as a text."""
    return flag is True or flag in ("true", "True")


def _mistakes(form: type[BaseModel], given: Mapping[str, Any]) -> Iterator[tuple[Place, str]]:
    try:
        form.model_validate(given)
    except ValidationError as error:
        yield from form_mistakes(error, form)


def _kind(words: str, holds: Callable[[Any], bool]) -> Any:
    def check(value: Any) -> Any:
        if not holds(value):
            raise ValueError(f"must be {words}, not {str(value)[:60]!r}")
        return value

    return Annotated[Any, AfterValidator(check)]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_numeric(value: Any) -> bool:
    try:
        return _is_number(value) or (isinstance(value, str) and math.isfinite(float(value)))
    except ValueError:
        return False


def _is_whole(value: Any) -> bool:
    return _is_numeric(value) and (re.fullmatch(r"\s*[-+]?\d+\s*", value) is not None if isinstance(value, str) else value == int(value))


def _is_texts(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(one, str) for one in value))


_KINDS: Mapping[str, Any] = {
    "text": _kind("a text", lambda value: isinstance(value, str)),
    "texts": _kind("a text or a list of texts", _is_texts),
    "number": _kind("a number", _is_number),
    "wait": _kind(f"a number of seconds from 0 to {LONGEST_WAIT}", lambda value: _is_number(value) and 0 <= value <= LONGEST_WAIT),
    "ago": _kind(f"a number of seconds from 0 to {_LONGEST_AGO}", lambda value: _is_number(value) and 0 <= value <= _LONGEST_AGO),
    "numeric": _kind("a number", _is_numeric),
    "whole": _kind("a whole number", _is_whole),
    "flag": _kind("true or false", lambda value: isinstance(value, bool) or value in ("true", "false", "True", "False")),
    "object": _kind("a mapping of keys to values", lambda value: isinstance(value, dict)),
    "list": _kind("a list", lambda value: isinstance(value, list)),
    "any": Any,
}


@cache
def _form(fields: tuple[tuple[str, Kind], ...]) -> type[BaseModel]:
    """Return a model that knows these fields and no others."""
    declared: dict[str, Any] = {}
    for name, kind in fields:
        may_lack = isinstance(kind, str) and kind.startswith(_MAYBE)
        declared[name] = (_type_of(kind.removeprefix(_MAYBE) if isinstance(kind, str) else kind), None if may_lack else ...)
    return create_model("Fields", __config__=ConfigDict(extra="forbid", strict=True, protected_namespaces=()), **declared)


def _type_of(kind: Kind) -> Any:
    if isinstance(kind, tuple):
        return list[_type_of(kind[0])]  # type: ignore[misc]  # the model is made when the vocabulary is read
    return _KINDS[kind] if kind in _KINDS else _form(tuple(vocabulary().forms[kind].items()))
