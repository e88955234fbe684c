"""Typos, only in ordinary words: never in a value, a name, a number or a path."""

import re
from collections.abc import Collection
from random import Random

_WORD = re.compile(r"(?<![\w{\"'@#./\\-])[a-z]{4,}(?![\w}\"'@/\\-])")
_NEIGHBOURS = {
    "a": "s", "b": "v", "c": "x", "d": "f", "e": "r", "f": "g", "g": "h", "h": "j", "i": "o", "k": "l", "l": "k", "m": "n",
    "n": "m", "o": "p", "p": "o", "r": "t", "s": "d", "t": "y", "u": "i", "v": "b", "w": "e", "y": "u",
}  # fmt: skip


def with_typo(text: str, ordinary: Collection[str], random: Random) -> str:
    """Return the text with a typo in one ordinary word: two letters swapped, one left out, one doubled, or a neighbouring key.

    Words in quotation marks do not change. A text without an ordinary word does not change.
    """
    quoted = [match.span() for match in re.finditer(r'"[^"]*"', text)]
    words = [match for match in _WORD.finditer(text) if match[0] in ordinary and not any(start <= match.start() < end for start, end in quoted)]
    if not words:
        return text
    word = random.choice(words)
    return text[: word.start()] + _mistyped(word[0], random) + text[word.end() :]


def _mistyped(word: str, random: Random) -> str:
    """Return the word with one typo behind its first letter. It always differs from the word."""
    place = random.randrange(1, len(word) - 1)
    slips = [
        word[:place] + word[place + 1] + word[place] + word[place + 2 :],
        word[:place] + word[place + 1 :],
        word[:place] + word[place] + word[place:],
        word[:place] + _NEIGHBOURS.get(word[place], word[place]) + word[place + 1 :],
    ]
    return random.choice([slip for slip in slips if slip != word])
