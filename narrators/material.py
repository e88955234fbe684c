"""The material of texts: what a text asks for, and the words for it, sorted by form."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from atomic_tasks.arguments.registry import Generator
from atomic_tasks.schema import PLACEHOLDER, is_sentence
from compositions.model import Step
from compositions.schema import Goal, Joint
from narrators.naming import Names
from narrators.styles import Style


@dataclass(frozen=True)
class Spoken:
    """The material of a text beside its composition: goal and joint words of the workflow, names of the application, values and generators.

    A composition across several applications has no names, and its text names no application.
    """

    goal: Goal | None
    goal_may_stand_alone: bool
    names: Names
    values: Mapping[str, str]
    generators: Mapping[str, Generator]
    joint: Sequence[Joint] = ()


class Forms:
    """Words for one thing by form: whole texts, and imperative clauses, which styles put in a frame."""

    def __init__(self, said: Sequence[str]) -> None:
        self.wholes = tuple(text for text in said if is_sentence(text))
        self.clauses = tuple(text for text in said if not is_sentence(text))

    def for_style(self, style: Style) -> tuple[str, ...]:
        """Return the words that fit a style."""
        return self.wholes if style.says_whole else tuple(clause for clause in self.clauses if style.fits(clause))


@dataclass(frozen=True, eq=False)
class Request:
    """What a text asks for, and the words for each part of it.

    `kept` holds the positions of the steps that it says; a text that says the goal says no step. `told` holds the positions of the steps that
    it stands for: those that it says, or all if it says the goal. `rewordings` holds whole texts that say all of it, by voice.
    """

    parts: tuple[Forms, ...]
    kept: tuple[int, ...]
    told: tuple[int, ...]
    says_goal: bool = False
    rewordings: Mapping[str, str] = field(default_factory=dict)


@lru_cache(maxsize=20_000)
def forms_of(said: tuple[str, ...], renamed: tuple[tuple[str, str], ...] = ()) -> Forms:
    """Return the words by form, with the argument names of a composition."""
    names = dict(renamed)
    return Forms([_renamed(text, names) for text in said] if names else said)


def forms_of_step(step: Step, named: bool = False) -> Forms:
    """Return the words of a step: those that name no application, or those that name its own."""
    return forms_of(step.task.named if named else step.task.say, tuple(sorted(step.names.items())))


def rewordings_of_step(step: Step) -> Mapping[str, str]:
    """Return the rewordings of a step by voice, with the argument names of its composition."""
    names = step.names
    return {voice: _renamed(text, names) for voice, text in step.task.rewordings.items()} if names else step.task.rewordings


def _renamed(text: str, names: Mapping[str, str]) -> str:
    return PLACEHOLDER.sub(lambda match: f"{{{names.get(match[1], match[1])}}}", text)
