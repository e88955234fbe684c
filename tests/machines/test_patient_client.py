"""Protects the client of slow machines: its limits are longer, and a program that was launched has come up."""

import json

import httpx
import pytest

from machines.patient_client import PatientClient


def test_limits_are_longer_and_a_launch_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, dict[str, object], float]] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append((request.url.path, json.loads(request.content), request.extensions["timeout"]["read"]))
        return httpx.Response(200, json={"settled": True, "status": "success"})

    monkeypatch.setattr(httpx, "HTTPTransport", lambda **_: httpx.MockTransport(answer))
    client = PatientClient("http://guest", "token", 5)
    assert client.settle(0.06, 3.0)
    client.launch(["mousepad"])
    client.act({"name": "paste"})
    (_, settle, settle_seconds), launched, opened, (_, _, act_seconds) = asked
    assert settle == {"quiet": 0.06, "limit": 15.0} and settle_seconds > 15
    assert launched[0] == "/setup/launch" and opened[0] == "/settle" and opened[1]["limit"] == 150
    assert act_seconds == 150
