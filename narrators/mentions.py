"""Mentions: the applications and kinds of applications that a text names, and which of them it addresses."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from atomic_tasks.names import spoken_names
from atomic_tasks.schema import Application, Declared, Kinds
from atomic_tasks.yaml_source import read_declared_file

MENTIONS_FILE = Path(__file__).parent / "mentions.yaml"
_PREPOSITION = re.compile(r"^(?:in|on|with) (?:my|our|the) ")
_ARTICLE = re.compile(r"^the ", re.IGNORECASE)
_CLOSE = r"(?:(?:my|our|your|the|a|an|this|that) )?(?:(?:online|new|own|built-in|desktop|good old|old) )?[\"'(]?$"


class Words(Declared):
    """Words that stand before names, and words for any program."""

    addressing: tuple[str, ...]
    addressing_a_word: tuple[str, ...]
    generic: tuple[str, ...]


@dataclass(frozen=True)
class Mentioned:
    """The mentions of a text: applications by id, kinds by name and vendor.

    `addressed` holds the mentions that the text addresses. `rest` is the text without its mentions.
    """

    named: frozenset[str]
    addressed: frozenset[str]
    says_program: bool
    rest: str


@cache
def _words() -> Words:
    return read_declared_file(MENTIONS_FILE, Words)


class Mentions:
    """Finds mentions of the applications and kinds of the catalog.

    Some names are also ordinary words (Word, Photos). Such a name counts if it has a capital letter and is not the first word
    of a sentence, or if it is addressed.
    """

    def __init__(self, applications: Mapping[str, Application], kinds: Kinds) -> None:
        kind_of = dict(_kind_phrases(applications, kinds))
        self._kinds = {phrase: f"kind {kind}" for phrase, kind in kind_of.items()}
        self._names: dict[str, set[str]] = defaultdict(set)
        ordinary: set[str] = set()
        for application in applications.values():
            for name in spoken_names(application):
                spelled = _ARTICLE.sub("", name)
                self._names[spelled.casefold()].add(application.application)
                if application.name_is_a_word:
                    ordinary.add(spelled)
        plain = {name for name in self._names if name not in {word.casefold() for word in ordinary}}
        words = _words()
        vendors = _any_of({*kinds.vendors})
        self._mention = re.compile(  # names before ordinary words: "Notepad plus plus" is not Notepad
            rf"(?<![\w+@/\\.-])(?:(?i:(?:(?P<vendor>{vendors})(?:'s)? )?(?P<kind>{_any_of(self._kinds)})s?)"
            rf"|(?P<name>(?i:{_any_of(plain)}))|(?P<capital>{_any_of(ordinary)})|(?P<word>(?i:{_any_of(ordinary)})))(?![\w+])"
        )
        self._generic = re.compile(rf"\b(?:{_any_of(words.generic)})\b", re.IGNORECASE)
        self._addressing = re.compile(rf"(?:^|[^\w'])(?:{_any_of(words.addressing)}) {_CLOSE}", re.IGNORECASE)
        self._addressing_a_word = re.compile(rf"(?:^|[^\w'])(?:{_any_of(words.addressing_a_word)}) $", re.IGNORECASE)

    def of(self, text: str) -> Mentioned:
        """Return what the text mentions."""
        named: set[str] = set()
        addressed: set[str] = set()
        rest: list[str] = []
        end = 0
        for match in self._mention.finditer(text):
            addresses = self._addresses(match, text)
            if not self._counts(match, text, addresses):
                continue
            rest.append(text[end : match.start()])
            end = match.end()
            identity = self._identity(match)
            named |= identity
            addressed |= identity if addresses else set()
        left = " , ".join([*rest, text[end:]])
        return Mentioned(frozenset(named), frozenset(addressed), self._generic.search(left) is not None, left)

    def _identity(self, match: re.Match[str]) -> set[str]:
        if match["kind"]:
            return {f"{self._kinds[match['kind'].casefold()]} of {(match['vendor'] or 'any').casefold()}"}
        return self._names[match[0].casefold()]

    def _addresses(self, match: re.Match[str], text: str) -> bool:
        before, after = text[: match.start()], text[match.end() :]
        begins = not before or before.endswith((". ", "? ", "! "))
        return after.startswith(":") or (begins and after.startswith(",")) or self._addressing.search(before) is not None

    def _counts(self, match: re.Match[str], text: str, addresses: bool) -> bool:
        """Tell whether a match is a mention. Names always are. For ordinary words, the capital letter and the place decide."""
        before, after = text[: match.start()], text[match.end() :]
        if match["capital"]:
            return addresses or (bool(before) and not before.endswith((". ", "? ", "! ", ": ")))
        if match["word"]:
            ends = re.match(r"$|[,:;.?!]| (?:and|to|then|please)\b", after) is not None
            return ends and self._addressing_a_word.search(before) is not None
        return True


def _kind_phrases(applications: Mapping[str, Application], kinds: Kinds) -> Iterator[tuple[str, str]]:
    """Yield phrases for kinds of applications in lower case, each with the name of its kind. Phrases of `kinds` come last, so they win."""
    by_applications = {frozenset(kind.applications): name for name, kind in kinds.kinds.items()}
    of_phrase: dict[str, set[str]] = defaultdict(set)
    for application in applications.values():
        of_phrase[application.kind.casefold()].add(application.application)
    for phrase, members in of_phrase.items():
        yield phrase, by_applications.get(frozenset(members), phrase)
    for name, kind in kinds.kinds.items():
        for said in kind.say:
            yield _PREPOSITION.sub("", said).casefold(), name
        if kind.of_vendor:
            yield _PREPOSITION.sub("", kind.of_vendor).replace("{vendor} ", "").casefold(), name


def _any_of(texts: Iterable[str]) -> str:
    """Return a pattern for any of the texts, the longest first."""
    return "|".join(re.escape(text) for text in sorted(texts, key=lambda text: (-len(text), text)))
