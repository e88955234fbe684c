"""The faithfulness check of paraphrases: whether the new text asks for all that the old text asks, and for nothing else.

The check is deterministic and uses no model. AppSelectBench (section 5, Figure 5) lets a model rephrase narrated texts. The
ground truth depends on what they say, so in doubt a paraphrase is refused. Each ask (a kept step or the goal) comes with its words, a part.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator

from atomic_tasks.schema import Declared
from atomic_tasks.yaml_source import read_declared_file
from narrators.asks import Narrated
from narrators.mentions import Mentions
from narrators.proper_names import names_in, stands_in
from narrators.values import Values
from narrators.words import stem, stems, words

FAITHFULNESS_FILE = Path(__file__).parent / "faithfulness.yaml"
Flaw = Literal[
    "unclean", "refusal", "answer", "length", "value_lost", "value_moved", "number_changed", "application_named", "application_lost",
    "addressing_changed", "name_lost", "name_added", "reversed", "step_lost", "step_moved", "step_added",
]  # fmt: skip
_UNCLEAN = re.compile(r"[{}]|  |^\s|\s$")  # as in the gate
_GAP = re.compile(r" [,;!?](?:\s|$)")  # where something was removed
_LENGTHS = range(8, 1201)  # characters, as in the gate
_NUMBER = re.compile(r"\{\w+\}|\d+(?:[.,:/]\d+)*|[^\W\d_]+")
_FEW = 4  # a part can have twice the words of its ask, and this many more
_LEAST = 0.4  # a part must have this share of the number of words of its ask


def _compiled(pattern: Any) -> Any:
    return re.compile(pattern, re.IGNORECASE) if isinstance(pattern, str) else pattern


Pattern = Annotated[re.Pattern[str], BeforeValidator(_compiled)]


class Lists(Declared):
    """The declared words and patterns."""

    stop_words: frozenset[str]
    synonyms: tuple[tuple[str, ...], ...]
    numbers: dict[str, str]
    moments: frozenset[str]
    opposites: tuple[tuple[str, str], ...]
    negations: frozenset[str]
    refusal: tuple[Pattern, ...]
    answer: tuple[Pattern, ...]
    turns_order: tuple[Pattern, ...]
    asks_for_answer: Pattern
    asks_for_deed: Pattern


@cache
def read_lists() -> Lists:
    """Return the declared words and patterns of the check."""
    return read_declared_file(FAITHFULNESS_FILE, Lists)


@dataclass(frozen=True)
class Pair:
    """A narrated text and its paraphrase, with what several checks need."""

    narrated: Narrated
    text: str
    parts: Sequence[str]
    mentions: Mentions

    @cached_property
    def values(self) -> Values:
        """Return the values of the narrated text."""
        return Values(self.narrated.values, self.narrated.text)

    @cached_property
    def bare(self) -> tuple[str, str]:
        """Return both texts without their values."""
        return self.values.masked(self.narrated.text), self.values.masked(self.text)

    @cached_property
    def said(self) -> tuple[str, ...]:
        """Return the parts as they are in the paraphrase, without end punctuation that the model added."""
        return tuple(part if part in self.text else part.rstrip(".?!,; ") for part in map(str.strip, self.parts))

    @cached_property
    def rest(self) -> str | None:
        """Return the paraphrase without its parts, or None if a part is missing or overlaps another part."""
        text = self.text
        for part in sorted(self.said, key=len, reverse=True):
            if part not in text:
                return None
            text = text.replace(part, "\n", 1)
        return text


def flaw(narrated: Narrated, text: str, parts: Sequence[str], mentions: Mentions) -> Flaw | None:
    """Return the first reason why the text is not a faithful paraphrase, or None. `parts` are its words for each ask, in order."""
    pair = Pair(narrated, text, parts, mentions)
    for check in _CHECKS:
        found = check(pair)
        if found is not None:
            return found
    return None


def _unclean(pair: Pair) -> Flaw | None:
    """Refuse line breaks, markup, what the gate refuses, and quotation marks around the whole text."""
    text = pair.text
    quoted = text[:1] == '"' == text[-1:] and pair.narrated.text[:1] != '"'
    gap = _GAP.search(text) and not _GAP.search(pair.narrated.text)
    bad = _UNCLEAN.search(text) or gap or not text.isprintable() or quoted or ("`" in text and "`" not in pair.narrated.text)
    return "unclean" if bad else None


def _refusal(pair: Pair) -> Flaw | None:
    return "refusal" if _comes_to_match(read_lists().refusal, pair) else None


def _answer(pair: Pair) -> Flaw | None:
    """Refuse answers, instructions, and questions that became statements."""
    lists = read_lists()
    asked = pair.narrated.text.rstrip().endswith("?") and not lists.asks_for_deed.search(pair.narrated.text)
    answered = asked and not lists.asks_for_answer.search(pair.text)
    return "answer" if answered or _comes_to_match(lists.answer, pair) else None


def _comes_to_match(patterns: Sequence[re.Pattern[str]], pair: Pair) -> bool:
    """Tell whether the paraphrase without its values matches a pattern that the narrated text does not match."""
    before, after = pair.bare
    return any(pattern.search(after) and not pattern.search(before) for pattern in patterns)


def _length(pair: Pair) -> Flaw | None:
    before, after = len(pair.narrated.text.split()), len(pair.text.split())
    return None if before / 2 <= after <= 2 * before and len(pair.text) in _LENGTHS else "length"


def _values(pair: Pair) -> Flaw | None:
    """Check that every value is still there in its role, and that no other value of a fixed choice was added."""
    values, narrated = pair.values, pair.narrated
    if set(values.standing_in(narrated.text)) - set(values.standing_in(pair.text)):
        return "value_lost"
    before, after = pair.bare
    if any(stands_in(other, after) and not stands_in(other, before) for other in narrated.other_choices):
        return "value_lost"
    if values.order(narrated.text, narrated.generators) != values.order(pair.text, narrated.generators):
        return "value_moved"
    for name in narrated.values:
        was, now = values.led_by(name, narrated.text), values.led_by(name, pair.text)
        if any({one, other} <= was ^ now and (one in was) != (other in was) for one, other in read_lists().opposites):
            return "value_moved"
    return None


def _numbers(pair: Pair) -> Flaw | None:
    """Check that the numbers outside values are the same, and in the same order among the values that are numbers."""
    before, after = (_numbers_in(pair.values.masked(text, as_names=True), pair.narrated.values) for text in (pair.narrated.text, pair.text))
    was, now = ([token for token in tokens if token[0] != "{"] for tokens in (before, after))
    return "number_changed" if was != now or (was and before != after) else None


def _numbers_in(text: str, values: Mapping[str, str]) -> list[str]:
    """Return the numbers in figures, and the names of values that begin with a digit. A direct repetition counts once."""
    in_words = read_lists().numbers
    found = (in_words.get(token.casefold(), token) for token in _NUMBER.findall(text))
    tokens = [token for token in found if token[0].isdigit() or (token[0] == "{" and values[token[1:-1]][0].isdigit())]
    return [token for token, _ in groupby(tokens)]


def _applications(pair: Pair) -> Flaw | None:
    """Check that both texts mention and address the same applications and kinds."""
    before, after = pair.mentions.of(pair.narrated.text), pair.mentions.of(pair.text)
    if after.named - before.named or (after.says_program and not before.says_program):
        return "application_named"
    if before.named - after.named:
        return "application_lost"
    return None if before.addressed == after.addressed else "addressing_changed"


def _names(pair: Pair) -> Flaw | None:
    """Check that no quotation, path, address, file, capitalised word or moment is lost or new. Applications are checked elsewhere."""
    before, after = (pair.mentions.of(text).rest for text in pair.bare)
    moments = read_lists().moments
    if any(not stands_in(name, after) for name in names_in(before)):
        return "name_lost"
    if any(not stands_in(name, before) for name in names_in(after)):
        return "name_added"
    was, now = moments & _bare_words(before), moments & _bare_words(after)
    return "name_lost" if was - now else "name_added" if now - was else None


def _bare_words(text: str) -> set[str]:
    return {word.removesuffix("'s") for word in words(text)}


def _reversed(pair: Pair) -> Flaw | None:
    """Refuse a word that was replaced by its opposite, and a negation that was added or removed."""
    lists = read_lists()
    before, after = (set(words(text)) for text in pair.bare)
    gone, come = before - after, after - before
    turned = any((one in gone and other in come) or (other in gone and one in come) for one, other in lists.opposites)
    return "reversed" if turned or _negated(before) != _negated(after) else None


def _negated(found: set[str]) -> bool:
    return bool(found & read_lists().negations) or any(word.endswith("n't") for word in found)


def _steps(pair: Pair) -> Flaw | None:
    """Check that each ask has a part in the text, that parts do not overlap, and that each part is about its ask."""
    narrated, parts = pair.narrated, pair.said
    if len(parts) != len(narrated.asks) or not all(parts) or pair.rest is None:
        return "step_lost"
    about = [_content(ask.about) for ask in narrated.asks]
    owners = {name: [number for number, ask in enumerate(narrated.asks) if name in ask.values] for name in narrated.values}
    standing = [pair.values.standing_in(part) for part in parts]
    if any(numbers and not any(name in standing[number] for number in numbers) for name, numbers in owners.items()):
        return "step_lost"
    for number, (ask, part) in enumerate(zip(narrated.asks, parts, strict=True)):
        others = frozenset().union(*(about[other] for other in range(len(about)) if other != number))
        own = about[number] - others
        said, was = _content(pair.values.masked(part)), _content(pair.values.masked(ask.text)) & about[number]
        needed = own if own & was else about[number]
        if (was and not said & needed) or len(part.split()) < _LEAST * len(ask.text.split()):
            return "step_lost"
    return None


def _order(pair: Pair) -> Flaw | None:
    """Check that the parts are in the order of their asks, and that no word reverses this order."""
    places = [pair.text.find(part) for part in pair.said]
    turned = len(places) > 1 and _comes_to_match(read_lists().turns_order, pair)
    return "step_moved" if turned or places != sorted(places) else None


def _added(pair: Pair) -> Flaw | None:
    """Check that nothing more is asked: no part is much longer than its ask, and no more is said around the parts than before."""
    narrated, parts = pair.narrated, pair.said
    if any(len(part.split()) > 2 * len(ask.text.split()) + _FEW for ask, part in zip(narrated.asks, parts, strict=True)):
        return "step_added"
    known = _content(" ".join([narrated.text, *(ask.about for ask in narrated.asks)]))
    said_before = _content(pair.values.masked(narrated.around))
    said_now = _content(pair.values.masked(pair.rest or ""))
    return "step_added" if len(said_now - known) > len(said_before) else None


def _content(text: str) -> frozenset[str]:
    """Return the stems of the content words. Synonyms share one stem."""
    same = _same_stems()
    return frozenset(same.get(found, found) for found in stems(text, read_lists().stop_words))


@cache
def _same_stems() -> dict[str, str]:
    return {stem(word): stem(group[0]) for group in read_lists().synonyms for word in group}


_CHECKS: tuple[Callable[[Pair], Flaw | None], ...] = (
    _unclean, _refusal, _length, _values, _numbers, _applications, _names, _answer, _reversed, _steps, _order, _added,
)  # fmt: skip
