"""Protects the protocol of OpenEnv: its messages play an episode, and an error leaves the connection open."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.sync.connection import Connection

from eval_flows.episodes.tasks.task import Task
from tests.eval_flows.episodes.serving.conftest import TOKEN
from tests.eval_flows.episodes.serving.test_life import soon

Say = Callable[..., Any]
HEADERS = {"Authorization": f"Bearer {TOKEN}"}


def saying(socket: Connection) -> Say:
    """A function that sends a message as the package `openenv` sends it, and returns the answer."""

    def say(kind: str, **data: object) -> Any:
        socket.send(json.dumps({"type": kind, "data": data} if kind in ("reset", "step") else {"type": kind}))
        return json.loads(socket.recv())

    return say


@pytest.fixture
def say(address: str) -> Iterator[Say]:
    with connect(f"{address.replace('http', 'ws')}/ws", additional_headers=HEADERS, max_size=None) as socket:
        yield saying(socket)


def test_an_episode_is_played_to_its_reward(say: Say, smoke: list[Task]) -> None:
    begun = say("reset", suite="smoke", episode_id=smoke[0].episode_id)
    assert begun["type"] == "observation" and (begun["data"]["reward"], begun["data"]["done"]) == (None, False)
    assert begun["data"]["observation"]["instruction"] == smoke[0].instruction and begun["data"]["observation"]["screenshot"]
    code = f"press('ctrl+end')\nwrite({smoke[0].values['jotting']!r})\npress('ctrl+s')"
    assert say("step", action=code)["data"]["observation"]["feedback"] == ""
    assert say("state")["data"]["step_count"] == 1 and say("state")["data"]["episode_id"] == smoke[0].episode_id
    ended = say("step", action="DONE")["data"]
    assert (ended["reward"], ended["done"], ended["metadata"]["side_effects"]) == (1, True, []) and ended["metadata"]["is_success"] is True
    again = say("step", action="DONE")
    assert again["type"] == "error" and "has ended" in again["data"]["message"]
    drawn = [say("reset", suite="smoke", seed=4)["data"]["observation"]["episode"] for _ in range(2)]
    assert drawn[0] == drawn[1]


def test_mistakes_are_told_and_the_connection_stays(say: Say) -> None:
    for kind, data, told in (
        ("step", {"action": "DONE"}, "send reset first"),
        ("state", {}, "send reset first"),
        ("fly", {}, "send reset, step, state or close"),
        ("step", {"action": 3}, "no message of OpenEnv"),
        ("reset", {"suite": "none"}, "no suite 'none'"),
        ("reset", {"suite": "smoke", "episode_id": "none"}, "no episode 'none'"),
    ):
        answer = say(kind, **data)
        assert answer["type"] == "error" and told in answer["data"]["message"], (kind, answer)


def test_a_connection_goes_on_when_its_session_was_closed(say: Say, address: str) -> None:
    """A session that was idle too long left its connection without a way to go on."""
    session = say("reset", episode_id=0)["data"]["observation"]["session"]
    httpx.delete(f"{address}/sessions/{session}", headers=HEADERS).raise_for_status()
    assert "was closed" in say("step", action="WAIT")["data"]["message"]
    assert say("reset", episode_id=0)["type"] == "observation"


def test_a_session_ends_with_its_connection_and_there_are_only_so_many(address: str) -> None:
    place = f"{address.replace('http', 'ws')}/ws"
    with connect(place, additional_headers=HEADERS, max_size=None) as one, connect(place, additional_headers=HEADERS, max_size=None) as two:
        with connect(place, additional_headers=HEADERS, max_size=None) as three:
            assert [saying(socket)("reset", episode_id=0)["type"] for socket in (one, two)] == ["observation"] * 2
            assert saying(three)("reset", episode_id=0)["data"]["code"] == "CAPACITY_REACHED"
        one.send(json.dumps({"type": "close"}))
    assert soon(lambda: httpx.get(f"{address}/sessions", headers=HEADERS).json() == [])
    with pytest.raises(InvalidStatus, match="403"), connect(place):
        pass
