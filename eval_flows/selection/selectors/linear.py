"""The linear selector: a logistic regression on sentence embeddings, fitted to the train tasks' targets (scikit-learn)."""

import time
from collections.abc import Iterator, Sequence

from sklearn.linear_model import LogisticRegression

from eval_flows.selection.selectors.answer import Answer, LocalSelector, batches
from eval_flows.selection.selectors.options import SelectorOptions
from eval_flows.selection.selectors.pool import Pool, pool_vectors
from eval_flows.selection.tasks import Task
from retrieval.embedder import Embedder

INVERSE_PENALTY = 30.0  # unit vectors need a weak one; from the literature's usual range, not fitted to any of our splits


class LinearSelector(LocalSelector):
    """Chooses the likeliest target; only candidates that the train tasks aim at can be chosen."""

    def __init__(self, pool: Pool, embedder: Embedder, options: SelectorOptions) -> None:
        self._embedder = embedder
        aimed = [number for number, task in enumerate(pool.tasks) if task.target_application in set(options.candidates)]
        options.note("fitting", 0, 1)
        vectors = pool_vectors(pool, embedder, options)[aimed]
        self._classifier = LogisticRegression(C=INVERSE_PENALTY, max_iter=300)
        self._classifier.fit(vectors, [pool.tasks[number].target_application for number in aimed])
        options.note("fitting", 1, 1)
        self.model = embedder.identity.partition(":")[0]
        self.sampling = f"logistic regression, C {INVERSE_PENALTY:g}, on {pool.identity}; {embedder.identity}"
        self.learnt_from = pool.compositions

    def select(self, tasks: Sequence[Task]) -> Iterator[Answer]:
        """One answer for each task; latency is the batch's time shared out evenly."""
        for batch in batches(tasks):
            started = time.perf_counter()
            chosen = self._classifier.predict(self._embedder.embed([task.text for task in batch]))
            each = (time.perf_counter() - started) * 1000 / len(batch)
            yield from (Answer(str(application), "answered", each) for application in chosen)
