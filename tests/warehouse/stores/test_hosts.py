"""Protects the work of several hosts on one store, end to end: the same ids and bytes as in a folder, nothing doubled, nothing lost by a kill."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from atomic_tasks.catalog import sound_catalog
from deskmill import main
from eval_flows.episodes.osworld.file_cache import FileCache
from eval_flows.episodes.osworld.importing import Asked, import_suite
from eval_flows.episodes.runs.store import Results, write_trajectory
from eval_flows.episodes.tasks.suite import read_suite, suite_names, suite_tasks
from eval_flows.selection.pipeline import Choices, evaluate_selection
from flows.import_tasks import import_tasks
from flows.pipeline import build_dataset
from flows.recipe import Recipe
from language_models.client import Endpoint
from runners.processes import process_pool_map
from tests.conftest import REPOSITORY, quiet
from tests.language_models.fake_server import fake_server
from tests.object_store import SECRET, Bucket, new_bucket, on_host
from tests.warehouse.episode_rows import episode_row
from warehouse.layout import DataFolder
from warehouse.query import connect
from warehouse.retention import prune

COMMAND = [sys.executable, str(REPOSITORY / "deskmill.py")]


@pytest.fixture(scope="module")
def shared(endpoint: str, tiny_recipe: Recipe, tmp_path_factory: pytest.TempPathFactory) -> tuple[Bucket, Path]:
    """A bucket in which one host put the dataset `tiny` with a random and a heuristic run, and the host's cache."""
    bucket, cache = new_bucket(endpoint), tmp_path_factory.mktemp("first")
    with on_host(bucket, cache):
        data = DataFolder.from_environment()
        build_dataset("tiny", tiny_recipe, data, process_pool_map(1), quiet)
        evaluate_selection("tiny", ["random", "heuristic"], data, quiet)
    return bucket, cache


def parquet(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("*/dataset/data/*.parquet")}


@pytest.mark.slow
def test_a_dataset_has_the_id_and_the_bytes_that_it_has_in_a_folder(shared: tuple[Bucket, Path], tiny: DataFolder, tmp_path: Path) -> None:
    bucket, cache = shared
    with on_host(bucket, cache):
        data = DataFolder.from_environment()
    (dataset,) = tiny.datasets.iterdir()
    assert [path.name for path in data.datasets.iterdir()] == [dataset.name]
    assert parquet(data.datasets) == parquet(tiny.datasets) and len(parquet(tiny.datasets)) == 4
    sent = {Path(key).name: bucket.content(key) for key in bucket.listed("team/data/store/datasets/") if "/dataset/data/" in key}
    assert sent == parquet(tiny.datasets)
    shards = {Path(key).name: bucket.content(key) for key in bucket.listed("team/data/store/shards/")}
    assert shards == {path.name: path.read_bytes() for path in tiny.shards.iterdir()}
    assert sorted(path.name for path in data.runs.iterdir()) == sorted(path.name for path in tiny.runs.iterdir())


@pytest.mark.slow
def test_another_host_does_all_that_reads(shared: tuple[Bucket, Path], tiny: DataFolder, tmp_path: Path) -> None:
    bucket, _ = shared
    run, other_run = sorted(path.name for path in tiny.runs.iterdir())
    with on_host(bucket, tmp_path / "cache"):

        def said(*words: str) -> str:
            done = CliRunner().invoke(main, words)
            assert done.exit_code == 0, done.output
            return done.output

        assert "deskmill load" in CliRunner().invoke(main, ["sql", "select 1"]).output
        said("load")
        accuracy = "select run_id, tasks, correct from accuracy order by run_id"
        here = said("sql", accuracy, "--format", "csv")
        assert "deskmill build" in CliRunner().invoke(main, ["select", "unknown", "--protocol", "random"]).output
        assert "190" in said("select", "tiny", "--protocol", "random") and run in said("show", run)
        assert run in said("compare", run, other_run) and Path(said("report").strip()).is_file()
        said("export", str(tmp_path / "out"), "--table", "predictions")
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("DESKMILL_DATA", str(tiny.root))
            assert said("sql", accuracy, "--format", "csv") == here
        data = DataFolder.from_environment()
        assert not data.shards.exists(), "what is not needed was fetched"
    assert pq.read_metadata(tmp_path / "out" / "predictions.parquet").num_rows == 380
    assert len([key for key in bucket.listed("team/data/runs/") if key.endswith("run.json")]) == 2


