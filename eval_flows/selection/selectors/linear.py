"""The linear selector: a logistic regression on sentence embeddings, fitted to the train tasks' targets (scikit-learn)."""

from sklearn.linear_model import LogisticRegression

from eval_flows.selection.selectors.embedding import EmbeddingSelector
from eval_flows.selection.selectors.options import SelectorOptions
from eval_flows.selection.selectors.pool import Pool, pool_vectors
from retrieval.embedder import Embedder, Vectors

INVERSE_PENALTY = 30.0  # unit vectors need a weak penalty; a usual value, not fitted to any of our splits


class LinearSelector(EmbeddingSelector):
    """Chooses the likeliest target; only candidates that the train tasks aim at can be chosen."""

    def __init__(self, pool: Pool, embedder: Embedder, options: SelectorOptions) -> None:
        super().__init__(embedder)
        aimed = [number for number, task in enumerate(pool.tasks) if task.target_application in set(options.candidates)]
        options.note("fitting", 0, 1)
        vectors = pool_vectors(pool, embedder, options)[aimed]
        self._classifier = LogisticRegression(C=INVERSE_PENALTY, max_iter=300)
        self._classifier.fit(vectors, [pool.tasks[number].target_application for number in aimed])
        options.note("fitting", 1, 1)
        self.sampling = f"logistic regression, C {INVERSE_PENALTY:g}, on {pool.identity}; {embedder.identity}"
        self.learnt_from = pool.lineage

    def _chosen(self, vectors: Vectors) -> list[str]:
        return [str(application) for application in self._classifier.predict(vectors)]
