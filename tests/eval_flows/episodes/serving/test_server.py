"""Protects the server: it plays as an environment here plays, says what was wrong with a call, and keeps to its limits."""

import asyncio
import base64
import io
import re
from types import SimpleNamespace
from typing import cast

import httpx
import pytest
from PIL import Image

from atomic_tasks.problems import BadInput
from eval_flows.episodes.environment import DONE, WAIT
from eval_flows.episodes.serving.client import Server
from eval_flows.episodes.serving.server import create_server
from eval_flows.episodes.serving.sessions import Limits, Sessions, SessionsUsedUp
from eval_flows.episodes.serving.suite_environment import EpisodeOver
from eval_flows.episodes.tasks.task import Task
from machines.actions import Action
from machines.errors import MachineError
from tests.eval_flows.episodes.serving.conftest import TOKEN

END, SAVE = Action("press", {"key": "ctrl+end"}), Action("press", {"key": "ctrl+s"})


@pytest.fixture
def http(address: str) -> httpx.Client:
    return httpx.Client(base_url=address, headers={"Authorization": f"Bearer {TOKEN}"}, timeout=60)


def test_an_episode_is_played_through_the_client_as_it_is_here(server: Server, smoke: list[Task]) -> None:
    assert "smoke" in server.suites()
    listed = server.episodes("smoke")
    assert [one.episode for one in listed] == [task.episode_id for task in smoke] and {one.steps for one in listed} == {6}
    with server.environment("smoke") as environment:
        first = environment.reset(smoke[0].episode_id)
        assert environment.state.instruction == smoke[0].instruction and environment.state.screen == (1280, 800)
        assert first.screenshot is not None and Image.open(io.BytesIO(first.screenshot)).size == (1280, 800) and first.elements and first.windows
        jotted = environment.step([END, Action("write", {"text": smoke[0].values["jotting"]}), WAIT, SAVE])
        assert jotted.feedback == "" and jotted.screenshot != first.screenshot
        assert "the code cannot be read" in environment.step("save it now").feedback
        assert environment.step("computer.mouse.move_abs(x=0.5, y=0.5)").pointer == (640, 400)
        assert environment.look().elements == environment.look().elements and environment.state.step == 3
        assert environment.step(DONE).ended == "DONE" and environment.state.end == "DONE"
        reward = environment.evaluate()
        assert reward.value == 1 and reward.side_effects == [] and all(one.holds for one in reward.checked)
        with pytest.raises(EpisodeOver, match="has ended"):
            environment.step(DONE)
        environment.reset(1)
        for _ in range(6):
            environment.step(WAIT)
        end: str | None = environment.state.end
        assert end == "out of steps" and environment.evaluate().value == 0


def test_pictures_travel_as_the_client_asks(server: Server, http: httpx.Client) -> None:
    with server.environment("smoke", "address") as environment:
        assert environment.reset().screenshot is None and environment.screenshot().startswith(b"\x89PNG")
        said = http.get(f"/sessions/{environment.state.session}/observation").json()
        assert "screenshot" not in said["observation"] or said["observation"]["screenshot"] is None
        stepped = http.post(f"/sessions/{environment.state.session}/step", json={"action": "WAIT"}).json()["observation"]
        picture = http.get(stepped["screenshot_address"])
        assert picture.headers["content-type"] == "image/png" and picture.content.startswith(b"\x89PNG")
    with server.environment("smoke", "none") as environment:
        environment.reset()
        with pytest.raises(BadInput, match="has no screenshot"):
            environment.screenshot()
    created = http.post("/sessions", json={"suite": "smoke"}).json()
    assert base64.b64decode(created["observation"]["screenshot"], validate=True).startswith(b"\x89PNG")
    assert http.delete(f"/sessions/{created['session']['session']}").status_code == 204 and http.get("/sessions").json() == []


