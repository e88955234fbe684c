"""Protects runs on many hosts: workers of a cluster play real episodes on images of their own, and one that is killed loses and doubles nothing."""

import contextlib
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]
import pytest

from eval_flows.episodes.agents.choice import AgentChoice
from eval_flows.episodes.runs.pipeline import EpisodeOptions, evaluate_episodes, refuse_on_many_hosts, runner_of_machines
from machines.errors import MachineNeeds
from machines.image import Image
from machines.machine import MachineChoice
from machines.packed import OWN_FOLDER, pack
from tests.conftest import quiet, workers_and_machines
from tests.machines.remote.test_declaration import SOUND, declared
from warehouse.layout import DataFolder
from warehouse.query import connect, rows_of

SECONDS = 240.0


def kill_a_host_at_work(killed: list[int]) -> None:
    """Kill a worker of the cluster while a machine of it runs."""
    until = time.monotonic() + SECONDS
    while time.monotonic() < until and not killed:
        for worker in psutil.Process().children():
            with contextlib.suppress(psutil.Error):  # one of them has just ended
                if any("machines.guest" in " ".join(one.cmdline()) for one in worker.children(recursive=True)):
                    worker.kill()
                    killed.append(worker.pid)
                    return
        time.sleep(0.1)


@pytest.mark.whole
def test_a_host_that_is_killed_in_the_middle_loses_and_doubles_nothing(image: Image, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "machines").symlink_to(image.machines)
    pack(image)
    monkeypatch.setenv(OWN_FOLDER, str(tmp_path / "own"))
    data = DataFolder(tmp_path / "data")
    killed: list[int] = []
    killer = threading.Thread(target=kill_a_host_at_work, args=(killed,), daemon=True)
    killer.start()
    options = EpisodeOptions(limit=4, runner=runner_of_machines("dask", None, 2))
    run = evaluate_episodes("smoke", AgentChoice("oracle"), options, data, quiet)
    killer.join()
    assert killed, "no host was killed while it played"
    rows: list[dict[str, Any]] = run.rows
    assert Counter(row["episode_id"] for row in rows) == dict.fromkeys((row["episode_id"] for row in rows), 1) and len(rows) == 4
    assert all(row["is_success"] and row["fault"] is None for row in rows)
    with connect(data.warehouse) as connection:
        (counted,) = rows_of(connection, "select count(*) episodes, count(distinct episode_id) different from episodes")
    assert counted == {"episodes": 4, "different": 4}
    assert (tmp_path / "own" / "roots" / image.root.name).is_dir(), "they played on images of their own"
    assert not workers_and_machines(), "no process and no machine is left"


@pytest.mark.whole
@pytest.mark.parametrize("runner", ["dask", "ray"])
def test_the_flow_plays_each_episode_in_a_task_on_the_runner_that_a_deployment_names(
    runner: str, image: Image, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "machines").symlink_to(image.machines)
    monkeypatch.setenv("DESKMILL_DATA", str(tmp_path))
    monkeypatch.setenv("PREFECT_SERVER_ANALYTICS_ENABLED", "false")
    from prefect import get_client
    from prefect.testing.utilities import prefect_test_harness

    from eval_flows.episodes.runs.flow import run_episodes

    with prefect_test_harness(server_startup_timeout=240):
        run_id = run_episodes(suite="smoke", agent="oracle", limit=3, runner=runner, workers=2)
        with get_client(sync_client=True) as client:
            tasks = [(run.name, run.state_name) for run in client.read_task_runs()]
    with connect(DataFolder(tmp_path).warehouse) as connection:
        rows = rows_of(connection, "select run_id, episode_id, is_success from episodes")
    assert [(row["run_id"], row["is_success"]) for row in rows] == [(run_id, True)] * 3
    assert sorted(tasks) == sorted((f"episode {row['episode_id']}, repeat 1", "Completed") for row in rows)
    assert not workers_and_machines(), "no process and no machine is left"


def test_machines_that_many_hosts_cannot_use_are_refused_before_anything_starts(image: Image, tmp_path: Path) -> None:
    with pytest.raises(MachineNeeds, match="leave 'ahead' out"):
        refuse_on_many_hosts(MachineChoice("sandbox", "smoke", image.machines, {"ahead": "1"}))
    file = declared(tmp_path, SOUND)
    with pytest.raises(MachineNeeds, match="exists once, .* --runner processes"):
        refuse_on_many_hosts(MachineChoice("remote", "smoke", image.machines, {"file": str(file)}))
