"""Content words of English texts by their stems, for comparing what two texts speak of."""

import re
from collections.abc import Collection
from functools import lru_cache

import snowballstemmer

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_STEMMER = snowballstemmer.stemmer("english")


def words(text: str) -> list[str]:
    """The words of a text, in lower case, numbers aside."""
    return _WORD.findall(text.casefold())


def stems(text: str, stop_words: Collection[str]) -> frozenset[str]:
    """The stems of the text's words, stop words aside."""
    return frozenset(stem(word) for word in words(text) if word not in stop_words)


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """What inflected forms of a word have in common, by Snowball's English stemmer (Porter 2)."""
    return str(_STEMMER.stemWord(word.split("'", maxsplit=1)[0]))
