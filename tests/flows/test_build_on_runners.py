"""Protects the bytes of a dataset: the same from every runner, with any number of workers, and after a worker was killed."""

import os
import signal

import psutil  # type: ignore[import-untyped]
import pytest

from flows.pipeline import Built, build_dataset
from flows.recipe import Recipe
from runners.runner import RunnerChoice
from tests.conftest import quiet
from tests.flows.test_pipeline import bytes_of
from warehouse.layout import DataFolder


@pytest.fixture(scope="module")
def expected(tiny: DataFolder) -> dict[str, str]:
    """The bytes of the dataset `tiny` as this process alone makes it."""
    return bytes_of(Built("tiny", "", tiny.labels / "tiny", {}, was_there=True))


@pytest.mark.slow(minutes=0.8)
@pytest.mark.rotates
@pytest.mark.parametrize(("runner", "workers"), [("processes", 2), ("dask", 1), ("ray", 2), ("dask", 2), ("ray", 1)])
def test_every_runner_makes_the_same(
    runner: str, workers: int, expected: dict[str, str], tiny: DataFolder, tiny_recipe: Recipe, data: DataFolder
) -> None:
    with RunnerChoice(runner, workers=workers).open() as run_map:
        built = build_dataset("tiny", tiny_recipe, data, run_map, quiet)
    assert built.dataset_id == (tiny.labels / "tiny").resolve().parent.name and len(built.manifest["shards_made"]) == 100
    assert bytes_of(built) == expected


@pytest.mark.slow(minutes=0.5)
@pytest.mark.parametrize("runner", ["processes", "dask"])
def test_a_worker_that_is_killed_in_the_middle_changes_nothing(runner: str, expected: dict[str, str], tiny_recipe: Recipe, data: DataFolder) -> None:
    killed: list[int] = []

    def kill(stage: str, done: int, total: int, note: str = "") -> None:
        if stage == "making shards" and done == 20 and not killed:
            killed.append(workers_of_this_process()[0])
            os.kill(killed[0], signal.SIGKILL)

    with RunnerChoice(runner, workers=2).open() as run_map:
        built = build_dataset("tiny", tiny_recipe, data, run_map, kill)
    assert killed and bytes_of(built) == expected


@pytest.mark.whole
@pytest.mark.parametrize("runner", ["processes", "dask", "ray"])
def test_the_flow_makes_the_same_on_the_runner_that_a_deployment_names(
    runner: str, expected: dict[str, str], tiny: DataFolder, data: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PREFECT_SERVER_ANALYTICS_ENABLED", "false")
    from prefect.testing.utilities import prefect_test_harness

    from flows.build_dataset import build_dataset as flow

    with prefect_test_harness(server_startup_timeout=240):
        identity = flow(recipe="tiny", runner=runner, workers=2)
    assert identity == (tiny.labels / "tiny").resolve().parent.name
    assert bytes_of(Built("tiny", identity, data.labels / "tiny", {}, was_there=False)) == expected
    assert len(list(data.shards.glob("[!.]*.parquet"))) == 100


def workers_of_this_process() -> list[int]:
    """The processes in which items are made: those of Dask are spawned, those of a pool come from a fork server."""
    below = psutil.Process().children(recursive=True)
    told = [(one, " ".join(one.cmdline())) for one in below]
    return [one.pid for one, command in told if "spawn_main" in command or ("forkserver" in command and one.ppid() != os.getpid())]
