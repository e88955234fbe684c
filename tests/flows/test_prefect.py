"""Protects the deployments: a real server, a process work pool and a worker build a dataset, evaluate on it and play episodes, each asked for with --watch."""

import base64
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from machines.image import Image
from tests.conftest import REPOSITORY

PREFECT = str(Path(sys.executable).parent / "prefect")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def server(tmp_path: Path) -> Iterator[dict[str, str]]:
    """A Prefect server of its own, and a worker on the work pool `local`; the environment to reach them."""
    port = free_port()
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PREFECT_HOME": str(tmp_path / "prefect"),
        "PREFECT_API_URL": f"http://127.0.0.1:{port}/api",
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "DO_NOT_TRACK": "1",
        "DESKMILL_HOME": str(REPOSITORY),
        "DESKMILL_DATA": str(tmp_path / "data"),
    }
    log = (tmp_path / "prefect.log").open("w")
    running = [subprocess.Popen([PREFECT, "server", "start", "--host", "127.0.0.1", "--port", str(port)], env=environment, stdout=log, stderr=log)]
    try:
        wait_until_healthy(environment["PREFECT_API_URL"])
        prefect(environment, "work-pool", "create", "local", "--type", "process")
        worker = [PREFECT, "worker", "start", "--pool", "local"]
        running.insert(0, subprocess.Popen(worker, env=environment, stdout=log, stderr=log, cwd=REPOSITORY))
        yield environment
    finally:
        for process in running:  # the worker before its server, or it outlives SIGTERM
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
        log.close()


def wait_until_healthy(url: str) -> None:
    for _ in range(240):
        try:
            with urllib.request.urlopen(f"{url}/health", timeout=2) as response:
                if response.status == 200:
                    return
        except OSError:
            time.sleep(0.5)
    pytest.fail("the Prefect server did not become healthy")


def prefect(environment: dict[str, str], *arguments: str) -> str:
    done = subprocess.run(
        [PREFECT, "--no-prompt", *arguments], env=environment, cwd=REPOSITORY, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow(minutes=2.5)
def test_the_deployments_build_a_dataset_evaluate_on_it_and_play_episodes(server: dict[str, str], tmp_path: Path, image: Image) -> None:
    prefect(server, "deploy", "--all")
    listed = prefect(server, "deployment", "ls").replace("\n", "")
    assert all(name in listed for name in ("build-dataset/paper", "evaluate-selection/nightly", "run-episodes/nightly"))
    prefect(server, "deployment", "run", "build-dataset/paper", "--param", "recipe=tiny", "--watch")
    manifest = json.loads((tmp_path / "data/datasets/tiny/manifest.json").read_text())
    assert manifest["rows"]["accepted"] == 600
    assert (tmp_path / "data/warehouse.duckdb").is_file()
    prefect(
        server, "deployment", "run", "evaluate-selection/nightly", "--watch",
        "--param", "dataset=tiny", "--param", 'protocols=["random", "heuristic"]', "--param", "limit=50",
    )  # fmt: skip
    assert len(list((tmp_path / "data/runs").iterdir())) >= 2
    (tmp_path / "data" / "machines").symlink_to(image.machines)
    prefect(server, "deployment", "run", "run-episodes/nightly", "--watch", "--param", "suite=smoke")
    left = artifacts(server)
    check_artifacts(left)
    check_artifacts_of_episodes(left)
    shutil.rmtree(tmp_path / "data")


def artifacts(environment: dict[str, str]) -> dict[str, Any]:
    """What the flow runs left on their pages, by key; a table's rows come as JSON text."""
    request = urllib.request.Request(f"{environment['PREFECT_API_URL']}/artifacts/filter", b"{}", {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as response:
        found = json.load(response)
    assert all(entry["flow_run_id"] for entry in found)
    return {entry["key"]: json.loads(entry["data"]) if entry["type"] == "table" else entry["data"] for entry in found if entry["key"]}


def check_artifacts(left: dict[str, Any]) -> None:
    """Each flow leaves a table, a picture and links."""
    assert {"dataset-tiny", "dataset-tiny-rows", "dataset-tiny-picture", "dataset-tiny-links"} <= set(left)
    assert {"selection-tiny-scores-1", "selection-tiny-picture", "selection-tiny-links"} <= set(left)
    numbers = {kind: sum(row["number"] for row in left["dataset-tiny-rows"] if row["rows"] == kind) for kind in ("made", "accepted", "rejected")}
    assert numbers["accepted"] == 600 and numbers["made"] == numbers["accepted"] + numbers["rejected"]
    assert {row["protocol"] for row in left["selection-tiny-scores-1"]} == {"random", "heuristic"}
    assert all(row["accuracy_low"] <= row["accuracy"] <= row["accuracy_high"] for row in left["selection-tiny-scores-1"])
    for key in ("dataset-tiny-picture", "selection-tiny-picture"):
        encoded = left[key].partition("data:image/svg+xml;base64,")[2].rstrip(")")
        assert b"<svg" in base64.b64decode(encoded)
    for key in ("dataset-tiny-links", "selection-tiny-links"):
        assert "README.md" in left[key] and "data_docs/index.html" in left[key]


def check_artifacts_of_episodes(left: dict[str, Any]) -> None:
    """Success by slices, what it cost, and links to files."""
    (whole,) = (row for row in left["episodes-smoke-success"] if row["slice"] == "all")
    assert (whole["played"], whole["succeeded"]) == (10, 10), "the oracle of the deployment succeeds in everything"
    assert left["episodes-smoke-cost"] and "trajectories" in left["episodes-smoke-links"]


def test_deployments_are_those_of_the_design_and_have_schedules() -> None:
    declared = yaml.safe_load((REPOSITORY / "prefect.yaml").read_text())["deployments"]
    assert {entry["name"] for entry in declared} == {"paper", "nightly"}
    assert all(entry["schedules"][0]["cron"] for entry in declared)
