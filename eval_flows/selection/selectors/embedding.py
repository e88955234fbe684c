"""Base of the selectors that choose by the embedding of a text: nearest, knn and linear."""

import time
from collections.abc import Iterator, Sequence

from eval_flows.selection.selectors.selector import LocalSelector, Prediction
from eval_flows.selection.tasks import Task
from retrieval.embedder import Embedder, Vectors

_BATCH = 256  # tasks


class EmbeddingSelector(LocalSelector):
    """Embeds tasks in batches and always answers; its model is the embedder."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.model = embedder.identity.partition(":")[0]

    def select(self, tasks: Sequence[Task]) -> Iterator[Prediction]:
        """Yield one answer for each task; its latency is the time of the batch divided by its tasks."""
        for first in range(0, len(tasks), _BATCH):
            batch = tasks[first : first + _BATCH]
            started = time.perf_counter()
            chosen = self._chosen(self._embedder.embed([task.text for task in batch]))
            each = (time.perf_counter() - started) * 1000 / len(batch)
            yield from (Prediction(application, "answered", each) for application in chosen)

    def _chosen(self, vectors: Vectors) -> list[str]:
        """Return the application for each vector."""
        raise NotImplementedError