@pytest.mark.slow
def test_no_credential_is_in_what_is_published_or_on_the_disk(shared: tuple[Bucket, Path]) -> None:
    bucket, cache = shared
    assert [key for key in bucket.listed() if SECRET.encode() in bucket.content(key)] == []
    assert [path for path in cache.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()] == []


def started(bucket: Bucket, cache: Path, *words: str) -> "subprocess.Popen[str]":
    environment = {**os.environ, **bucket.environment(cache)}
    return subprocess.Popen([*COMMAND, *words], env=environment, cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.rotates(of="builds on a store")
@pytest.mark.slow(minutes=0.6)
def test_two_hosts_that_build_the_same_at_once_make_one_dataset(bucket: Bucket, tmp_path: Path, tiny: DataFolder) -> None:
    hosts = [started(bucket, tmp_path / name, "build", "tiny", "--workers", "1") for name in "ab"]
    said = ["".join(host.communicate()) for host in hosts]
    assert [host.returncode for host in hosts] == [0, 0], said
    assert sorted("exists already, unchanged" in one for one in said) == [False, True]
    (dataset,) = tiny.datasets.iterdir()
    files = bucket.listed("team/data/store/datasets/")
    assert [key for key in files if key.endswith("/.whole")] == [f"team/data/store/datasets/{dataset.name}/.whole"]
    assert len({key.split("/")[5] for key in files if not key.endswith("/.whole")}) == 1
    assert len(bucket.listed("team/data/store/shards/")) == len(list(tiny.shards.iterdir()))
    for name in "ab":
        (mirror,) = (tmp_path / name).iterdir()
        assert parquet(mirror / "store" / "datasets") == parquet(tiny.datasets)


@pytest.mark.rotates(of="builds on a store")
@pytest.mark.slow(minutes=0.6)
def test_a_killed_build_leaves_no_dataset_and_goes_on_where_it_was(bucket: Bucket, tmp_path: Path, tiny: DataFolder) -> None:
    host = started(bucket, tmp_path, "build", "tiny", "--workers", "1")
    deadline = time.monotonic() + 300
    while len(bucket.listed("team/data/store/shards/")) < 5 and time.monotonic() < deadline:
        time.sleep(0.05)
    host.send_signal(signal.SIGKILL)
    host.communicate()
    made = len(bucket.listed("team/data/store/shards/"))
    assert 5 <= made < 100 and bucket.listed("team/data/store/datasets/") == bucket.listed("team/data/datasets/") == []
    again = started(bucket, tmp_path, "build", "tiny", "--workers", "1")
    said = "".join(again.communicate())
    assert again.returncode == 0 and "another host" not in said
    (mirror,) = tmp_path.iterdir()
    assert parquet(mirror / "store" / "datasets") == parquet(tiny.datasets)
    (manifest,) = mirror.glob("store/datasets/*/dataset/manifest.json")
    remade = manifest.read_text().partition('"shards_made": [')[2].partition("]")[0].count(",") + 1
    assert 100 - made - 1 <= remade <= 100 - made, "a shard that was in the store was made again"


def test_a_run_of_episodes_goes_on_at_another_host(bucket: Bucket, tmp_path: Path) -> None:
    """One host plays two episodes and notes a fault, and is killed before it writes the tables; another goes on."""
    with on_host(bucket, tmp_path / "a"):
        data = DataFolder.from_environment()
        results = Results(data.runs / "r")
        (data.runs / "r").mkdir(parents=True)
        for number in (1, 2):
            row = episode_row("r", f"e{number}")
            write_trajectory(results.trajectory((f"e{number}", 1)), row, [], {1: [b"\x89PNG"]})
        results.note_fault({**episode_row("r", "e3"), "is_success": None}, "the guest died", 1.0)
    for cache in ("b", "c"):
        with on_host(bucket, tmp_path / cache):
            data = DataFolder.from_environment()
            with data.locked("run-r"):
                rows = Results(data.runs / "r").update()
            assert {key[0]: row["fault"] for key, row in rows.items()} == {"e1": None, "e2": None, "e3": "the guest died"}
    assert [key.partition("/runs/r/")[2] for key in bucket.listed("team/data/runs/r/") if key.endswith(".parquet")] == [
        "episodes/00000.parquet",
        "episodes/faults.parquet",
        "steps/00000.parquet",
    ]


def test_an_imported_suite_is_on_every_host(bucket: Bucket, tmp_path: Path) -> None:
    example = REPOSITORY / "docs" / "imports"
    with on_host(bucket, tmp_path / "a"):
        import_suite(Asked(example / "tasks", "example", "smoke", FileCache.of(example / "files")), DataFolder.from_environment(), is_dry=False)
    with on_host(bucket, tmp_path / "b"):
        assert "example" in suite_names() and len(suite_tasks(read_suite("example"), sound_catalog())) == 2


def test_answers_of_models_are_those_of_all_hosts(bucket: Bucket, tmp_path: Path) -> None:
    """The rows of the run are lost with its host; the answers were sent before. Another host makes the rows again and asks nothing."""
    tasks = tmp_path / "tasks.jsonl"
    tasks.write_text("".join(json.dumps({"text": f"Sum up column {number}", "valid_applications": ["excel"]}) + "\n" for number in range(12)))
    with fake_server(lambda request: "excel") as server:
        choices = Choices(endpoint=Endpoint("m", server.base_url), split="all")
        with on_host(bucket, tmp_path / "a"):
            data = DataFolder.from_environment()
            import_tasks(tasks, "mine", "windows", data)
            evaluate_selection("mine", ["zero_shot"], data, quiet, choices)
        paid = len(server.requests)
        (lost,) = (key for key in bucket.listed("team/data/runs/") if "/predictions/" in key)
        bucket.client.delete_object(Bucket=bucket.name, Key=lost)
        with on_host(bucket, tmp_path / "b"):
            data = DataFolder.from_environment()
            evaluated = evaluate_selection("mine", ["zero_shot"], data, quiet, replace(choices, replay=True))
            with connect(data.warehouse) as connection:
                answers = "select status, count(*) from predictions group by all"
                assert connection.execute(answers).fetchall() == [("answered", 12)] and evaluated.ended_early is None
                assert connection.execute("select count(*) from model_calls where status = 'answered'").fetchall() == [(12,)]
    assert len(server.requests) == paid and bucket.listed("team/data/runs/").count(lost) == 1


def test_pruning_removes_from_the_store_what_nothing_refers_to(bucket: Bucket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for key in ("store/shards/lonely.parquet", "store/vectors/lonely.npy"):
        bucket.client.put_object(Bucket=bucket.name, Key=f"team/data/{key}", Body=b"-")
    monkeypatch.setattr("warehouse.retention._HOUR", -60.0)  # even what was just written is old enough
    with on_host(bucket, tmp_path):
        data = DataFolder.from_environment()
        assert len(prune(data, 1, dry_run=True).removed) == 2 and len(bucket.listed("team/data/store/")) == 2
        prune(data, 1)
    assert bucket.listed("team/data/store/") == [] and not list(data.shards.glob("*"))


@pytest.fixture
def page() -> Iterator[list[str]]:
    yield re.findall(r"```sh\n(.*?)```", (REPOSITORY / "docs" / "object_store.md").read_text(), re.DOTALL)


@pytest.mark.rotates(of="builds on a store")
@pytest.mark.slow(minutes=1)
def test_the_pages_commands_work_as_they_are_written(page: list[str], endpoint: str, tmp_path: Path) -> None:
    bucket = new_bucket(endpoint)
    hosts = [block for block in page if "DESKMILL_DATA" in block]
    assert len(hosts) == 2 and len(page) == 3
    for number, block in enumerate(hosts):
        there = block.replace("http://127.0.0.1:9000", endpoint).replace("s3://desk/", f"s3://{bucket.name}/")
        commands = f'deskmill() {{ "{sys.executable}" "{REPOSITORY}/deskmill.py" "$@"; }}\nset -e\n{there}'
        environment = {**os.environ, **bucket.environment(tmp_path / str(number)), "HF_HUB_OFFLINE": "1"}
        done = subprocess.run(["bash", "-c", commands], env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    assert "heuristic" in done.stdout and "report/index.html" in done.stdout
