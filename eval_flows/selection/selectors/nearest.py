"""The nearest selector: the application whose knowledge card is nearest to the text, by sentence embeddings."""

import time
from collections.abc import Iterator, Mapping, Sequence

from eval_flows.selection.selectors.answer import Answer, LocalSelector, batches
from eval_flows.selection.tasks import Task
from retrieval.embedder import Embedder
from retrieval.index import NearestIndex


class NearestSelector(LocalSelector):
    """Chooses the candidate with the nearest card; it always answers."""

    def __init__(self, cards: Mapping[str, str], embedder: Embedder) -> None:
        self._embedder = embedder
        self._index = NearestIndex(list(cards), embedder.embed(list(cards.values())))
        self.model = embedder.identity.partition(":")[0]
        self.sampling = embedder.identity

    def select(self, tasks: Sequence[Task]) -> Iterator[Answer]:
        """One answer for each task; latency is the batch's time shared out evenly."""
        for batch in batches(tasks):
            started = time.perf_counter()
            found = self._index.nearest(self._embedder.embed([task.text for task in batch]), 1)
            each = (time.perf_counter() - started) * 1000 / len(batch)
            yield from (Answer(near[0][0], "answered", each) for near in found)
