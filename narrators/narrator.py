"""The narrator: writes one text for a bound composition, in a style drawn at the rates of the recipe.

A text is first built with placeholders: this is the masked text. Then they are filled from left to right, so that a text
can refer to a value that was said before ("that workbook").
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from random import Random
from typing import NamedTuple

from atomic_tasks.schema import is_sentence
from atomic_tasks.seeds import Weighted
from compositions.graph import ApplicationGraph
from compositions.model import Composition
from compositions.splits import Split, SplitOf, no_split
from narrators.drop_out import DropOut
from narrators.material import GOAL_PARTS, Material, Shape, Spoken
from narrators.naming import Level, Words
from narrators.parts import Parts, capitalized
from narrators.rates import NarrationRates
from narrators.references import filled
from narrators.styles import Styles, compiled, ordered_parts_of, parts_of, speaks_as_i
from narrators.typos import with_typo

__all__ = ["Narration", "Narrator", "Spoken"]

_AROUND = frozenset({"application", "place", "background", "deadline"})  # parts that ask for nothing
_SENTENCES = frozenset({"lead", "first", "goal_sentence", "chain_sentence", "background"})  # parts that are sentences
_Kept = tuple[Composition, tuple[int, ...]]  # a composition and the positions of its kept steps


@dataclass(frozen=True)
class Narration:
    """A text, the same text with its arguments masked, and what it says of the composition.

    `said_tasks` holds the non-generic atomic tasks of the kept steps, or of all steps if the text uses words of the workflow's goal.
    `named` holds the applications that the words of its naming level stand for, or None if it names nothing.
    """

    text: str
    masked_text: str
    style: str
    kept: tuple[int, ...]
    said_tasks: tuple[str, ...]
    drop_out_rate: float
    says_goal: bool
    says_steps: bool
    has_typo: bool
    naming: Level
    named: tuple[str, ...] | None


class _Fitting(NamedTuple):
    """The templates that fit a shape, by style and by level of naming, and the styles that have any."""

    templates: Mapping[str, Sequence[str]]
    styles: Weighted[str]


class Narrator:
    """Narrates compositions in declared styles at declared rates. Each text stays within one split if possible."""

    def __init__(self, styles: Styles, rates: NarrationRates, split_of: SplitOf = no_split) -> None:
        self.styles = styles
        self.rates = rates
        self._split_of = split_of
        self._ordinary_words = frozenset(styles.may_be_mistyped)
        self._fitting_by_shape: dict[Shape, _Fitting] = {}
        self._drop_outs: dict[Composition, DropOut] = {}
        self._goal_stands: dict[_Kept, bool] = {}
        self._materials: dict[tuple[_Kept, bool, bool, bool], Material] = {}

    def narrate(self, composition: Composition, graph: ApplicationGraph, spoken: Spoken, random: Random) -> Narration:
        """Return the text of one user task."""
        rate = random.uniform(*self.rates.drop_out)
        generic_rate = random.uniform(*self.rates.generic_drop_out)
        if composition not in self._drop_outs:
            self._drop_outs[composition] = DropOut(composition, graph, self._split_of)
        kept = self._drop_outs[composition].kept((rate, generic_rate), self.rates.most_said_steps, random)
        if spoken.goal is not None and not self._may_say_goal(composition, kept):
            spoken = replace(spoken, goal=None, goal_may_stand_alone=False)
        return self.narrate_kept(composition, kept, spoken, random, rate)

    def _may_say_goal(self, composition: Composition, kept: tuple[int, ...]) -> bool:
        """Tell whether the kept steps are of the same splits as all steps, for which the goal stands."""
        key = (composition, kept)
        if key not in self._goal_stands:
            self._goal_stands[key] = self._splits(composition, kept) == self._splits(composition, range(len(composition.steps)))
        return self._goal_stands[key]

    def _splits(self, composition: Composition, positions: Collection[int]) -> set[Split | None]:
        """Return the splits of the telling steps at these positions."""
        return {self._split_of(task) for position in positions if not (task := composition.steps[position].task).generic}

    def narrate_kept(self, composition: Composition, kept: tuple[int, ...], spoken: Spoken, random: Random, rate: float = 0.0) -> Narration:
        """Return the text that says these steps. `rate` is the drop-out rate that they were kept at."""
        material = self._material(composition, kept, spoken)
        level = spoken.names.level(self.rates.naming, random)
        words = random.choice(spoken.names.at(level)) if level != "none" else None
        style, template, raw = self._rendered(material, words, level, random)
        if words is not None and words.stand_twice_in(raw):  # "in my browser, clear the browser's cookies": nobody says the browser twice
            level, words = "none", None
            style, template, raw = self._rendered(material, words, level, random)
        says = _said_by(template)
        in_goals_words = says.goal or (says.background and spoken.goal is not None)
        told = tuple(range(len(composition.steps))) if in_goals_words else kept
        masked = self._finished(raw, style, template, random)
        if "{application}" in masked and words is None:
            level, words = "application", random.choice(spoken.names.application)
        has_typo = random.random() < self.rates.typos
        mistyped = with_typo(masked, self._ordinary_words, random) if has_typo else masked
        return Narration(
            text=filled(mistyped, composition.arguments, spoken, words, self.rates.references, random),
            masked_text=masked,
            style=style,
            kept=kept if says.steps else (),
            said_tasks=composition.telling_tasks(told),
            drop_out_rate=round(rate, 4),
            says_goal=says.goal,
            says_steps=says.steps,
            has_typo=mistyped != masked,
            naming=level,
            named=words.applications if words else None,
        )

    def _material(self, composition: Composition, kept: tuple[int, ...], spoken: Spoken) -> Material:
        """Return the material of these steps, from the cache if it is there: a composition has one goal, which a text may say or not."""
        key = (composition, kept), spoken.goal is None, spoken.goal_may_stand_alone, bool(spoken.names.application)
        if key not in self._materials:
            self._materials[key] = Material([composition.steps[position] for position in kept], spoken)
        return self._materials[key]

    def _rendered(self, material: Material, words: Words | None, level: Level, random: Random) -> tuple[str, str, str]:
        """Return a style, one of its templates, and its text with placeholders."""
        style, template = self._template(material, level, random)
        drawn = Parts(material, self.styles, words, speaks_as_i(template), random).draw(ordered_parts_of(template))
        return style, template, compiled(template)(drawn)

    def _template(self, material: Material, level: Level, random: Random) -> tuple[str, str]:
        """Draw a style by its weight and one of its templates that fit. Each level of naming has its own templates."""
        fitting = self._fitting(material.shape)
        if level != "none":
            return "named", random.choice(fitting.templates[level])
        style = fitting.styles.draw(random)
        return style, random.choice(fitting.templates[style])

    def _fitting(self, shape: Shape) -> "_Fitting":
        """Return the templates that fit. They are found once for each shape of material."""
        if shape not in self._fitting_by_shape:
            styles = {style: self.styles.styles[style] for style in self.rates.styles} | dict(self.styles.named)
            within = {name: style.templates if shape.steps <= style.at_most else () for name, style in styles.items()}
            templates = {name: [text for text in those if shape.fits(text)] for name, those in within.items()}
            weights = {style: weight for style, weight in self.rates.styles.items() if weight and templates[style]}
            self._fitting_by_shape[shape] = _Fitting(templates, Weighted(weights))
        return self._fitting_by_shape[shape]

    def _finished(self, raw: str, style: str, template: str, random: Random) -> str:
        """Return the text with a capital letter and end punctuation as often as people write them."""
        lower = random.random() < self.rates.lower_case
        ended = random.random() < self.rates.end_punctuation
        if style in self.styles.styles and self.styles.styles[style].as_typed:
            return raw
        if is_sentence(raw):
            return raw.rstrip(".") if lower and not _said_by(template).sentence else capitalized(raw)
        text = raw if lower else capitalized(raw)
        return f"{text}." if ended and not lower else text


class _Says(NamedTuple):
    """What a template says of a composition, and whether one of its parts is a sentence."""

    steps: bool
    goal: bool
    background: bool
    sentence: bool


@cache
def _said_by(template: str) -> _Says:
    parts = parts_of(template)
    return _Says(bool(parts - GOAL_PARTS - _AROUND), bool(parts & GOAL_PARTS), "background" in parts, bool(parts & _SENTENCES))
