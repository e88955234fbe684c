"""Protects the container files as far as this goes without containers: what they name is there, and the same commands work as processes."""

import os
import re
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.commands import free_port
from tests.conftest import REPOSITORY

BIN = Path(sys.executable).parent
COMPOSE: dict[str, Any] = yaml.safe_load((REPOSITORY / "compose.yaml").read_text())
CONTAINERFILE = (REPOSITORY / "Containerfile").read_text()
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_the_image_installs_what_machines_need_and_extras_that_there_are() -> None:
    wanted = (REPOSITORY / ".ci" / "debian-packages").read_text().partition("machines)")[2].partition(";;")[0]
    packages = set(re.findall(r"missing\+=\((\w+)\)", wanted))
    assert packages == {"bubblewrap", "mmdebstrap", "eatmydata", "uidmap"}
    assert all(re.search(rf"\b{package}\b", CONTAINERFILE) for package in packages)
    (extras,) = re.findall(r"'\.\[([a-z0-9,]+)\]'", CONTAINERFILE)
    declared = (REPOSITORY / "pyproject.toml").read_text().partition("[project.optional-dependencies]")[2]
    assert all(re.search(rf"^{extra} = \[", declared, re.MULTILINE) for extra in extras.split(","))
    assert (REPOSITORY / "constraints.txt").is_file()


def test_each_service_depends_on_services_that_there_are_and_shares_the_data() -> None:
    assert set(SERVICES) == {"server", "deploy", "worker", "scheduler", "dask-worker"}
    for service in SERVICES.values():
        assert set(service.get("depends_on", ())) <= set(SERVICES)
        assert service["volumes"] == ["data:/data"] and service["build"]["dockerfile"] == "Containerfile"
    assert "DESKMILL_DATA=/data" in CONTAINERFILE.replace(" \\", "")


def test_only_services_that_play_episodes_have_more_rights() -> None:
    more = {name: service for name, service in SERVICES.items() if {"cap_add", "security_opt", "privileged"} & set(service)}
    assert set(more) == {"worker", "dask-worker"}
    assert all("systempaths=unconfined" in service["security_opt"] for service in more.values()), "a sandbox mounts a /proc of its own"


def test_the_pages_are_for_this_host_alone() -> None:
    assert [port for service in SERVICES.values() for port in service.get("ports", ())] == ["127.0.0.1:4200:4200"]


def test_the_work_pool_that_is_made_is_the_one_of_the_deployments_and_of_the_worker() -> None:
    deployments = yaml.safe_load((REPOSITORY / "prefect.yaml").read_text())["deployments"]
    (pool,) = {entry["work_pool"]["name"] for entry in deployments}
    assert f"work-pool create {pool} " in SERVICES["deploy"]["command"][2]
    assert SERVICES["worker"]["command"][-2:] == ["--pool", pool]


@pytest.mark.parametrize("service", ["server", "worker", "scheduler", "dask-worker"])
def test_the_programs_know_the_options_that_they_are_given(service: str) -> None:
    program, *words = SERVICES[service]["command"]
    commands = [word for word in words[:2] if not word.startswith(("-", "tcp:"))]
    done = subprocess.run([BIN / program, *commands, "--help"], capture_output=True, text=True, check=True, env=_wide())
    for option in (word for word in words if word.startswith("--")):
        assert option in done.stdout, f"{program} {' '.join(commands)} has no option {option}"


@pytest.mark.slow(minutes=0.5)
def test_the_commands_of_the_cluster_make_a_cluster_with_room_for_machines(tmp_path: Path) -> None:
    from distributed import Client

    port = str(free_port())
    scheduler = [port if word == "8786" else "127.0.0.1" if word == "0.0.0.0" else word for word in SERVICES["scheduler"]["command"]]
    worker = [word.replace("tcp://scheduler:8786", f"tcp://127.0.0.1:{port}") for word in SERVICES["dask-worker"]["command"]]
    started = [
        subprocess.Popen([str(BIN / program), *words], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for program, *words in (scheduler, worker)
    ]
    try:
        until = time.monotonic() + 60
        while not listens(int(port)):
            assert time.monotonic() < until, "the scheduler did not come up"
            time.sleep(0.2)
        with Client(f"tcp://127.0.0.1:{port}", timeout=60, set_as_default=False) as client:
            client.wait_for_workers(4, timeout=60)
            found = client.scheduler_info(n_workers=-1)["workers"].values()
        assert [(one["resources"], one["nthreads"]) for one in found] == [({"machine": 1}, 1)] * 4
    finally:
        for process in reversed(started):
            process.terminate()
            process.wait(30)


def test_the_image_leaves_out_what_is_made() -> None:
    left_out = (REPOSITORY / ".dockerignore").read_text().split()  # Docker reads no other; Podman reads this one too
    assert not (REPOSITORY / ".containerignore").exists(), "Podman would read it in its place"
    assert {".git", ".venv", "data"} <= set(left_out)


def _wide() -> dict[str, str]:
    """An environment in which help is not broken into columns."""
    return {**os.environ, "COLUMNS": "300", "NO_COLOR": "1", "TERM": "dumb"}
