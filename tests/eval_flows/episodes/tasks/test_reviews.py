"""Protects the reviews of jobs: each is answered, none is of a job that is not there, and every job of the suite was read twice."""

import json
from pathlib import Path
from typing import Any

import pytest

from atomic_tasks.catalog import Catalog
from atomic_tasks.problems import BadInput
from eval_flows.episodes.tasks.reviews import ROUNDS, Review, read_reviews
from eval_flows.episodes.tasks.suite import jobs_of, read_suite

_READING: dict[str, Any] = {
    "task": "r.load_factor",
    "round": 1,
    "by": "model",
    "read": "Write the mean load by peak load.",
    "way": "mean divided by max",
    "found": ["'by' can mean a product"],
    "verdict": "unclear",
    "answer": "The text says 'divided by' now.",
}


def _written(folder: Path, *readings: dict[str, Any]) -> Path:
    (folder / "professional.jsonl").write_text("".join(json.dumps(one) + "\n" for one in readings))
    return folder


def test_every_job_of_professional_was_read_twice(catalog: Catalog) -> None:
    jobs = {job.id: job for job in jobs_of(read_suite("professional"), catalog)}
    reviews = read_reviews("professional")
    assert not reviews.keys() - jobs.keys(), "reviews of jobs that the suite does not have"
    assert not [name for name in jobs if tuple(one.round for one in reviews.get(name, ())) != ROUNDS]


def test_reviews_come_in_the_order_of_rounds(tmp_path: Path) -> None:
    found = read_reviews("professional", _written(tmp_path, _READING | {"round": 2}, _READING))
    assert [one.round for one in found["r.load_factor"]] == [1, 2]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"answer": ""}, "nobody answered"),
        ({"found": []}, "nothing was found"),
        ({"verdict": "fine"}, "verdict"),
        ({"by": "somebody"}, "by"),
        ({}, "has a review 1 before"),
    ],
)
def test_a_review_that_says_too_little_is_named_with_its_line(change: dict[str, Any], reason: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=rf"professional\.jsonl:2: .*{reason}"):
        read_reviews("professional", _written(tmp_path, _READING, _READING | change))


def test_a_reader_sees_what_was_read_where_the_text_has_changed_since() -> None:
    review = Review.model_validate(_READING)
    assert "    it read: Write the mean load by peak load." in list(review.lines("Write the mean load divided by the peak load."))
    assert not any("it read" in line for line in review.lines(review.read))
