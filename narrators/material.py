"""The material of texts: the phrasings of the steps that they say and of their goal, sorted by form."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import NamedTuple

from atomic_tasks.arguments.registry import Generator
from atomic_tasks.schema import PLACEHOLDER, is_sentence
from compositions.model import Step
from compositions.schema import Goal
from narrators.naming import Names
from narrators.styles import parts_of, speaks_as_i

GOAL_PARTS = frozenset({"goal", "goal_sentence", "goal_fragment"})
_ME = re.compile(r"\bme\b")


@dataclass(frozen=True)
class Spoken:
    """The material of a text beside its composition: the goal of the workflow, the names of the application, values and generators.

    A composition across several applications has no names, and its text names no application.
    """

    goal: Goal | None
    goal_may_stand_alone: bool
    names: Names
    values: Mapping[str, str]
    generators: Mapping[str, Generator]


@dataclass(frozen=True)
class Forms:
    """Phrasings by form: sentences, clauses, and the clauses without "me", which fit a template in the first person."""

    sentences: tuple[str, ...]
    clauses: tuple[str, ...]
    clauses_as_i: tuple[str, ...]

    def clauses_for(self, as_i: bool) -> tuple[str, ...]:
        """Return the clauses that fit a template. `as_i` says whether the template speaks in the first person."""
        return self.clauses_as_i if as_i else self.clauses


@lru_cache(maxsize=20_000)
def forms_of(phrasings: tuple[str, ...], addressing: bool) -> Forms:
    """Return the phrasings by form. Without `addressing`, phrasings that address the application are left out."""
    fitting = [say for say in phrasings if addressing or "{application}" not in say]
    clauses = tuple(say for say in fitting if not is_sentence(say))
    sentences = tuple(say for say in fitting if is_sentence(say))
    return Forms(sentences, clauses, tuple(say for say in clauses if not _ME.search(say)))


class Material:
    """The forms of the kept steps and of the goal, from which templates are filled."""

    def __init__(self, steps: Sequence[Step], spoken: Spoken) -> None:
        self.steps = steps
        self.goal_alone = spoken.goal_may_stand_alone
        self.forms = [forms_of(step.task.say, bool(spoken.names.application)) for step in steps]
        self.goal = forms_of(spoken.goal.say if spoken.goal else (), True)
        self.fragments = steps[0].task.fragments if len(steps) == 1 else ()
        self.goal_fragments = spoken.goal.fragments if spoken.goal else ()
        first = steps[0].task
        self.backgrounds = spoken.goal.background if spoken.goal else tuple(self.said(0, text) for text in first.background)
        self.due = spoken.goal.due if spoken.goal else all(step.task.due or step.task.generic for step in steps) and any(s.task.due for s in steps)

    @cached_property
    def shape(self) -> "Shape":
        """Return the shape, which decides which templates can be filled. Many materials share one shape."""
        return Shape(
            steps=len(self.forms),
            first_sentence=bool(self.forms[0].sentences),
            clauses=all(forms.clauses for forms in self.forms),
            clauses_as_i=all(forms.clauses_as_i for forms in self.forms),
            goal=bool(self.goal.clauses),
            goal_as_i=bool(self.goal.clauses_as_i),
            goal_sentence=bool(self.goal.sentences),
            goal_alone=self.goal_alone,
            fragment=bool(self.fragments),
            goal_fragment=bool(self.goal_fragments),
            background=bool(self.backgrounds),
            due=self.due,
        )

    def said(self, number: int, phrasing: str) -> str:
        """Return a phrasing of the step with the argument names of the composition."""
        names = self.steps[number].names
        return PLACEHOLDER.sub(lambda match: f"{{{names.get(match[1], match[1])}}}", phrasing) if names else phrasing


class Shape(NamedTuple):
    """The number of steps, and the forms that all steps, the first step, the goal and the words around them have."""

    steps: int
    first_sentence: bool
    clauses: bool
    clauses_as_i: bool
    goal: bool
    goal_as_i: bool
    goal_sentence: bool
    goal_alone: bool
    fragment: bool
    goal_fragment: bool
    background: bool
    due: bool

    @cache  # noqa: B019  a shape is a plain value, and there are few shapes
    def fits(self, template: str) -> bool:
        """Tell whether the template can be filled."""
        parts, as_i = parts_of(template), speaks_as_i(template)
        says_chain = bool(parts & {"chain", "chain_sentence"})
        unmet = [
            "lead" in parts and self.steps != 1,
            "rest" in parts and self.steps < 2,
            bool(parts & {"lead", "first"}) and not self.first_sentence,
            (says_chain or "rest" in parts) and not (self.clauses_as_i if as_i else self.clauses),
            "goal" in parts and not (self.goal_as_i if as_i else self.goal),
            "goal_sentence" in parts and not self.goal_sentence,
            bool(parts & GOAL_PARTS) and not says_chain and not self.goal_alone,
            "fragment" in parts and not self.fragment,
            "goal_fragment" in parts and not self.goal_fragment,
            "background" in parts and not self.background,
            "deadline" in parts and not self.due,
        ]
        return not any(unmet)
