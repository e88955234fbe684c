"""The declared styles, templates and connectives, compiled once."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Literal

from jinja2 import Environment, TemplateError, meta, nodes
from pydantic import BaseModel, ConfigDict

from atomic_tasks.problems import BadInput, Place, Problem, suggestion
from atomic_tasks.yaml_source import read_yaml, validated

STYLES_FILE = Path(__file__).parent / "styles.yaml"
PARTS = frozenset(
    {"chain", "chain_sentence", "lead", "first", "rest", "goal", "goal_sentence", "goal_fragment", "fragment", "background"}
    | {"deadline", "application", "place"}
)
_FIRST_PERSON = re.compile(r"\b(?:I|I'\w+|let's|help me)\b[^.?!{}]*\{\{ (?:chain|goal) \}\}")
_ENVIRONMENT = Environment(autoescape=False)  # parses templates; their parts are put in place by `compiled`


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
    as_typed: bool = False  # no capital letter and no period are added


class Styles(BaseModel):
    """Templates by style and by level of naming, connectives, deadlines, and the words that fingers mistype."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    styles: Mapping[str, Style]
    named: Mapping[Literal["application", "kind", "vendor"], Style]
    deadlines: tuple[str, ...]
    connectives: tuple[Connective, ...]
    may_be_mistyped: tuple[str, ...]


@cache
def read_styles(path: Path = STYLES_FILE) -> Styles:
    """The styles of the file; BadInput names every problem in it."""
    problems: list[Problem] = []
    source = read_yaml(path, problems)
    styles = validated(source, Styles, problems) if source.data is not None else None
    for place, template in _each_template(styles) if styles else ():
        try:
            _pieces(template)
        except (ValueError, TemplateError) as error:
            problems.append(source.problem(place, str(error)))
            continue
        for part in sorted(parts_of(template) - PARTS):
            problems.append(source.problem(place, f"uses the part '{part}', which narrators do not know{suggestion(part, PARTS)}"))
    if styles is None or problems:
        raise BadInput(problems)
    return styles


def _each_template(styles: Styles) -> Iterator[tuple[Place, str]]:
    for group, entries in (("styles", styles.styles), ("named", styles.named)):
        for name, style in entries.items():
            for number, template in enumerate(style.templates):
                yield (group, name, "templates", number), template


@cache
def compiled(template: str) -> Callable[[Mapping[str, str]], str]:
    """What renders a template from its parts.

    Templates put parts in their places and do nothing else, so that rendering is joining, which costs a tenth of Jinja's own.
    """
    pieces = _pieces(template)
    return lambda parts: "".join(parts[text] if is_part else text for is_part, text in pieces)


def _pieces(template: str) -> list[tuple[bool, str]]:
    """The template's literal texts and the names of its parts, in their order; ValueError where it holds anything else."""
    found: list[tuple[bool, str]] = []
    for statement in _ENVIRONMENT.parse(template).body:
        for node in statement.nodes if isinstance(statement, nodes.Output) else [statement]:
            match node:
                case nodes.TemplateData(data=text):
                    found.append((False, text))
                case nodes.Name(name=name):
                    found.append((True, name))
                case _:
                    raise ValueError("a template holds texts and {{ parts }}, and nothing else")
    return found


@cache
def parts_of(template: str) -> frozenset[str]:
    """What a template uses: chain, lead, goal, ..."""
    return frozenset(meta.find_undeclared_variables(_ENVIRONMENT.parse(template)))


@cache
def speaks_as_i(template: str) -> bool:
    """Whether the template makes the writer the one who acts, so that a clause with "me" in it would read wrong."""
    return _FIRST_PERSON.search(template) is not None
