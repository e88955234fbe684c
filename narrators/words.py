"""The content words of English texts by their stems, to compare what two texts are about."""

import re
from collections.abc import Collection
from functools import lru_cache

import snowballstemmer

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_STEMMER = snowballstemmer.stemmer("english")


def words(text: str) -> list[str]:
    """Return the words of a text in lower case, without numbers."""
    return _WORD.findall(text.casefold())


def stems(text: str, stop_words: Collection[str]) -> frozenset[str]:
    """Return the stems of the words of a text, without stop words."""
    return frozenset(stem(word) for word in words(text) if word not in stop_words)


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Return the stem of a word by Snowball's English stemmer (Porter 2). Inflected forms share it."""
    return str(_STEMMER.stemWord(word.split("'", maxsplit=1)[0]))
