"""Protects which addresses are taken, and which files the store keeps under which names."""

from pathlib import PurePosixPath

import pytest

from warehouse.errors import WarehouseError
from warehouse.stores.keys import Address, has_folders, is_kept, is_written_once, local_path, part_of, read_address


@pytest.mark.parametrize(
    ("named", "bucket", "prefix"),
    [
        ("s3://desk", "desk", ""),
        ("s3://desk/", "desk", ""),
        ("s3://desk/team/data", "desk", "team/data/"),
        ("s3://desk.of-us/a/", "desk.of-us", "a/"),
    ],
)
def test_an_address_is_a_bucket_and_a_prefix(named: str, bucket: str, prefix: str) -> None:
    assert read_address(named) == Address(bucket, prefix)


@pytest.mark.parametrize(
    "named",
    ["gs://desk/data", "s3://", "s3:///data", "s3://De/data", "s3://desk/a//b", "s3://desk/../x", "s3://owner:hushhush@desk/data", "s3://desk/a b"],
)
def test_what_is_no_address_is_refused_and_not_repeated(named: str) -> None:
    with pytest.raises(WarehouseError, match="s3://bucket/prefix") as raised:
        read_address(named)
    assert "hushhush" not in str(raised.value)


def test_temporary_files_and_what_is_made_again_stay_on_the_host() -> None:
    kept = [
        *("store/shards/a.parquet", "store/datasets/1", "datasets/tiny", "runs/1/run.json", "models.yaml", "quality/1/study.json", "proofs/1.json"),
        *("judging/judgements/anna.jsonl", "judging/labels/anna.jsonl", "judging/reviews/smoke.jsonl", "imported/theirs"),
    ]
    left = [
        "warehouse.duckdb",
        "report",
        "machines/roots/1",
        "model_calls.sqlite",
        "task_files/manifest.json",
        "store/shards/.a.parquet.7.tmp",
        "store/datasets/.1.x.tmp/catalog",
        ".",
    ]
    assert [name for name in kept if not is_kept(PurePosixPath(name))] == []
    assert [name for name in left if is_kept(PurePosixPath(name))] == []


def test_what_follows_from_its_name_is_written_once_and_all_else_is_replaced() -> None:
    assert all(
        map(is_written_once, ["store/shards/a.parquet", "store/datasets/1", "runs/1/run.json", "runs/1/suite_run.json", "runs/1/trajectories/e_1"])
    )
    assert not any(map(is_written_once, ["runs/1/predictions/00000.parquet", "runs/1/episodes/faults.parquet", "suites/smoke", "sweeps/1.json"]))
    assert (
        has_folders("store/datasets")
        and has_folders("imported")
        and has_folders("runs/1")
        and not has_folders("runs/1/trajectories")
        and not has_folders("store/shards")
    )


def test_names_of_objects_lead_back_to_places() -> None:
    token = "0123456789abcdef0123456789abcdef"
    assert part_of(f"store/datasets/1/.{token}/dataset/data/a.parquet") == ("store/datasets/1", token)
    assert part_of("store/datasets/1/.whole") is None and part_of("runs/1/run.json") is None
    assert local_path("store/datasets/1/.whole") == "store/datasets/1"
    assert local_path("datasets/my.link.link") == "datasets/my.link"
