"""Content words of English texts by their stems, for comparing what two texts speak of."""

import re
from collections.abc import Collection

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_ENDINGS = ("ingly", "edly", "ations", "ation", "ments", "ment", "ions", "ion", "ings", "ing", "ied", "ies", "ed", "es", "ly", "s", "e")
_SHORTEST = 3  # letters that are left of a word


def words(text: str) -> list[str]:
    """The words of a text, in lower case, numbers aside."""
    return _WORD.findall(text.casefold())


def stems(text: str, stop_words: Collection[str]) -> frozenset[str]:
    """The stems of the text's words, stop words aside."""
    return frozenset(stem(word) for word in words(text) if word not in stop_words)


def stem(word: str) -> str:
    """What inflected forms of a word have in common: a suffix stripper in the manner of Porter's (1980) first steps."""
    base = word.split("'", maxsplit=1)[0]
    for ending in _ENDINGS:
        if base.endswith(ending) and len(base) - len(ending) >= _SHORTEST:
            base = base.removesuffix(ending) + ("y" if ending in {"ied", "ies"} else "")
            break
    if len(base) > _SHORTEST and base[-1] == base[-2] and base[-1] not in "aeiouls":
        base = base[:-1]  # cropped, crop
    base = base.removesuffix("e") if len(base) > _SHORTEST else base
    return base[:-1] + "i" if base.endswith("y") else base
