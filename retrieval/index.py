"""A FAISS index over unit vectors: exact inner products, which are cosines."""

from collections.abc import Sequence

import faiss
import numpy as np

from retrieval.embedder import Vectors


class NearestIndex:
    """Finds the names whose vectors are nearest to a query vector."""

    def __init__(self, names: Sequence[str], vectors: Vectors) -> None:
        """Index the vectors. `vectors[i]` is the unit vector of `names[i]`."""
        self.names = list(names)
        self._index = faiss.IndexFlatIP(vectors.shape[1])
        self._index.add(np.ascontiguousarray(vectors))

    def nearest(self, queries: Vectors, k: int) -> list[list[tuple[str, float]]]:
        """Return the k nearest names and their cosines for each query, nearest first."""
        cosines, rows = self._index.search(np.ascontiguousarray(queries), min(k, len(self.names)))
        return [
            [(self.names[row], float(cosine)) for row, cosine in zip(found, near, strict=True)]
            for found, near in zip(rows.tolist(), cosines.tolist(), strict=True)
        ]
