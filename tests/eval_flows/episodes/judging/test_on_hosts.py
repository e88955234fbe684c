"""Protects what people said in the object store: every host has it, and the hosts of one judge lose nothing of each other."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from eval_flows.episodes.judging.kept import Kept
from eval_flows.episodes.judging.readings import Reading, Readings
from tests.object_store import Bucket, new_bucket, on_host, served
from tests.warehouse.judged_rows import judgement_row, label_row
from warehouse.layout import DataFolder


@pytest.fixture
def bucket() -> Iterator[Bucket]:
    with served() as endpoint:
        yield new_bucket(endpoint)


def test_one_judge_on_two_hosts_loses_nothing(bucket: Bucket, tmp_path: Path) -> None:
    judging = {}
    for host in "ab":  # both are open before either adds a line
        with on_host(bucket, tmp_path / host):
            judging[host] = Kept(DataFolder.from_environment(), "judgements")
    for number, host in enumerate("abba"):
        with on_host(bucket, tmp_path / host):
            judging[host].add(judgement_row(("r1", "r2"), f"e{number}", "r1"))
    with on_host(bucket, tmp_path / "c"):
        assert [row["episode_id"] for row in Kept(DataFolder.from_environment(), "judgements").rows()] == ["e0", "e1", "e2", "e3"]


def test_labels_and_reviews_outlive_the_mirror_of_their_host(bucket: Bucket, tmp_path: Path) -> None:
    found = Reading("task", "ada", "what it asks for", "the way", (), "sound", 1.0, "2026-05-02T08:00:00+00:00")
    with on_host(bucket, tmp_path / "a"):
        data = DataFolder.from_environment()
        Kept(data, "labels").add(label_row("r1", "e1", "planning"))
        Readings("smoke", data).add(found)
    with on_host(bucket, tmp_path / "b"):
        data = DataFolder.from_environment()
        assert [row["kind"] for row in Kept(data, "labels").rows()] == ["planning"]
        assert list(Readings("smoke", data).by_task()["task"]) == ["ada"]
