"""The knn selector: the nearest train tasks vote for the applications that are valid for them."""

from collections import defaultdict
from collections.abc import Sequence

from eval_flows.selection.selectors.embedding import EmbeddingSelector
from eval_flows.selection.selectors.options import SelectorOptions
from eval_flows.selection.selectors.pool import Pool, pool_index
from retrieval.embedder import Embedder, Vectors

NEIGHBOURS = 10


class KnnSelector(EmbeddingSelector):
    """Chooses the candidate with the most votes; each neighbour votes for all its valid applications. Summed cosine, then the name, decides ties."""

    def __init__(self, pool: Pool, embedder: Embedder, options: SelectorOptions) -> None:
        super().__init__(embedder)
        self._pool = pool
        self._candidates = frozenset(options.candidates)
        self._index = pool_index(pool, embedder, options)
        self.sampling = f"{NEIGHBOURS} nearest of {pool.identity}; {embedder.identity}"
        self.learnt_from = pool.lineage

    def _chosen(self, vectors: Vectors) -> list[str]:
        return [self._elected(neighbours) for neighbours in self._index.nearest(vectors, NEIGHBOURS)]

    def _elected(self, neighbours: Sequence[tuple[str, float]]) -> str:
        votes: dict[str, tuple[int, float]] = defaultdict(lambda: (0, 0.0))
        for task_id, cosine in neighbours:
            for application in self._pool.by_id[task_id].valid_applications:
                if application in self._candidates:
                    number, summed = votes[application]
                    votes[application] = number + 1, summed + cosine
        return min(votes, key=lambda name: (-votes[name][0], -votes[name][1], name))
