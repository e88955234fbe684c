"""The narrator: writes one text for a bound composition, in a style drawn at the rates of the recipe.

A text is first built with placeholders: this is the masked text. Then they are filled from left to right, so that a text
can refer to a value that was said before ("that workbook").
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from atomic_tasks.schema import is_sentence
from compositions.graph import ApplicationGraph
from compositions.model import Composition
from compositions.splits import Split, SplitOf, no_split
from narrators.drop_out import kept_steps
from narrators.material import GOAL_PARTS, Material, Shape, Spoken
from narrators.naming import Level, Words
from narrators.parts import Parts, capitalized
from narrators.rates import NarrationRates
from narrators.references import filled
from narrators.styles import Styles, compiled, parts_of, speaks_as_i
from narrators.typos import with_typo

__all__ = ["Narration", "Narrator", "Spoken"]

_AROUND = frozenset({"application", "place", "background", "deadline"})  # parts that ask for nothing


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


class Narrator:
    """Narrates compositions in declared styles at declared rates. Each text stays within one split if possible."""

    def __init__(self, styles: Styles, rates: NarrationRates, split_of: SplitOf = no_split) -> None:
        self.styles = styles
        self.rates = rates
        self._split_of = split_of
        self._ordinary_words = frozenset(styles.may_be_mistyped)
        self._fitting_by_shape: dict[Shape, Mapping[str, Sequence[str]]] = {}

    def narrate(self, composition: Composition, graph: ApplicationGraph, spoken: Spoken, random: Random) -> Narration:
        """Return the text of one user task."""
        rate = random.uniform(*self.rates.drop_out)
        generic_rate = random.uniform(*self.rates.generic_drop_out)
        kept = kept_steps(composition, graph, (rate, generic_rate), self.rates.most_said_steps, random, self._split_of)
        if self._splits(composition, kept) != self._splits(composition, range(len(composition.steps))):
            spoken = replace(spoken, goal=None, goal_may_stand_alone=False)  # the goal stands for steps of other splits too
        return self.narrate_kept(composition, kept, spoken, random, rate)

    def _splits(self, composition: Composition, positions: Collection[int]) -> set[Split | None]:
        """Return the splits of the telling steps at these positions."""
        return {self._split_of(task) for position in positions if not (task := composition.steps[position].task).generic}

    def narrate_kept(self, composition: Composition, kept: tuple[int, ...], spoken: Spoken, random: Random, rate: float = 0.0) -> Narration:
        """Return the text that says these steps. `rate` is the drop-out rate that they were kept at."""
        material = Material([composition.steps[position] for position in kept], spoken)
        level = spoken.names.level(self.rates.naming, random)
        words = random.choice(spoken.names.at(level)) if level != "none" else None
        style, template, raw = self._rendered(material, words, level, random)
        if words is not None and words.stand_twice_in(raw):  # "in my browser, clear the browser's cookies": nobody says the browser twice
            level, words = "none", None
            style, template, raw = self._rendered(material, words, level, random)
        parts = parts_of(template)
        says_steps = bool(parts - GOAL_PARTS - _AROUND)
        in_goals_words = bool(parts & GOAL_PARTS) or ("background" in parts and spoken.goal is not None)
        told = range(len(composition.steps)) if in_goals_words else kept
        masked = self._finished(raw, style, template, random)
        if "{application}" in masked and words is None:
            level, words = "application", random.choice(spoken.names.application)
        has_typo = random.random() < self.rates.typos
        mistyped = with_typo(masked, self._ordinary_words, random) if has_typo else masked
        return Narration(
            text=filled(mistyped, composition.arguments, spoken, words, self.rates.references, random),
            masked_text=masked,
            style=style,
            kept=kept if says_steps else (),
            said_tasks=_telling_tasks(composition, told),
            drop_out_rate=round(rate, 4),
            says_goal=bool(parts & GOAL_PARTS),
            says_steps=says_steps,
            has_typo=mistyped != masked,
            naming=level,
            named=words.applications if words else None,
        )

    def _rendered(self, material: Material, words: Words | None, level: Level, random: Random) -> tuple[str, str, str]:
        """Return a style, one of its templates, and its text with placeholders."""
        style, template = self._template(material, level, random)
        drawn = Parts(material, self.styles, words, speaks_as_i(template), random).draw(list(parts_of(template)))
        return style, template, compiled(template)(drawn)

    def _template(self, material: Material, level: Level, random: Random) -> tuple[str, str]:
        """Draw a style by its weight and one of its templates that fit. Each level of naming has its own templates."""
        fitting = self._fitting(material.shape)
        if level != "none":
            return "named", random.choice(fitting[level])
        styles = [style for style, weight in self.rates.styles.items() if weight and fitting[style]]
        style = random.choices(styles, [self.rates.styles[style] for style in styles])[0]
        return style, random.choice(fitting[style])

    def _fitting(self, shape: Shape) -> Mapping[str, Sequence[str]]:
        """Return the templates that fit, by style and by level of naming. They are found once for each shape of material."""
        if shape not in self._fitting_by_shape:
            styles = {style: self.styles.styles[style] for style in self.rates.styles} | dict(self.styles.named)
            within = {name: style.templates if shape.steps <= style.at_most else () for name, style in styles.items()}
            self._fitting_by_shape[shape] = {name: [text for text in templates if shape.fits(text)] for name, templates in within.items()}
        return self._fitting_by_shape[shape]

    def _finished(self, raw: str, style: str, template: str, random: Random) -> str:
        """Return the text with a capital letter and end punctuation as often as people write them."""
        lower = random.random() < self.rates.lower_case
        ended = random.random() < self.rates.end_punctuation
        if style in self.styles.styles and self.styles.styles[style].as_typed:
            return raw
        if is_sentence(raw):
            return raw.rstrip(".") if lower and not _holds_sentence(template) else capitalized(raw)
        text = raw if lower else capitalized(raw)
        return f"{text}." if ended and not lower else text


def _telling_tasks(composition: Composition, positions: Collection[int]) -> tuple[str, ...]:
    """Return the non-generic atomic tasks at these positions, sorted."""
    tasks = (composition.steps[position].task for position in positions)
    return tuple(sorted({task.id for task in tasks if not task.generic}))


def _holds_sentence(template: str) -> bool:
    return bool(parts_of(template) & {"lead", "first", "goal_sentence", "chain_sentence", "background"})
