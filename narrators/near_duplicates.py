"""Near-duplicates: texts of one target whose word trigrams have a Jaccard similarity of 0.9 or more (definition of the design)."""

import math
import re
from collections import defaultdict
from collections.abc import Collection, Iterable

_VALUE = re.compile(r"\{+[^{}]*\}+")
_WORD = re.compile(r"[^\W_]+(?:'\w+)?")


def trigrams(text: str) -> frozenset[str]:
    """Return the word trigrams of a text, without case and punctuation. A text of fewer than three words is one gram."""
    words = _WORD.findall(text.casefold())
    if len(words) < 3:
        return frozenset([" ".join(words)])
    return frozenset(" ".join(words[start : start + 3]) for start in range(len(words) - 2))


def common_grams(phrasings: Iterable[str]) -> frozenset[str]:
    """Return the trigrams of phrasings that do not depend on values. They are common; grams with a value are rarer."""
    return frozenset(gram for phrasing in phrasings for part in _VALUE.split(phrasing) for gram in trigrams(part))


class NearDuplicates:
    """Tells for one text after another whether it is a near-duplicate of a kept text.

    The search is exact (prefix filtering): two sets with Jaccard >= t share a gram among the first |x| - ceil(t |x|) + 1 of
    each in any fixed order. So a text is compared only with kept texts that share one of these grams. Grams that are not
    `common` come first, and long grams before short ones, because few texts share them.
    """

    def __init__(self, common: Collection[str] = (), threshold: float = 0.9) -> None:
        self.threshold = threshold
        self._common = common
        self._kept: list[frozenset[str]] = []
        self._by_gram: dict[str, list[int]] = defaultdict(list)

    def add(self, text: str) -> bool:
        """Keep the text and return True. Return False instead if it is a near-duplicate of a kept text."""
        grams = trigrams(text)
        shared_at_least = math.ceil(self.threshold * len(grams) - 1e-9)
        prefix = sorted(grams, key=self._rare_first)[: len(grams) - shared_at_least + 1]
        longest = int(len(grams) / self.threshold + 1e-9)
        for number in {number for gram in prefix for number in self._by_gram[gram]}:
            other = self._kept[number]
            if not shared_at_least <= len(other) <= longest:
                continue
            shared = len(grams & other)
            if shared >= self.threshold * (len(grams) + len(other) - shared):
                return False
        for gram in prefix:
            self._by_gram[gram].append(len(self._kept))
        self._kept.append(grams)
        return True

    def _rare_first(self, gram: str) -> tuple[bool, int, str]:
        return gram in self._common, -len(gram), gram