def test_nothing_is_told_without_the_token(address: str) -> None:
    for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": TOKEN}):
        for method, path in (("GET", "/suites"), ("POST", "/sessions"), ("GET", "/nothing"), ("GET", "/openapi.json")):
            answer = httpx.request(method, address + path, headers=headers)
            assert answer.status_code == 401 and "Authorization: Bearer TOKEN" in answer.json()["error"]
    assert httpx.get(f"{address}/health").json() == {"status": "healthy"}
    with pytest.raises(BadInput, match="token"):
        Server(address, "wrong").suites()


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "told"),
    [
        ("GET", "/suites/smok", None, 404, "did you mean smoke"),
        ("GET", "/sessions/none", None, 404, "there is no session 'none'.*there are: none"),
        ("DELETE", "/sessions/none", None, 404, "no session"),
        ("POST", "/sessions", {"suite": "none"}, 404, "no suite 'none'.*there are desktop"),
        ("POST", "/sessions", {"suite": "smoke", "episode": 10}, 404, "from 0 to 9"),
        ("POST", "/sessions", {"suite": "smoke", "start": "maybe"}, 422, "start: Input should be 'preloaded' or 'bare'"),
        ("POST", "/sessions", {"suite": "smoke", "colour": "red"}, 422, "colour: Extra inputs"),
        ("POST", "/sessions", {}, 422, "suite: Field required"),
        ("POST", "/sessions", [], 422, "valid dictionary"),
    ],
)
def test_a_wrong_call_is_told_what_was_wrong(http: httpx.Client, method: str, path: str, body: object, status: int, told: str) -> None:

    answer = http.request(method, path, json=body)
    assert answer.status_code == status and re.search(told, answer.json()["error"]), answer.text
    assert http.get("/sessions").json() == [], "a session that did not come up is closed"


def test_an_observation_that_is_asked_for_again_does_not_take_the_end_back(server: Server) -> None:
    with server.environment("smoke", "none") as environment:
        environment.reset(0)
        environment.step("FAIL")
        assert environment.look().ended == "FAIL" and environment.state.end == "FAIL"
        with pytest.raises(EpisodeOver, match="has ended"):
            environment.step("WAIT")


def test_wrong_steps_are_told(http: httpx.Client, server: Server) -> None:
    with server.environment("smoke", "none") as environment:
        environment.reset()
        path = f"/sessions/{environment.state.session}/step"
        for body, told in (({"action": 3}, "action"), ({}, "action"), ({"action": [{"name": "fly"}]}, "there is no action 'fly'; there are move_id")):
            answer = http.post(path, json=body)
            assert answer.status_code == 422 and told in answer.json()["error"]
        answer = http.post(path, content=b"{", headers={"Content-Type": "application/json"})
        assert answer.status_code == 422 and environment.look() is not None and environment.state.step == 0


def test_there_are_only_so_many_sessions(http: httpx.Client, server: Server) -> None:
    with server.environment("smoke", "none") as one, server.environment("smoke", "none") as two, server.environment("smoke", "none") as three:
        one.reset(), two.reset()
        refused = http.post("/sessions", json={"suite": "smoke"})
        assert refused.status_code == 503 and int(refused.headers["Retry-After"]) > 0 and "all 2 sessions are in use" in refused.json()["error"]
        with pytest.raises(SessionsUsedUp):
            three.reset()
        two.close()
        assert three.reset(2).windows and len(http.get("/sessions").json()) == 2


def test_a_server_that_is_not_there_or_is_another_is_a_fault() -> None:
    with pytest.raises(MachineError, match="cannot be reached"):
        Server("http://127.0.0.1:9", TOKEN).suites()


def test_a_fault_that_nobody_foresaw_is_told_too() -> None:
    def broken(suite: str) -> None:
        raise ZeroDivisionError(f"while {suite} was read")

    app = create_server(cast("Sessions", SimpleNamespace(limits=Limits(), tasks=broken)), TOKEN)

    async def ask() -> httpx.Response:
        way = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=way, base_url="http://here", headers={"Authorization": f"Bearer {TOKEN}"}) as http:
            return await http.get("/suites/smoke")

    answer = asyncio.run(ask())
    assert answer.status_code == 500 and answer.json() == {"error": "while smoke was read", "kind": "ZeroDivisionError"}
