"""The nearest selector: the application whose knowledge card is nearest to the text, by sentence embeddings."""

from collections.abc import Mapping

from eval_flows.selection.selectors.embedding import EmbeddingSelector
from retrieval.cards import cards_hash
from retrieval.embedder import Embedder, Vectors
from retrieval.index import NearestIndex


class NearestSelector(EmbeddingSelector):
    """Chooses the candidate with the nearest card; it always answers."""

    def __init__(self, cards: Mapping[str, str], embedder: Embedder) -> None:
        super().__init__(embedder)
        self._index = NearestIndex(list(cards), embedder.embed(list(cards.values())))
        self.sampling = f"cards {cards_hash(cards)}; {embedder.identity}"

    def _chosen(self, vectors: Vectors) -> list[str]:
        return [near[0][0] for near in self._index.nearest(vectors, 1)]
