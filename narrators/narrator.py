"""The narrator: one text for a bound composition, in a style drawn at the recipe's rates.

A text is built with its placeholders still in it, and filled last from left to right, so that a value said before may be
referred to ("that workbook"), and the masked text comes for free.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from atomic_tasks.schema import PLACEHOLDER, Argument, is_sentence
from compositions.graph import ApplicationGraph
from compositions.model import Composition
from narrators.drop_out import kept_steps
from narrators.material import Material, Shape, Spoken
from narrators.rates import NarrationRates
from narrators.styles import Connective, Styles, compiled, parts_of, speaks_as_i
from narrators.typos import with_typo

__all__ = ["Narration", "Narrator", "Spoken", "capitalized"]

# "the uploaded that spreadsheet", "newer that package" and "\"that note\"" read wrong: where a determiner, a noun of its own or
# a quotation mark stands before it, the value itself is said again
_DETERMINERS = "a|an|the|my|your|our|his|her|their|its|this|that|these|those|each|every|both|any|no|new|newer|old|older|same|other|named|called"
_PREPOSITIONS = "of|in|to|from|with|on|for|and|at|as|by|into|onto|under|over|inside|through|than|is|are|so|if|when"
_NO_REFERENCE_AFTER = re.compile(rf"(?:[\"'(#@/\\]|\b(?:{_DETERMINERS}|\d+) (?:(?!(?:{_PREPOSITIONS})\b)[\w'-]+ ){{0,2}})$", re.IGNORECASE)


@dataclass(frozen=True)
class Narration:
    """A text, its form with arguments masked, and what it says of the composition."""

    text: str
    masked_text: str
    style: str
    kept: tuple[int, ...]
    drop_out_rate: float
    says_goal: bool
    says_steps: bool
    has_typo: bool
    addresses: bool


class Narrator:
    """Narrates compositions in declared styles at declared rates."""

    def __init__(self, styles: Styles, rates: NarrationRates) -> None:
        self.styles = styles
        self.rates = rates
        self._ordinary_words = frozenset(styles.may_be_mistyped)
        self._fitting_by_shape: dict[Shape, Mapping[str, Sequence[str]]] = {}

    def narrate(self, composition: Composition, graph: ApplicationGraph, spoken: Spoken, random: Random) -> Narration:
        """The text of one user task."""
        rate = random.uniform(*self.rates.drop_out)
        generic_rate = random.uniform(*self.rates.generic_drop_out)
        kept = kept_steps(composition.steps, graph, (rate, generic_rate), self.rates.most_said_steps, random)
        material = Material([composition.steps[position] for position in kept], spoken)
        addressed = bool(spoken.names) and random.random() < self.rates.addressed
        style, template = self._addressed(material, random) if addressed else self._template(material, random)
        parts = parts_of(template)
        says_steps = bool(parts - {"goal", "goal_sentence", "application"})
        raw = compiled(template).render(self._parts(template, material, random))
        masked = self._finished(raw, template, random)
        has_typo = random.random() < self.rates.typos
        mistyped = with_typo(masked, self._ordinary_words, random) if has_typo else masked
        return Narration(
            text=_filled(mistyped, composition.arguments, spoken, random),
            masked_text=masked,
            style=style,
            kept=kept if says_steps else (),
            drop_out_rate=round(rate, 4),
            says_goal=bool(parts & {"goal", "goal_sentence"}),
            says_steps=says_steps,
            has_typo=mistyped != masked,
            addresses=addressed or "{application}" in masked,
        )

    def _addressed(self, material: Material, random: Random) -> tuple[str, str]:
        """A template that addresses the application."""
        return "addressed", random.choice(self._fitting(material.shape)["addressed"])

    def _template(self, material: Material, random: Random) -> tuple[str, str]:
        """A style by its weight and one of its templates, among those that fit."""
        fitting = self._fitting(material.shape)
        styles = [style for style in self.rates.styles if fitting[style]]
        style = random.choices(styles, [self.rates.styles[style] for style in styles])[0]
        return style, random.choice(fitting[style])

    def _fitting(self, shape: Shape) -> Mapping[str, Sequence[str]]:
        """The templates that fit, by style and for addressing; looked up once for each shape of material."""
        if shape not in self._fitting_by_shape:
            styles = self.styles.styles
            named = {style: styles[style].templates if shape.steps <= styles[style].at_most else () for style in self.rates.styles}
            named["addressed"] = self.styles.addressed
            self._fitting_by_shape[shape] = {style: [text for text in templates if shape.fits(text)] for style, templates in named.items()}
        return self._fitting_by_shape[shape]

    def _parts(self, template: str, material: Material, random: Random) -> dict[str, str]:
        """The parts that the template uses, drawn in the order of their names so that seeds mean the same everywhere."""
        made: dict[str, str] = {}
        as_i = speaks_as_i(template)
        steps = range(len(material.steps))
        for part in sorted(parts_of(template)):
            if part in ("chain", "chain_sentence"):
                chain = self._joined(steps, material, as_i, random)
                made[part] = chain if part == "chain" else capitalized(chain)
            elif part in ("lead", "first"):
                made[part] = material.said(0, random.choice(material.forms[0].sentences))
            elif part == "last":
                made[part] = material.said(steps[-1], random.choice(material.forms[-1].sentences))
            elif part in ("rest", "front"):
                made[part] = self._joined(steps[1:] if part == "rest" else steps[:-1], material, as_i, random)
            elif part in ("goal", "goal_sentence"):
                made[part] = random.choice(material.goal.clauses_for(as_i) if part == "goal" else material.goal.sentences)
            else:
                made[part] = "{application}"
        return made

    def _joined(self, steps: Sequence[int], material: Material, as_i: bool, random: Random) -> str:
        """The steps as clauses, joined by a connective that reads well between them."""
        clauses = [material.said(number, random.choice(material.forms[number].clauses_for(as_i))) for number in steps]
        if len(clauses) == 1:
            return clauses[0]
        intricate = any("," in clause or " and " in clause for clause in clauses)
        fitting = [connective for connective in self.styles.connectives if _joins(connective, len(clauses), intricate)]
        connective = random.choice(fitting)
        return connective.between.join(clauses[:-1]) + connective.last + clauses[-1]

    def _finished(self, raw: str, template: str, random: Random) -> str:
        """Capital letter and end punctuation as people set them."""
        lower = random.random() < self.rates.lower_case
        ended = random.random() < self.rates.end_punctuation
        if is_sentence(raw):
            return raw.rstrip(".") if lower and not _holds_sentence(template) else capitalized(raw)
        text = raw if lower else capitalized(raw)
        return f"{text}." if ended and not lower else text


def _holds_sentence(template: str) -> bool:
    return bool(parts_of(template) & {"lead", "first", "last", "goal_sentence", "chain_sentence"})


def _joins(connective: Connective, clauses: int, intricate: bool) -> bool:
    return connective.at_least <= clauses <= connective.at_most and not (intricate and connective.plain)


def capitalized(text: str) -> str:
    """The text with a capital first letter; a placeholder keeps the case of its value."""
    return text[:1].upper() + text[1:]


def _filled(masked: str, arguments: Mapping[str, Argument], spoken: Spoken, random: Random) -> str:
    """The text with its values; a value said before is referred to where its generator knows how and that reads well."""
    said: set[str] = set()

    def value(match: re.Match[str]) -> str:
        name = match[1]
        if name == "application":
            return random.choice(spoken.names)
        generator = spoken.generators.get(arguments[name].generator or "")
        if name not in said or generator is None or generator.later is None:
            said.add(name)
            return spoken.values[name]
        later = generator.later(random, spoken.values[name])
        before, after = masked[: match.start()], masked[match.end() :]
        if _NO_REFERENCE_AFTER.search(before) or after.startswith('"') or after.startswith(f" {later.rpartition(' ')[2]}"):
            return spoken.values[name]
        return capitalized(later) if before.endswith((". ", "? ", "! ")) else later

    return PLACEHOLDER.sub(value, masked)
