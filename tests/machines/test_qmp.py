"""Protects the talk with QEMU: answers are told from events, and a QEMU that refuses, ends or sends garbage is a fault of the infrastructure."""

import json
import socket
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

import machines.qmp
from machines.errors import MachineError
from machines.qmp import Qmp


@pytest.fixture
def ends() -> Iterator[tuple[Qmp, socket.socket]]:
    ours, its = socket.socketpair()
    with its, Qmp(ours) as qmp:
        yield qmp, its


def test_an_answer_is_told_from_events(ends: tuple[Qmp, socket.socket]) -> None:
    qmp, its = ends
    its.sendall(b'{"QMP": {}}\n{"return": {}}\n')
    qmp.begin()
    its.sendall(b'{"event": "STOP", "data": {}}\n{"return": {"status": "paused"}}\n')
    assert qmp.call("query-status") == {"status": "paused"}
    said = its.recv(4096).decode().splitlines()
    assert [json.loads(line)["execute"] for line in said] == ["qmp_capabilities", "query-status"]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b'{"error": {"class": "GenericError", "desc": "no such snapshot"}}\n', "QEMU refused loadvm: no such snapshot"),
        (b"Segmentation fault\n", "QEMU answered b'Segmentation fault.n', which is no JSON object"),
        (b"[1]\n", "which is no JSON object"),
    ],
)
def test_what_went_wrong_is_told(answer: bytes, said: str, ends: tuple[Qmp, socket.socket]) -> None:
    qmp, its = ends
    its.sendall(answer)
    with pytest.raises(MachineError, match=said):
        qmp.call("loadvm")


def test_a_qemu_that_ends_or_hangs_is_told(ends: tuple[Qmp, socket.socket], monkeypatch: pytest.MonkeyPatch) -> None:
    qmp, its = ends
    monkeypatch.setattr(machines.qmp, "_SECONDS", 0.05)
    quiet, _its_end = socket.socketpair()
    with Qmp(quiet) as hanging, pytest.raises(MachineError, match="QEMU does not answer"):
        hanging.call("stop")
    its.close()
    with pytest.raises(MachineError, match="QEMU (has ended|does not take)"):
        qmp.call("stop")


@given(st.binary(max_size=200))
def test_no_answer_raises_anything_else(answer: bytes) -> None:
    ours, its = socket.socketpair()
    with its, Qmp(ours) as qmp:
        its.sendall(answer.replace(b'"return"', b"") + b"\n")
        its.shutdown(socket.SHUT_WR)
        with pytest.raises(MachineError):
            qmp.call("stop")
