"""The knn selector: the nearest train tasks vote for the applications that are valid for them."""

import time
from collections import defaultdict
from collections.abc import Iterator, Sequence

from eval_flows.selection.selectors.answer import Answer, LocalSelector, batches
from eval_flows.selection.selectors.options import SelectorOptions
from eval_flows.selection.selectors.pool import Pool, pool_index
from eval_flows.selection.tasks import Task
from retrieval.embedder import Embedder

NEIGHBOURS = 10


class KnnSelector(LocalSelector):
    """Chooses the candidate with the most votes; each neighbour votes for all that is valid for it. Ties fall by summed cosine, then by name."""

    def __init__(self, pool: Pool, embedder: Embedder, options: SelectorOptions) -> None:
        self._pool, self._embedder = pool, embedder
        self._candidates = frozenset(options.candidates)
        self._index = pool_index(pool, embedder, options)
        self.model = embedder.identity.partition(":")[0]
        self.sampling = f"{NEIGHBOURS} nearest of {pool.identity}; {embedder.identity}"
        self.learnt_from = pool.compositions

    def select(self, tasks: Sequence[Task]) -> Iterator[Answer]:
        """One answer for each task; latency is the batch's time shared out evenly."""
        for batch in batches(tasks):
            started = time.perf_counter()
            near = self._index.nearest(self._embedder.embed([task.text for task in batch]), NEIGHBOURS)
            chosen = [self._elected(neighbours) for neighbours in near]
            each = (time.perf_counter() - started) * 1000 / len(batch)
            yield from (Answer(application, "answered", each) for application in chosen)

    def _elected(self, neighbours: Sequence[tuple[str, float]]) -> str:
        votes: dict[str, tuple[int, float]] = defaultdict(lambda: (0, 0.0))
        for task_id, cosine in neighbours:
            for application in self._pool.by_id[task_id].valid_applications:
                if application in self._candidates:
                    number, summed = votes[application]
                    votes[application] = number + 1, summed + cosine
        return min(votes, key=lambda name: (-votes[name][0], -votes[name][1], name))
