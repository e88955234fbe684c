"""Protects text_diversity: words in common and distinct words, pairs and triples are those that a plain count gives."""

import re
from itertools import pairwise

import pytest

from warehouse.layout import DataFolder
from warehouse.loader import load_warehouse
from warehouse.query import connect


def test_text_diversity_is_what_a_plain_count_gives(tiny: DataFolder) -> None:
    load_warehouse(tiny)
    connection = connect(tiny.warehouse)
    rows = connection.execute("select target_application, text from user_tasks where shape = 'singleton' order by task_id").fetchall()
    columns = "application, distinct_1, distinct_2, distinct_3, self_similarity"
    found = {row[0]: row[1:] for row in connection.execute(f"select {columns} from text_diversity").fetchall()}
    connection.close()
    by_application: dict[str, list[list[str]]] = {}
    for application, text in rows:
        by_application.setdefault(application, []).append([word for word in re.split(r"[^a-z0-9']+", text.lower()) if word])
    assert found.keys() == by_application.keys()
    for name, texts in by_application.items():
        grams = [[gram for text in texts for gram in zip(*(text[start:] for start in range(size)), strict=False)] for size in (1, 2, 3)]
        alike = [len({*one} & {*other}) / len({*one} | {*other}) for one, other in pairwise(texts)]
        expected = [*(len(set(of_size)) / len(of_size) for of_size in grams), sum(alike) / len(alike)]
        assert found[name] == pytest.approx(expected), name
