"""Protects places and their machines: who gets one, what is refused before anything is served."""

import socket
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from machines.errors import MachineError, MachineNeeds
from machines.gateway.places import AllInUse, NoSuchMachine, Places, create_control
from machines.gateway.serve import Served, serve_machines
from machines.machine import MachineChoice
from tests.machines.gateway.counted import Counted, place_of
from tests.machines.remote.test_declaration import SOUND, declared


def test_machines_are_taken_reset_and_given_back() -> None:
    machines = [Counted(), Counted()]
    places = Places([place_of(machine, str(number)) for number, machine in enumerate(machines, 1)], 1800)
    with TestClient(create_control(places)) as http:
        first = http.post("/machines").json()
        assert (first["machine"], first["address"], first["home"]) == ("1", "testserver:5001:5002:0:5003", "/home/agent"), "where it was asked"
        assert http.post("/machines").json()["machine"] == "2" and [one["machine"] for one in http.get("/machines").json()] == ["1", "2"]
        full = http.post("/machines")
        assert full.status_code == 503 and "all 2 machines are in use" in full.json()["error"] and full.headers["Retry-After"]
        assert http.post("/machines/1/reset").json() == first == http.get("/machines/1").json()
        assert http.delete("/machines/1").json() == {"machine": "1"}
        gone = http.get("/machines/1")
        assert gone.status_code == 404 and "there are 2" in gone.json()["error"]
        assert http.post("/machines").json()["machine"] == "1"
    assert machines[0].life == ["start", "reset", "stop", "start", "stop"] and machines[1].life == ["start", "stop"], "the end stops all"


def test_an_idle_machine_is_given_to_the_next_and_a_busy_one_is_not(machine: Counted) -> None:
    place = place_of(machine)
    places = Places([place], 100)
    places.take()
    place.used -= 99
    with pytest.raises(AllInUse):
        places.take()
    place.used -= 2
    assert places.take() is place and machine.life == ["start", "reset"], "as new"


def test_a_machine_that_does_not_start_leaves_its_place_free() -> None:
    machine = Counted(fails=True)
    places = Places([place_of(machine)], 100)
    with pytest.raises(MachineError, match="it does not come up"):
        places.take()
    with pytest.raises(NoSuchMachine):
        places["1"]
    machine.fails = False
    assert places.take().is_started


def test_what_cannot_be_served_is_refused_before_anything_listens(tmp_path: Path) -> None:
    windows = MachineChoice("remote", "", tmp_path, {"file": str(declared(tmp_path, SOUND))})
    with pytest.raises(MachineNeeds, match="only machines with Linux"):
        serve_machines(Served(windows), print)


def test_a_port_that_is_taken_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(MachineChoice, "make", lambda _: Counted())
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(MachineNeeds, match=rf"cannot listen on 127.0.0.1:{port} .* ports {port} to {port + 3} are wanted"):
            serve_machines(Served(MachineChoice("sandbox", "smoke", tmp_path), port=port), print)
    monkeypatch.setattr(Counted, "exists_once", True)
    with pytest.raises(MachineNeeds, match="is not served again"):
        serve_machines(Served(MachineChoice("sandbox", "smoke", tmp_path)), print)
