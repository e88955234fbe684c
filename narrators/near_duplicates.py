"""Near-duplicates: texts of one target whose word trigrams have a Jaccard similarity of 0.9 or more (definition of the design)."""

import math
import re
from collections import defaultdict

_WORD = re.compile(r"[^\W_]+(?:'\w+)?")
_BITS = 21  # of a word's number in a gram: enough for two million different words


def words_of(text: str) -> list[str]:
    """Return the words of a text, without case and punctuation."""
    return _WORD.findall(text.casefold())


def trigrams(text: str) -> frozenset[tuple[str, ...]]:
    """Return the word trigrams of a text. A text of fewer than three words is one gram."""
    words = words_of(text)
    return frozenset(zip(words, words[1:], words[2:], strict=False)) or frozenset([tuple(words)])


class NearDuplicates:
    """Tells for one text after another whether it is a near-duplicate of a kept text.

    The search is exact (prefix filtering): two sets with Jaccard >= t share a gram among the first |x| - ceil(t |x|) + 1 of
    each in any fixed order. So a text is compared only with kept texts that share one of these grams. A gram is a number made of the
    numbers of its words. Words are numbered when they are first seen, and the highest grams come first: few texts share a word that
    was first seen late.
    """

    def __init__(self, threshold: float = 0.9, share: int = 0, shares: int = 1) -> None:
        """With several `shares` of the grams, texts are compared by one of them; what all of them find together is what one index would."""
        self.threshold = threshold
        self._share, self._shares = share, shares
        self._words: dict[str, int] = {}
        self._kept: list[frozenset[int]] = []
        self._by_gram: dict[int, list[int]] = defaultdict(list)

    def add(self, text: str) -> bool:
        """Keep the text and return True. Return False instead if it is a near-duplicate of a kept text."""
        grams = self._grams(text)
        prefix = self._prefix(grams)
        if self._is_near(grams, prefix):
            return False
        self._keep(grams, prefix)
        return True

    def has(self, text: str) -> bool:
        """Tell whether the text is a near-duplicate of a kept text, and keep nothing."""
        grams = self._grams(text)
        return self._is_near(grams, self._prefix(grams))

    def keep(self, text: str) -> None:
        """Keep the text, whatever it is."""
        grams = self._grams(text)
        self._keep(grams, self._prefix(grams))

    def _prefix(self, grams: frozenset[int]) -> list[int]:
        """Return the grams by which a text is compared, those of this share."""
        prefix = sorted(grams)[self._shared_at_least(grams) - 1 :]
        return prefix if self._shares == 1 else [gram for gram in prefix if gram % self._shares == self._share]

    def _shared_at_least(self, grams: frozenset[int]) -> int:
        return math.ceil(self.threshold * len(grams) - 1e-9)

    def _is_near(self, grams: frozenset[int], prefix: list[int]) -> bool:
        shared_at_least = self._shared_at_least(grams)
        longest = int(len(grams) / self.threshold + 1e-9)
        for candidate in {candidate for gram in prefix for candidate in self._by_gram.get(gram, ())}:
            other = self._kept[candidate]
            if not shared_at_least <= len(other) <= longest:
                continue
            shared = len(grams & other)
            if shared >= self.threshold * (len(grams) + len(other) - shared):
                return True
        return False

    def _keep(self, grams: frozenset[int], prefix: list[int]) -> None:
        if prefix:
            for gram in prefix:
                self._by_gram[gram].append(len(self._kept))
            self._kept.append(grams)

    def _grams(self, text: str) -> frozenset[int]:
        """Return the trigrams of a text as numbers. Numbers of words begin at 1, so a shorter text is never equal to a trigram."""
        number = self._words.setdefault
        words = [number(word, len(self._words) + 1) for word in words_of(text)]
        if len(words) < 3:
            return frozenset([sum(word << _BITS * place for place, word in enumerate(words))])
        return frozenset([one << 2 * _BITS | two << _BITS | three for one, two, three in zip(words, words[1:], words[2:], strict=False)])
