"""The narrator: writes one text for a bound composition, in a style and a voice drawn at the rates of the recipe.

A text is first built with placeholders: this is the masked text. Then they are filled from left to right, so that a text
can refer to a value that was said before ("that workbook").
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from atomic_tasks.schema import is_sentence
from atomic_tasks.seeds import Weighted
from compositions.graph import ApplicationGraph
from compositions.model import Composition
from compositions.splits import Split, SplitOf, no_split
from narrators.drop_out import DropOut
from narrators.material import Request, Spoken, forms_of, forms_of_step, rewordings_of_step
from narrators.naming import Level, Words
from narrators.rates import NarrationRates
from narrators.references import capitalized, filled
from narrators.styles import Connective, Style, Styles, compiled
from narrators.voices import mannered, with_slips

__all__ = ["Narration", "Narrator", "Spoken"]

_Styled = Mapping[str, tuple[tuple[str, ...], ...]]  # style: the words for each part of a request that fit it


@dataclass(frozen=True)
class Narration:
    """A text, the same text with its arguments masked, and what it says of the composition.

    `said_tasks` holds the non-generic atomic tasks of the kept steps, or of all steps if the text says the workflow's goal.
    `named` holds the applications that the words of its naming level stand for, or None if it names nothing. `has_typo` tells
    whether the writer made slips, which the masked text does not have.
    """

    text: str
    masked_text: str
    style: str
    voice: str
    kept: tuple[int, ...]
    said_tasks: tuple[str, ...]
    drop_out_rate: float
    says_goal: bool
    says_steps: bool
    has_typo: bool
    naming: Level
    named: tuple[str, ...] | None


class _Ways(NamedTuple):
    """The ways to say a request: the words that fit each style, and the styles that have some."""

    words: _Styled
    styles: Weighted[str] | None


class Narrator:
    """Narrates compositions in declared styles and voices at declared rates. Each text stays within one split if possible."""

    def __init__(self, styles: Styles, rates: NarrationRates, split_of: SplitOf = no_split) -> None:
        self.styles = styles
        self.rates = rates
        self._split_of = split_of
        self._voices = Weighted(rates.voices)
        self._drop_outs: dict[Composition, DropOut] = {}
        self._goal_stands: dict[Composition, bool] = {}
        self._requests: dict[tuple[Composition, tuple[int, ...], bool], Request] = {}
        self._joints: dict[Composition, list[Request]] = {}
        self._ways: dict[Request, _Ways] = {}
        self._weighted: dict[tuple[str, ...], Weighted[str] | None] = {}

    def narrate(self, composition: Composition, graph: ApplicationGraph, spoken: Spoken, random: Random) -> Narration:
        """Return the text of one user task."""
        rate = random.uniform(*self.rates.drop_out)
        generic_rate = random.uniform(*self.rates.generic_drop_out)
        if composition not in self._drop_outs:
            self._drop_outs[composition] = DropOut(composition, graph, self._split_of)
        kept = self._drop_outs[composition].kept((rate, generic_rate), self.rates.most_said_steps, random)
        if spoken.goal_may_stand_alone and self._may_say_goal(composition) and random.random() < self.rates.goal:
            return self._narrated(composition, self._goal(composition, spoken), spoken, random, rate)
        joint = self._joint(composition, graph, kept, spoken, random)
        if joint is not None:
            return self._narrated(composition, joint, spoken, random, rate)
        if len(graph.nodes) == 1:  # without words of their own, several steps would be unrelated wishes in one text
            kept = (random.choice([position for position in kept if not composition.steps[position].task.generic] or kept),)
        return self.narrate_kept(composition, kept, spoken, random, rate)

    def narrate_kept(self, composition: Composition, kept: tuple[int, ...], spoken: Spoken, random: Random, rate: float = 0.0) -> Narration:
        """Return the text that says these steps. `rate` is the drop-out rate that they were kept at."""
        return self._narrated(composition, self._steps(composition, kept, named=False), spoken, random, rate)

    def _narrated(self, composition: Composition, request: Request, spoken: Spoken, random: Random, rate: float) -> Narration:
        level = spoken.names.level(self.rates.naming, random)
        name = self._voice_of_rewordings(request, level, random)
        words = None
        if name in request.rewordings:
            style, raw = "reworded", request.rewordings[name]
            masked = raw
        else:
            if level == "application" and len(request.kept) == 1 and composition.steps[request.kept[0]].task.named:
                request = self._steps(composition, request.kept, named=True)
            elif level != "none":
                words = random.choice(spoken.names.at(level))
            style, raw = self._rendered(request, words, level, random)
            if words is not None and words.stand_twice_in(raw):  # "in my browser, clear the browser's cookies": nobody says the browser twice
                level, words = "none", None
                style, raw = self._rendered(request, words, level, random)
            name = name or self._voices.draw(random)
            masked = mannered(_ended(raw), self.styles.voices[name], self.styles, random)
        if "{application}" in raw and words is None:
            words = random.choice(spoken.names.application)
        if level == "none" and any(one.text in raw for one in spoken.names.application):
            level = "application"
        slipped = with_slips(masked, self.styles.voices[name], self.styles, random)
        return Narration(
            text=filled(slipped, composition.arguments, spoken, words, self.rates.references, random),
            masked_text=masked,
            style=style,
            voice=name,
            kept=request.kept,
            said_tasks=composition.telling_tasks(request.told),
            drop_out_rate=round(rate, 4),
            says_goal=request.says_goal,
            says_steps=not request.says_goal,
            has_typo=slipped != masked,
            naming=level,
            named=None if level == "none" else words.applications if words else spoken.names.application[0].applications,
        )

    def _voice_of_rewordings(self, request: Request, level: Level, random: Random) -> str:
        """Return the voice of a text that may be a rewording; empty if it may not. A voice without a rewording says the request in other words."""
        may_be = level == "none" and self.rates.rewordings and request.rewordings
        return self._voices.draw(random) if may_be and random.random() < self.rates.rewordings else ""

    def _rendered(self, request: Request, words: Words | None, level: Level, random: Random) -> tuple[str, str]:
        """Return a style and a text with placeholders in it."""
        ways = self._ways_of(request)
        if words is not None:
            style = self.styles.named[level]  # type: ignore[index]  # words are drawn at a level other than "none"
            parts = tuple(part.for_style(style) for part in request.parts)
            if all(parts):
                return "named", self._framed(style, parts, words, random)
        if ways.styles is None:
            raise RuntimeError(f"no style of the recipe can say {request}, though the recipe was validated")
        name = ways.styles.draw(random)
        return name, self._framed(self.styles.styles[name], ways.words[name], words, random)

    def _framed(self, style: Style, parts: tuple[tuple[str, ...], ...], words: Words | None, random: Random) -> str:
        """Return one of the style's templates with words for each part."""
        said = self._joined([random.choice(part) for part in parts], random)
        template = random.choice(style.templates)
        return compiled(template)({"clause": said, "whole": said, "application": "{application}", "place": words.text if words else ""})

    def _joined(self, clauses: list[str], random: Random) -> str:
        """Return the clauses, joined by a connective that reads well between them."""
        if len(clauses) == 1:
            return clauses[0]
        intricate = any("," in clause or " and " in clause for clause in clauses)
        connective = random.choice([one for one in self.styles.connectives if _joins(one, len(clauses), intricate)])
        return connective.between.join(clauses[:-1]) + connective.last + clauses[-1]

    def _ways_of(self, request: Request) -> _Ways:
        """Return the ways to say a request. They are found once for each request."""
        if request not in self._ways:
            words = {}
            for name in self.rates.styles:
                style = self.styles.styles[name]
                if len(request.parts) <= (1 if style.says_whole else style.most_steps):
                    parts = tuple(part.for_style(style) for part in request.parts)
                    if self.rates.styles[name] and all(parts):
                        words[name] = parts
            self._ways[request] = _Ways(words, self._weighted_styles(tuple(words)))
        return self._ways[request]

    def _weighted_styles(self, names: tuple[str, ...]) -> Weighted[str] | None:
        if names not in self._weighted:
            self._weighted[names] = Weighted({name: self.rates.styles[name] for name in names}) if names else None
        return self._weighted[names]

    def _steps(self, composition: Composition, kept: tuple[int, ...], named: bool) -> Request:
        key = (composition, kept, named)
        if key not in self._requests:
            steps = [composition.steps[position] for position in kept]
            rewordings = rewordings_of_step(steps[0]) if len(steps) == 1 and not named else {}
            self._requests[key] = Request(tuple(forms_of_step(step, named) for step in steps), kept, kept, rewordings=rewordings)
        return self._requests[key]

    def _goal(self, composition: Composition, spoken: Spoken) -> Request:
        key = (composition, (), False)
        if key not in self._requests:
            assert spoken.goal is not None
            told = tuple(range(len(composition.steps)))
            self._requests[key] = Request((forms_of(spoken.goal.say),), (), told, says_goal=True, rewordings=spoken.goal.rewordings)
        return self._requests[key]

    def _may_say_goal(self, composition: Composition) -> bool:
        """Tell whether all telling steps, for which the goal stands, are of one split."""
        if composition not in self._goal_stands:
            self._goal_stands[composition] = len(self._splits(composition, range(len(composition.steps)))) <= 1
        return self._goal_stands[composition]

    def _splits(self, composition: Composition, positions: Collection[int]) -> set[Split | None]:
        """Return the splits of the telling steps at these positions."""
        return {self._split_of(task) for position in positions if not (task := composition.steps[position].task).generic}

    def _joint(self, composition: Composition, graph: ApplicationGraph, kept: tuple[int, ...], spoken: Spoken, random: Random) -> Request | None:
        """Return joint words that say about the kept steps; None if a single step is kept, or if the workflow has no joint words for its split.

        Among the joint words, those that share most steps with the kept ones are preferred. A text across applications always has joint words, if
        necessary words that mix splits.
        """
        if len(kept) < 2 or not spoken.joint:
            return None
        if composition not in self._joints:
            self._joints[composition] = self._usable(composition, graph, spoken)
        usable = self._joints[composition]
        within = self._splits(composition, kept)
        fitting = [request for request in usable if len(within) > 1 or self._splits(composition, request.kept) <= within]
        if not fitting and len(graph.nodes) > 1:
            fitting = usable
        if not fitting:
            return None
        most = max(_shared(request.kept, kept) for request in fitting)
        return random.choice([request for request in fitting if _shared(request.kept, kept) == most])

    def _usable(self, composition: Composition, graph: ApplicationGraph, spoken: Spoken) -> list[Request]:
        """Return the joint words whose steps are all in the composition, and that say a step of every node of the graph."""
        place = {step.label: position for position, step in enumerate(composition.steps)}
        found = []
        for joint in spoken.joint:
            positions = tuple(sorted(place[label] for label in joint.says if label in place))
            if len(positions) == len(joint.says) and all(set(node).intersection(positions) for node in graph.nodes):
                found.append(Request((forms_of(joint.say),), positions, positions, rewordings=joint.rewordings))
        return found


def _shared(said: tuple[int, ...], kept: tuple[int, ...]) -> int:
    """Return how many steps are in both, less those that are in one alone."""
    return len(set(said) & set(kept)) - len(set(said) ^ set(kept))


def _ended(raw: str) -> str:
    """Return the text with a capital letter and end punctuation."""
    return capitalized(raw) if is_sentence(raw) else f"{capitalized(raw)}."


def _joins(connective: Connective, clauses: int, intricate: bool) -> bool:
    return connective.at_least <= clauses <= connective.at_most and not (intricate and connective.plain)
