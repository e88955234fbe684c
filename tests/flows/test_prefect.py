"""Protects the deployments: the lines of docs/scheduling.md, in a fresh PREFECT_HOME, build a dataset, evaluate on it, and play episodes and a sweep."""

import base64
import inspect
import json
import os
import re
import shutil
import signal
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml

from machines.image import Image
from tests.commands import free_port
from tests.conftest import REPOSITORY

PORT = "4200"  # of the document; the test's server takes a free one


def documented(heading: str) -> str:
    """The lines of the first block below a heading of docs/scheduling.md."""
    text = (REPOSITORY / "docs/scheduling.md").read_text()
    found = re.search(rf"^## {re.escape(heading)}.*?^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert found is not None, heading
    return found[1]


class Terminal:
    """A terminal as the document has it: its lines after those of the environment, with nothing of Prefect's set before."""

    def __init__(self, folder: Path, port: int) -> None:
        self.port = port
        self.log = (folder / "prefect.log").open("w+")
        known = {name: value for name, value in os.environ.items() if not name.startswith(("PREFECT_", "DESKMILL_", "DO_NOT_TRACK"))}
        places = {"PREFECT_HOME": str(folder / "prefect"), "DESKMILL_DATA": str(folder / "data")}
        self.environment = {**known, **places, "PREFECT_SERVER_API_PORT": str(port)}

    def start(self, lines: str) -> subprocess.Popen[bytes]:
        """Run the lines; the last of them stays, as the process itself."""
        *first, last = lines.strip().splitlines()
        script = "\n".join(["set -e", *documented("The environment").splitlines(), *first, f"exec {last}"]).replace(PORT, str(self.port))
        command = ["bash", "-c", script]
        return subprocess.Popen(command, env=self.environment, cwd=REPOSITORY, stdout=self.log, stderr=self.log, stdin=subprocess.DEVNULL)

    def run(self, lines: str) -> None:
        """Run the lines to their end."""
        assert self.start(lines).wait(1_200) == 0, Path(self.log.name).read_text()[-4000:]


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    """A terminal beside two others, in which a server and a worker run, as documented."""
    opened = Terminal(tmp_path, free_port())
    running = [opened.start(documented("Terminal 1: the server"))]
    try:
        wait_until_there(f"http://127.0.0.1:{opened.port}/api/health", running[0])
        running.insert(0, opened.start(documented("Terminal 2: the worker")))
        wait_until_there(f"http://127.0.0.1:{opened.port}/api/work_pools/local", running[0])
        yield opened
        assert [process.poll() for process in running] == [None, None], Path(opened.log.name).read_text()[-4000:]
    finally:
        for process in running:  # the worker before its server, as the document says
            process.send_signal(signal.SIGINT)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
        opened.log.close()


def wait_until_there(url: str, process: subprocess.Popen[bytes]) -> None:
    """Wait until the server answers there, since a process sees to that; on a busy host that takes minutes."""
    for _ in range(600):
        assert process.poll() is None, f"the process that sees to {url} ended"
        try:
            with urllib.request.urlopen(url, timeout=2) as response:
                if response.status == 200:
                    return
        except OSError:
            time.sleep(0.5)
    pytest.fail(f"nothing answered at {url}")


@pytest.mark.slow(minutes=3)
@pytest.mark.rotates
@pytest.mark.parametrize("flows", [("build-dataset", "evaluate-selection"), ("run-episodes",), ("run-sweep",)], ids="+".join)
def test_the_documented_lines_build_a_dataset_evaluate_on_it_and_play_episodes_and_a_sweep(
    flows: tuple[str, ...], terminal: Terminal, tmp_path: Path, image: Image
) -> None:
    (tmp_path / "data").mkdir(exist_ok=True)
    (tmp_path / "data" / "machines").symlink_to(image.machines)
    deploy, *runs = documented("Terminal 3: deploy, and run one now").splitlines()
    chosen = [line for line in runs if any(f" {flow}/" in line for flow in flows)]
    assert len(runs) == 4 and len(chosen) == len(flows), "the cases of this test run every line of the document"
    terminal.run("\n".join([deploy, *chosen]))
    assert (tmp_path / "data/warehouse.duckdb").is_file()
    left = artifacts(f"http://127.0.0.1:{terminal.port}/api")
    if "build-dataset" in flows:
        manifest = json.loads((tmp_path / "data/datasets/tiny/manifest.json").read_text())
        assert manifest["rows"]["accepted"] == 600 and len(list((tmp_path / "data/runs").iterdir())) == 2
        check_artifacts(left)
    if "run-episodes" in flows:
        check_artifacts_of_episodes(left)
    if "run-sweep" in flows:
        check_artifacts_of_sweeps(left)
    shutil.rmtree(tmp_path / "data")


def artifacts(url: str) -> dict[str, Any]:
    """What the flow runs left on their pages, by key; a table's rows come as JSON text."""
    request = urllib.request.Request(f"{url}/artifacts/filter", b"{}", {"Content-Type": "application/json"})
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


def check_artifacts_of_sweeps(left: dict[str, Any]) -> None:
    """The results of each cell, and links to files."""
    oracle, *others = left["sweep-demo-results"]
    assert (oracle["label"], oracle["success"]) == ("oracle", 1.0) and len(others) == 7 and all(one["played"] == 1 for one in others)
    assert "page of the sweep" in left["sweep-demo-links"]


def test_deployments_are_those_of_the_design() -> None:
    names = {"paper", "paper-on-dask", "paper-on-ray", "nightly", "nightly-on-dask", "nightly-on-ray", "weekly"}
    assert {entry["name"] for entry in declared()} == names


def declared() -> list[dict[str, Any]]:
    """The deployments, each with its `flow`."""
    found: list[dict[str, Any]] = yaml.safe_load((REPOSITORY / "prefect.yaml").read_text())["deployments"]
    for entry in found:
        module, _, name = entry["entrypoint"].partition(":")
        entry["flow"] = getattr(import_module(module.removesuffix(".py").replace("/", ".")), name)
    return found


@pytest.mark.parametrize("entry", declared(), ids=lambda entry: f"{entry['flow'].name}/{entry['name']}")
def test_a_deployment_has_every_option_of_its_command_a_limit_retries_and_a_schedule(entry: dict[str, Any]) -> None:
    """The options of a command are the parameters of its flow: tests/eval_flows/test_flow_parameters.py. All have their defaults but what is named."""
    parameters = inspect.signature(entry["flow"].fn).parameters
    assert set(entry["parameters"]) == set(parameters)
    other = {name for name, value in entry["parameters"].items() if (value or None) != (_plain(parameters[name].default) or None)}
    assert other == ({"runner"} if entry["name"].endswith(("-on-dask", "-on-ray")) else set()), "what differs from the default"
    entry["flow"].validate_parameters(entry["parameters"])
    assert entry["concurrency_limit"] == {"limit": 1, "collision_strategy": "ENQUEUE"} and entry["schedules"][0]["cron"]
    variables = entry["work_pool"]["job_variables"]["env"]
    assert int(variables["PREFECT_FLOWS_DEFAULT_RETRIES"]) > 0 and int(variables["PREFECT_FLOWS_DEFAULT_RETRY_DELAY_SECONDS"]) > 0


def _plain(default: Any) -> Any:
    return list(default) if isinstance(default, tuple) else default


@pytest.mark.parametrize("flow", ["build-dataset", "run-episodes"])
def test_processes_dask_and_ray_stand_side_by_side_and_only_this_host_begins_by_itself(flow: str) -> None:
    by_runner = {entry["parameters"]["runner"]: entry for entry in declared() if entry["flow"].name == flow}
    assert set(by_runner) == {"processes", "dask", "ray"}
    assert [runner for runner, entry in by_runner.items() if entry["schedules"][0].get("active", True)] == ["processes"]


def test_the_document_tells_every_deployment() -> None:
    text = (REPOSITORY / "docs/scheduling.md").read_text()
    for entry in declared():
        name = f"{entry['flow'].name}/{entry['name']}"
        assert f"| `{name}` |" in text and f"prefect deployment run {name} " in text
