"""The declared styles, templates, connectives and voices. Each template is compiled once."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Literal

from jinja2 import Environment, TemplateError, meta, nodes
from pydantic import BaseModel, ConfigDict

from atomic_tasks.problems import BadInput, Place, Problem, suggestion
from atomic_tasks.schema import placeholders
from atomic_tasks.yaml_source import read_yaml, validated
from narrators.voices import Voice, VoiceWords

STYLES_FILE = Path(__file__).parent / "styles.yaml"
PARTS = frozenset({"clause", "whole", "application", "place"})
_ME = re.compile(r"\bme\b")
_ENVIRONMENT = Environment(autoescape=False)  # only parses templates; `compiled` renders them


class Connective(BaseModel):
    """Words that join clauses. A `plain` connective fits only clauses without a comma and without "and"."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    between: str
    last: str
    plain: bool = False
    at_least: int = 2
    at_most: int = 99


class Style(BaseModel):
    """The templates of one style, and the clauses that they fit: see `styles.yaml`."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    templates: tuple[str, ...]
    most_steps: int = 99
    most_values: int = 99
    first_person: bool = False
    not_with: tuple[str, ...] = ()

    @cached_property
    def says_whole(self) -> bool:
        """Tell whether the style takes whole texts; else it takes clauses."""
        return any("whole" in parts_of(template) for template in self.templates)

    @cached_property
    def _refused(self) -> re.Pattern[str]:
        return re.compile(rf"(?:{'|'.join(map(re.escape, self.not_with))})\b") if self.not_with else re.compile(r"(?!)")

    def fits(self, clause: str) -> bool:
        """Tell whether the style fits a clause."""
        if len(placeholders(clause)) > self.most_values or self._refused.match(clause):
            return False
        return not (self.first_person and _ME.search(clause))


class Styles(VoiceWords):
    """Templates by style and by level of naming, connectives, and voices with their words."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    styles: Mapping[str, Style]
    named: Mapping[Literal["application", "kind", "vendor"], Style]
    connectives: tuple[Connective, ...]
    voices: Mapping[str, Voice]


@cache
def read_styles(path: Path = STYLES_FILE) -> Styles:
    """Return the styles of the file. BadInput names all problems of the file."""
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
            problems.append(source.problem(place, f"uses the unknown part '{part}'{suggestion(part, PARTS)}"))
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
    """Return a function that renders the template from its parts.

    A template only puts parts in their places, so rendering is joining. It takes a tenth of the time of Jinja.
    """
    pieces = _pieces(template)
    return lambda parts: "".join(parts[text] if is_part else text for is_part, text in pieces)


def _pieces(template: str) -> list[tuple[bool, str]]:
    """Return the literal texts and the part names of the template, in order. Raise ValueError if it holds anything else."""
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
    """Return the parts that a template uses: chain, lead, goal, ..."""
    return frozenset(meta.find_undeclared_variables(_ENVIRONMENT.parse(template)))


@cache
def ordered_parts_of(template: str) -> tuple[str, ...]:
    """Return the parts that a template uses, in the order of their names."""
    return tuple(sorted(parts_of(template)))
