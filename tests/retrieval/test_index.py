"""Protects retrieval: exact neighbours, and cards that hold no phrasing."""

import numpy as np

from atomic_tasks.catalog import Catalog
from retrieval.cards import card
from retrieval.index import NearestIndex


def test_neighbours_are_exact() -> None:
    random = np.random.default_rng(0)
    vectors = random.normal(size=(50, 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    queries = vectors[:5] + 0.01
    found = NearestIndex([str(number) for number in range(50)], vectors).nearest(queries, 3)
    for query, near in zip(queries, found, strict=True):
        expected = np.argsort(-(vectors @ query))[:3]
        assert [int(name) for name, _ in near] == expected.tolist()


def test_cards_hold_no_phrasing_of_the_catalog(catalog: Catalog) -> None:
    for application in catalog.applications.values():
        text = card(application).lower()
        for task in application.tasks:
            for phrasing in task.say:
                assert phrasing.lower().rstrip(".?!") not in text
