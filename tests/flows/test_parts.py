"""Protects large recipes: an application's rows are made in parts that share no seed, and no text is nearly the same as one of another part."""

from collections import Counter, defaultdict
from pathlib import Path

import polars as pl
import pytest

from flows import publish
from flows.across_parts import Comparison, compared, near_across_parts
from flows.assemble import judged
from flows.jobs import shard_jobs, wanted_rows
from flows.publish import data_files, write_dataset
from flows.recipe import Recipe
from flows.shard import Shard, ShardJob, make_shard
from narrators.near_duplicates import NearDuplicates
from narrators.styles import read_styles
from runners.errors import RunnerError
from runners.processes import process_pool_map
from tests.conftest import quiet
from tests.flows.golden_dataset import golden_catalog, golden_recipe, golden_workflows

WHOLE = golden_recipe().model_copy(update={"spare": 1.0, "graph_tasks": 25, "tasks": 200})
IN_PARTS = WHOLE.model_copy(update={"shard_rows": 40})


def jobs_of(recipe: Recipe) -> list[ShardJob]:
    return shard_jobs(golden_catalog(), golden_workflows(), read_styles(), recipe)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Shard], list[Path]]:
    folder = tmp_path_factory.mktemp("parts")
    shards = [make_shard(job, folder) for job in jobs_of(IN_PARTS)]
    return shards, [folder / f"{shard.address}.parquet" for shard in shards]


def test_parts_are_of_about_equal_size_and_make_all_that_a_whole_would() -> None:
    wholes = {job.application: job for job in jobs_of(WHOLE)}
    parts: dict[str, list[ShardJob]] = defaultdict(list)
    for job in jobs_of(IN_PARTS):
        parts[job.application].append(job)
    for application, found in parts.items():
        assert [job.part for job in found] == list(range(len(found))) and len(found) > 1
        assert sum(job.wanted for job in found) == wholes[application].wanted
        assert max(job.wanted for job in found) - min(job.wanted for job in found) <= 1
        graphs = sum((Counter(job.wanted_graphs) for job in found), Counter[str]())
        assert graphs == Counter(wholes[application].wanted_graphs)
        assert all(job.wanted + sum(job.wanted_graphs.values()) <= 40 + 1 + len(graphs) for job in found)


def test_a_recipe_that_says_nothing_of_shards_has_the_addresses_and_the_fields_that_it_had() -> None:
    assert "shard_rows" not in WHOLE.model_dump() and IN_PARTS.model_dump()["shard_rows"] == 40
    assert '"part"' not in jobs_of(WHOLE)[0].model_dump_json()
    addresses = [job.address for job in jobs_of(IN_PARTS)]
    assert len(set(addresses)) == len(addresses)


def test_no_seed_is_used_in_two_parts(made: tuple[list[Shard], list[Path]]) -> None:
    seeds = pl.read_parquet(made[1])["row_seed"]
    assert seeds.n_unique() == len(seeds)


def test_what_parts_have_in_common_is_refused(made: tuple[list[Shard], list[Path]], tmp_path: Path) -> None:
    shards, paths = made
    near = near_across_parts(shards, paths, process_pool_map(1), quiet)
    found = judged(paths, golden_catalog(), IN_PARTS, wanted_rows(golden_workflows(), golden_catalog(), IN_PARTS), near)
    write_dataset(tmp_path, paths, found, golden_catalog())
    kept: dict[tuple[str, ...], NearDuplicates] = defaultdict(NearDuplicates)
    for row in pl.concat(pl.read_parquet(path) for path in data_files(tmp_path)).iter_rows(named=True):
        if row["target_application"]:
            assert kept[row["target_application"]].add(row["text"]), row["text"]
    within = pl.read_parquet(paths).select(pl.col("rejected_stage").is_not_null().sum()).item()
    assert sum(found.rejected["near_duplicates"].values()) > within > 0


def test_shares_of_a_comparison_find_together_what_one_finds(made: tuple[list[Shard], list[Path]]) -> None:
    paths = tuple(path for shard, path in zip(*made, strict=True) if shard.application == "golden")
    whole = compared(Comparison("golden", paths, 0, 1))
    in_shares = [compared(Comparison("golden", paths, share, 3)) for share in range(3)]
    assert whole == {path: sorted({row for found in in_shares for row in found[path]}) for path in paths}
    assert any(whole.values()) and not whole[paths[0]]


def test_files_have_about_equal_sizes_and_the_rows_of_one_file(
    made: tuple[list[Shard], list[Path]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = judged(made[1], golden_catalog(), IN_PARTS, wanted_rows(golden_workflows(), golden_catalog(), IN_PARTS))
    write_dataset(tmp_path / "one", made[1], found, golden_catalog())
    monkeypatch.setattr(publish, "FILE_ROWS", 30)
    write_dataset(tmp_path / "many", made[1], found, golden_catalog())
    for split, rows in found.accepted_by_split.items():
        one, many = ([path for path in data_files(tmp_path / name) if path.name.startswith(split)] for name in ("one", "many"))
        assert len(one) == 1 and [path.name for path in many] == [f"{split}-{n:05}-of-{len(many):05}.parquet" for n in range(len(many))]
        sizes = [pl.read_parquet(path).height for path in many]
        assert max(sizes) <= 30 and max(sizes) - min(sizes) <= 1 and sum(sizes) == rows
        assert pl.read_parquet(many).equals(pl.read_parquet(one))


def test_a_worker_with_other_libraries_makes_nothing(tmp_path: Path) -> None:
    job = jobs_of(WHOLE)[0]
    other = job.model_copy(update={"versions": {**job.versions, "pyarrow": "1.0"}})
    with pytest.raises(RunnerError, match=r"pyarrow: .* there, 1\.0 here"):
        make_shard(other, tmp_path)
    assert not list(tmp_path.iterdir())
