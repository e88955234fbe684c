"""The rule-based heuristic: the application whose lexicon the text matches best (AppSelectBench, section 4.3)."""

import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from atomic_tasks.schema import Declared
from atomic_tasks.seeds import derive_seed
from atomic_tasks.yaml_source import read_declared_file
from eval_flows.selection.selectors.selector import LocalSelector, Prediction
from eval_flows.selection.tasks import Task

LEXICONS_FILE = Path(__file__).parent.parent / "lexicons.yaml"
_SAID = 500  # characters of an answer's reasons
_WORD = re.compile(r"[a-z0-9+#.'-]*[a-z0-9+#]")


class Lexicon(Declared):
    """Words and phrases that point to an application, and its names."""

    names: tuple[str, ...]
    words: tuple[str, ...]
    phrases: tuple[str, ...] = ()


class Lexicons(Declared):
    """A lexicon for each application."""

    lexicons: dict[str, Lexicon]


def read_lexicons(path: Path = LEXICONS_FILE) -> dict[str, Lexicon]:
    """Return the declared lexicons; BadInput lists every problem."""
    return read_declared_file(path, Lexicons).lexicons


class HeuristicSelector(LocalSelector):
    """Adds up the weights of the terms in a text and answers with the application of the largest sum.

    A term weighs its number of words, divided by the number of lexicons that hold it; a name weighs ten times that.
    A hash of the text decides ties; a text without any term gets no answer.
    """

    model = "lexicons"
    _NAME_WEIGHT = 10.0

    def __init__(self, lexicons: Mapping[str, Lexicon], candidates: Sequence[str]) -> None:
        entries = [
            (tuple(_WORD.findall(term.lower())), application, self._NAME_WEIGHT if term in lexicon.names else 1.0)
            for application in candidates
            if (lexicon := lexicons.get(application)) is not None
            for term in {*lexicon.names, *lexicon.words, *lexicon.phrases}
        ]
        holders = Counter(words for words, _, _ in entries)
        self._weights: dict[tuple[str, ...], list[tuple[str, float]]] = {}
        for words, application, factor in sorted(entries):
            self._weights.setdefault(words, []).append((application, factor * len(words) / holders[words]))
        self._longest = max(map(len, self._weights), default=0)
        self.sampling = f"lexicons {derive_seed(repr(sorted(entries))):016x}"

    def select(self, tasks: Sequence[Task]) -> Iterator[Prediction]:
        """Yield one answer for each task."""
        for task in tasks:
            yield self._answer(task.text)

    def _answer(self, text: str) -> Prediction:
        started = time.perf_counter()
        scores = self.scores(text)
        best = max(scores.values(), default=0.0)
        tied = sorted(application for application, score in scores.items() if score == best)
        latency = (time.perf_counter() - started) * 1000
        if not tied:
            return Prediction(None, "empty", latency)
        chosen = tied[derive_seed("tie", text) % len(tied)]
        return Prediction(chosen, "answered", latency, said=self._reasons(text, chosen, scores))

    def _reasons(self, text: str, chosen: str, scores: Mapping[str, float]) -> str:
        """Return the terms that gave the chosen application its weight, heaviest first, and the next application with its weight."""
        terms = sorted(
            ((weight, " ".join(gram)) for gram in self._found(text) for name, weight in self._weights[gram] if name == chosen), reverse=True
        )
        others = sorted((-score, name) for name, score in scores.items() if name != chosen)
        behind = f"; next {others[0][1]} {-others[0][0]:.2f}" if others else ""
        return f"{', '.join(f'{term} {weight:.2f}' for weight, term in terms)}{behind}"[:_SAID]

    def scores(self, text: str) -> dict[str, float]:
        """Return the weight of every application with a term in the text; each term counts once."""
        scores: dict[str, float] = {}
        for gram in sorted(self._found(text)):
            for application, weight in self._weights[gram]:
                scores[application] = scores.get(application, 0.0) + weight
        return scores

    def _found(self, text: str) -> set[tuple[str, ...]]:
        """Return the terms of all lexicons that are in the text."""
        words = [word.removesuffix("'s") for word in _WORD.findall(text.lower())]
        found: set[tuple[str, ...]] = set()
        for start in range(len(words)):
            for length in range(1, self._longest + 1):
                gram = tuple(words[start : start + length])
                if len(gram) == length:
                    found |= {form for form in (gram, (*gram[:-1], _singular(gram[-1]))) if form in self._weights}
        return found


def _singular(word: str) -> str:
    """Return a word without its plural s, so that lexicons need only one form."""
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
