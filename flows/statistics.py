"""Figures of a dataset that a reader of its card wants, summed up while its rows pass by."""

from collections import Counter
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from atomic_tasks.schema import PLACEHOLDER

_COUNTED = ("shape", "split", "naming", "style", "locale", "composition_kind", "paraphrase_status")


class Statistics:
    """Sums over the rows of a dataset; `unused` is what no row has been composed of yet."""

    def __init__(self, atomic_tasks: set[str]) -> None:
        self.unused = set(atomic_tasks)
        self.rows = 0
        self._counts: dict[str, Counter[str]] = {name: Counter() for name in _COUNTED}
        self._words = 0
        self._valid = 0
        self._typos = 0
        self._masked: Counter[int] = Counter()

    def add(self, tasks: pa.Table) -> None:
        """Add rows of user tasks."""
        self.rows += tasks.num_rows
        for name, counts in self._counts.items():
            counts.update({entry["values"]: entry["counts"] for entry in pc.value_counts(pc.drop_null(tasks[name])).to_pylist()})
        self._words += tasks.num_rows + (pc.sum(pc.count_substring(tasks["text"], " ")).as_py() or 0)
        self._valid += pc.sum(pc.list_value_length(tasks["valid_applications"])).as_py() or 0
        self._typos += pc.sum(tasks["has_typo"]).as_py() or 0
        self._masked.update(hash(PLACEHOLDER.sub("{}", text).casefold()) for text in tasks["masked_text"].to_pylist())
        self.unused -= set(pc.unique(pc.list_flatten(tasks["atomic_tasks"])).to_pylist())

    def summary(self) -> dict[str, Any]:
        """The figures by name; means over all rows, of valid applications over singletons."""
        counts = {name: dict(sorted(counter.items())) for name, counter in self._counts.items()}
        singletons = max(self._counts["shape"]["singleton"], 1)
        return {
            "shapes": counts["shape"],
            "splits": counts["split"],
            "naming": counts["naming"],
            "styles": counts["style"],
            "locales": counts["locale"],
            "composition_kinds": counts["composition_kind"],
            "paraphrases": counts["paraphrase_status"],
            "mean_valid_applications": round(self._valid / singletons, 4),
            "share_that_addresses_its_application": round(self._counts["naming"]["application"] / singletons, 4),
            "share_with_a_typo": round(self._typos / max(self.rows, 1), 4),
            "mean_words": round(self._words / max(self.rows, 1), 2),
            "masked_texts": {"distinct": len(self._masked), "most_often": max(self._masked.values(), default=0)},
            "unused_atomic_tasks": sorted(self.unused),
        }
