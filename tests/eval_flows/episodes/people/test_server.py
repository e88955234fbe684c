"""Protects the pages of people: nothing without a token, no acts by who only watches, and no way out of the runs."""

import socket
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from eval_flows.episodes.pages.access import Access, Guard
from eval_flows.episodes.people.halls import Halls
from eval_flows.episodes.people.keysyms import repeats
from eval_flows.episodes.people.reception import Visit
from eval_flows.episodes.people.rfb import key_message
from eval_flows.episodes.people.server import People
from tests.eval_flows.episodes.pages.test_access import HOST, OWN, SCREEN, entered
from tests.eval_flows.episodes.people.conftest import links
from warehouse.layout import DataFolder

GREETING = b"RFB 003.008\n\x01\x01"  # version, no security, others may look too


@pytest.fixture
def access() -> Access:
    return Access()


@pytest.fixture
def pages(access: Access, tmp_path: Path) -> TestClient:
    return TestClient(Guard(People(Halls(DataFolder(tmp_path)), "ann").app(), access), base_url=HOST)


@pytest.mark.parametrize("path", ["/", "/episode/run/e_1", "/api/episodes", "/api/episodes/run/e_1", "/pages/people.css", "/novnc/core/rfb.js"])
def test_without_a_token_nothing_is_told(pages: TestClient, path: str) -> None:
    assert pages.get(path).status_code == 403


def test_without_a_token_nothing_is_done_and_no_screen_is_shown(pages: TestClient) -> None:
    assert pages.post("/api/episodes/run/e_1/take", headers=OWN).status_code == 403
    with pytest.raises(WebSocketDisconnect) as refused, pages.websocket_connect(f"{SCREEN}/run/e_1", headers=OWN):
        pass
    assert refused.value.code == 1008, "not 1011: that would tell that no such episode is played"


def test_who_only_watches_cannot_act(pages: TestClient, access: Access) -> None:
    entered(pages, access.watching)
    assert pages.get("/api/episodes").json() == []
    for deed in ("take", "back", "done", "fail"):
        assert pages.post(f"/api/episodes/run/e_1/{deed}", headers=OWN).status_code == 403


def test_an_episode_that_is_not_played_is_gone(pages: TestClient, access: Access) -> None:
    entered(pages, access.acting)
    assert pages.get("/api/episodes/run/e_1").json() == {"phase": "gone", "result": None, "may_act": True}
    assert pages.post("/api/episodes/run/e_1/take", headers=OWN).status_code == 410


def test_what_was_sent_before_handing_back_counts_though_it_comes_after(tmp_path: Path, access: Access) -> None:
    machine, screen = socket.socketpair()
    visit = Mock(spec=Visit, __enter__=lambda self: self, __exit__=lambda *_: None)
    visit.screen.return_value = screen
    visit.take.return_value = "taken"
    halls = Mock(spec=Halls, visit=lambda _: visit, new_visit=lambda _: visit)
    keys = GREETING + b"".join(key_message(ord("a"), is_down) for is_down in (True, False))
    with TestClient(Guard(People(halls, "ann").app(), access), base_url=HOST) as pages, ThreadPoolExecutor() as pool, machine:
        entered(pages, access.acting)
        visit.state.return_value = {"holder": "", "screen": (1280, 800)}
        with pages.websocket_connect(f"{SCREEN}/run/e_1", headers=OWN) as viewer:
            assert pages.post("/api/episodes/run/e_1/take", headers=OWN).json() == {"taken": "taken"}
            back = pool.submit(pages.post, "/api/episodes/run/e_1/back", headers=OWN, json={"note": "", "sent": len(keys)})
            assert wait([back], 0.5).not_done, "it waits for what was sent"
            viewer.send_bytes(keys)
            assert back.result(60).status_code == 200
            assert machine.recv(100) == keys
    told = [call[0] for call in visit.method_calls if call[0] in ("acted", "noted", "back")]
    assert told[-1] == "back" and "acted" in told and "noted" in told
    assert str(visit.acted.call_args.args[1]) == "write(text='a')"


def test_a_key_that_is_held_acts_again_and_one_that_changes_others_does_not() -> None:
    assert [repeats(symbol) for symbol in (ord("a"), 0xFF08, 0xFFE1, 0xFFE5, 0xFE03)] == [True, True, False, False, False]


@pytest.mark.parametrize("path", ["/api/episodes/../../trajectories", "/api/episodes/%2e%2e/e_1", "/api/episodes/run/%2e%2e", "/pages/../server.py"])
def test_no_path_leads_out_of_the_runs(pages: TestClient, access: Access, path: str) -> None:
    entered(pages, access.acting)
    answer = pages.get(path)
    assert answer.status_code == 404 or answer.json().get("result") is None


@pytest.mark.browser
def test_a_browser_comes_to_the_wall_by_its_link_and_is_told_when_its_session_is_none(tmp_path: Path, browser: Any) -> None:
    context = browser.new_context()
    page, wrong = context.new_page(), []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    with links(DataFolder(tmp_path)) as (acting, _):
        page.goto(acting)
        page.get_by_text("No episode with people is played now.").wait_for()
        context.clear_cookies()
        page.get_by_text("open the link that deskmill printed").wait_for()
    assert wrong == []
    context.close()
