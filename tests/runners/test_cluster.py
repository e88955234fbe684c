"""Protects a cluster that is there: its address is used, and hosts with other code, or none, are told and do nothing."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from distributed import Client

from runners import on_dask, waiting
from runners.errors import RunnerError
from runners.runner import RunnerChoice
from tests.commands import deskmill, free_port
from tests.conftest import REPOSITORY
from tests.runners.work import Piece, made


@pytest.fixture
def scheduler() -> Iterator[Any]:
    """A scheduler without workers."""
    from distributed import LocalCluster

    with LocalCluster(n_workers=0, **on_dask.LOCAL) as cluster:
        yield cluster


def test_the_workers_at_an_address_are_used(scheduler: Any, tmp_path: Path) -> None:
    scheduler.scale(1)
    with RunnerChoice("dask", address=scheduler.scheduler_address).open() as run_map:
        assert sorted(run_map(made, [Piece(number, tmp_path) for number in range(5)])) == [0, 1, 4, 9, 16]


def test_so_many_workers_of_one_thread_are_started_as_are_asked_for() -> None:
    """One worker was started, with a thread for each processor."""
    with on_dask.started(RunnerChoice("dask", workers=3, resource="machine")) as client:
        client.wait_for_workers(3, timeout=120)
        found = client.scheduler_info(n_workers=-1)["workers"].values()
        assert [(one["nthreads"], one["resources"]) for one in found] == [(1, {"machine": 1})] * 3


def test_a_scheduler_without_workers_is_told(scheduler: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_dask, "_WORKER_WITHIN", 0.5)
    with (
        pytest.raises(RunnerError, match=f"the scheduler at {scheduler.scheduler_address} has no worker.*dask worker"),
        RunnerChoice("dask", address=scheduler.scheduler_address).open(),
    ):
        pass


def test_a_cluster_that_lost_all_its_workers_ends_the_map(scheduler: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "LOOKED_AGAIN", 0.1)
    monkeypatch.setattr(waiting, "BACK_WITHIN", 0.2)
    monkeypatch.setattr(on_dask, "reached", lambda choice: Client(choice.address, set_as_default=False))
    with (
        pytest.raises(RunnerError, match="^all workers of Dask are gone: start some"),
        RunnerChoice("dask", address=scheduler.scheduler_address).open() as run_map,
    ):
        list(run_map(made, [Piece(0, tmp_path)]))


@pytest.mark.rotates
@pytest.mark.slow
@pytest.mark.parametrize(
    ("lacking", "said"), [("same_code.py", "has no Deskmill, or another version"), (None, "has other code of Deskmill than this host")]
)
def test_a_worker_with_other_code_does_nothing(lacking: str | None, said: str, scheduler: Any, tmp_path: Path) -> None:
    host = tmp_path / "host"
    for room in ("runners", "machines", "tests/runners"):
        shutil.copytree(
            REPOSITORY / room, host / room, ignore=lambda folder, names: {name for name in names if not name.endswith((".py", "runners"))}
        )
    (host / "tests" / "__init__.py").touch()
    if lacking:
        (host / "runners" / lacking).write_text("raise ModuleNotFoundError(__name__)  # a removed one is found where Deskmill is installed\n")
    command = [sys.executable, "-m", "distributed.cli.dask_worker", scheduler.scheduler_address, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
    environment = {**os.environ, "PYTHONPATH": str(host)}
    worker = subprocess.Popen(command, cwd=host, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        with pytest.raises(RunnerError, match=said), RunnerChoice("dask", address=scheduler.scheduler_address).open() as run_map:
            list(run_map(made, [Piece(0, tmp_path), Piece(1, tmp_path)]))
    finally:
        worker.kill()
        worker.wait()
    assert not list(tmp_path.glob("*-*"))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--runner", "dask", "--address", "tcp://127.0.0.1:1"), "error: no scheduler of Dask answers at tcp://127.0.0.1:1"),
        (("--runner", "rey"), "error: there is no runner 'rey'; did you mean 'ray'?"),
    ],
)
def test_the_command_line_ends_with_2(arguments: tuple[str, ...], said: str, tmp_path: Path) -> None:
    done = deskmill("build", "tiny", *arguments, data=tmp_path)
    assert done.returncode == 2 and done.stderr.startswith(said), done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.slow(minutes=1)
def test_a_cluster_of_ray_at_an_address_is_used(tmp_path: Path) -> None:
    address = f"127.0.0.1:{free_port()}"
    head = [sys.executable, "-m", "ray.scripts.scripts", "start", "--head", "--block", "--num-cpus", "1", "--include-dashboard", "false"]
    head += ["--port", address.rpartition(":")[2], "--node-ip-address", "127.0.0.1", "--disable-usage-stats"]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), "RAY_AUTH_MODE": "disabled"}
    with subprocess.Popen(head, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as cluster:
        try:
            assert cluster.stdout and any("--block" in line for line in cluster.stdout), "it says so when it has started"
            with RunnerChoice("ray", address=address).open() as run_map:
                assert sorted(run_map(made, [Piece(number, tmp_path) for number in range(5)])) == [0, 1, 4, 9, 16]
        finally:
            cluster.terminate()
