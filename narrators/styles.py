"""The declared styles, templates and connectives, compiled once."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from jinja2 import Environment, StrictUndefined, Template, meta
from pydantic import BaseModel, ConfigDict

from atomic_tasks.problems import BadInput, Problem
from atomic_tasks.yaml_source import read_yaml, validated

STYLES_FILE = Path(__file__).parent / "styles.yaml"
_FIRST_PERSON = re.compile(r"\b(?:I|I'\w+|let's|help me)\b[^.?!{}]*\{\{ (?:chain|goal) \}\}")
_ENVIRONMENT = Environment(undefined=StrictUndefined, autoescape=False, keep_trailing_newline=False)


class Connective(BaseModel):
    """How clauses are joined; `plain` only where no clause holds a comma or an "and" of its own."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    between: str
    last: str
    plain: bool = False
    at_least: int = 2
    at_most: int = 99


class Style(BaseModel):
    """Templates of one style, and the most kept steps that they fit."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    templates: tuple[str, ...]
    at_most: int = 99


class Styles(BaseModel):
    """Templates by style, those that address the application, connectives, and the words that fingers mistype."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    styles: Mapping[str, Style]
    addressed: tuple[str, ...]
    connectives: tuple[Connective, ...]
    may_be_mistyped: tuple[str, ...]


def read_styles(path: Path = STYLES_FILE) -> Styles:
    """The styles of the file; BadInput names every problem in it."""
    problems: list[Problem] = []
    source = read_yaml(path, problems)
    styles = validated(source, Styles, problems) if source.data is not None else None
    if styles is None or problems:
        raise BadInput(problems)
    return styles


@cache
def compiled(template: str) -> Template:
    """The Jinja template of a text."""
    return _ENVIRONMENT.from_string(template)


@cache
def parts_of(template: str) -> frozenset[str]:
    """What a template uses: chain, lead, goal, ..."""
    return frozenset(meta.find_undeclared_variables(_ENVIRONMENT.parse(template)))


@cache
def speaks_as_i(template: str) -> bool:
    """Whether the template makes the writer the one who acts, so that a clause with "me" in it would read wrong."""
    return _FIRST_PERSON.search(template) is not None
