"""Shared by the tests of the gateway: a machine that notes what is asked of it, and a gateway to it."""

import pytest
from fastapi.testclient import TestClient

from machines.gateway.protocol import create_gateway
from tests.machines.gateway.counted import Counted, place_of


@pytest.fixture
def machine() -> Counted:
    return Counted()


@pytest.fixture
def http(machine: Counted) -> TestClient:
    place = place_of(machine)
    place.start()
    machine.guest.ran.clear()
    return TestClient(create_gateway(place), raise_server_exceptions=False)
