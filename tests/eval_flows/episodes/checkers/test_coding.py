"""Protects qualitative research: passages are found by tag and by text, whatever markup stands in them."""

import sqlite3

import pytest

from eval_flows.episodes.checkers.coding import coded
from eval_flows.episodes.tasks.makers.maker import made_file
from tests.eval_flows.episodes.tasks.examples import EXAMPLES

PROJECT = made_file("interviews", EXAMPLES["interviews"])


def test_a_project_is_read() -> None:
    assert made_file("interviews", EXAMPLES["interviews"]) == PROJECT, "the same bytes each time"
    assert (
        coded(PROJECT, "projects") == ["Buses"] and coded(PROJECT, "documents") == ["Nadia", "Tomás"] and coded(PROJECT, "tags") == ["cost", "safety"]
    )
    assert coded(PROJECT, "tag_description.cost") == "what people pay" and coded(PROJECT, "tag_description.time") is None
    assert coded(PROJECT, "passages.cost") == ["They charge 2 & more."] and coded(PROJECT, "passages.safety") == [
        "They charge 2 & more.",
        "It is dark.",
    ]
    assert coded(PROJECT, "tags_of.charge") == ["cost", "safety"] and coded(PROJECT, "tags_of.nobody") == [] and coded(PROJECT, "count") == 2


def test_places_are_counted_in_bytes_of_the_text() -> None:
    database = sqlite3.connect(":memory:")
    database.deserialize(PROJECT)
    found = database.execute(
        "select d.name, start_offset, end_offset from highlights h join documents d on d.id = h.document_id order by d.name"
    ).fetchall()
    assert found == [("Nadia", 5, 26), ("Tomás", len("Tomás: Sí. ".encode()), len("Tomás: Sí. It is dark.".encode()))]


def test_what_is_no_database_is_refused() -> None:
    for content in (b"no database" * 100, PROJECT[:1000]):
        with pytest.raises(sqlite3.DatabaseError):
            coded(content, "count")
    with pytest.raises(ValueError, match="too large"):
        coded(b" " * 50_000_001, "count")
