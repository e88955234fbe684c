"""Protects the door of pages: nothing without a token, no acts by who only watches, none from other pages, and no token in what is kept."""

from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect

from eval_flows.episodes.pages.access import Access, Guard, visitor_of

HOST = "http://127.0.0.1:8701"
OWN = {"Origin": HOST}
SCREEN = "ws://127.0.0.1:8701/screen"  # whole: a test client takes another host otherwise
OTHERS = ("http://127.0.0.1:9999", "https://example.org", "null", "")


async def told(request: Request) -> Response:
    visitor = visitor_of(request)
    return PlainTextResponse(f"{visitor.identity} {'acts' if visitor.may_act else 'watches'}")


async def looked(websocket: WebSocket) -> None:
    await websocket.accept()
    await websocket.send_text(visitor_of(websocket).identity)
    await websocket.close()


APP = Starlette(routes=[Route("/", told), Route("/act", told, methods=["POST", "PUT", "DELETE"]), WebSocketRoute("/screen", looked)])


@pytest.fixture
def access() -> Access:
    return Access()


@pytest.fixture
def pages(access: Access) -> TestClient:
    return client(access)


def client(access: Access) -> TestClient:
    """A browser of its own at the pages."""
    return TestClient(Guard(APP, access), base_url=HOST)


def entered(pages: TestClient, token: str, headers: dict[str, str] = OWN) -> Any:
    return pages.post("/enter", content=token, headers=headers)


def test_without_a_token_nothing_is_told_done_or_shown(pages: TestClient) -> None:
    for _ in range(2):
        assert pages.get("/").status_code == 403 and pages.get("/nonesuch").status_code == 403
        assert pages.post("/act", headers=OWN).status_code == 403
        with pytest.raises(WebSocketDisconnect), pages.websocket_connect(SCREEN, headers=OWN):
            pass
        for token in ("wrong", "", "x" * 100_000):
            assert entered(pages, token).status_code == 403


def test_a_token_opens_a_session_that_only_this_server_reads(pages: TestClient, access: Access) -> None:
    answer = entered(pages, access.acting)
    kept = answer.headers["set-cookie"]
    assert answer.status_code == 204 and "HttpOnly" in kept and "samesite=strict" in kept.lower()
    assert access.acting not in kept and access.acting not in answer.text
    assert pages.get("/").text.endswith(" acts") and pages.post("/act", headers=OWN).status_code == 200


def test_every_browser_has_a_session_of_its_own(access: Access) -> None:
    one, other = client(access), client(access)
    for browser in (one, other):
        entered(browser, access.acting)
    with one.websocket_connect(SCREEN, headers=OWN) as screen:
        assert one.get("/").text.split()[0] == screen.receive_text() != other.get("/").text.split()[0]


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_who_only_watches_sees_and_cannot_act(pages: TestClient, access: Access, method: str) -> None:
    entered(pages, access.watching)
    assert pages.get("/").text.endswith(" watches")
    answer = pages.request(method, "/act", headers=OWN)
    assert (answer.status_code, answer.text) == (403, "this link only watches")
    with pages.websocket_connect(SCREEN, headers=OWN) as screen:
        assert screen.receive_text()


@pytest.mark.parametrize("origin", OTHERS)
def test_another_page_of_the_browser_can_neither_enter_nor_act_nor_look(pages: TestClient, access: Access, origin: str) -> None:
    headers = {"Origin": origin} if origin else {}
    assert entered(pages, access.acting, headers).status_code == 403
    assert entered(pages, access.acting).status_code == 204
    assert pages.post("/act", headers=headers).status_code == 403
    with pytest.raises(WebSocketDisconnect), pages.websocket_connect(SCREEN, headers=headers):
        pass


def test_the_page_that_takes_the_token_is_open_and_holds_nothing_of_it(pages: TestClient, access: Access) -> None:
    for path in ("/enter", "/enter.js"):
        answer = pages.get(path)
        assert answer.status_code == 200 and access.acting not in answer.text and "default-src 'none'" in answer.headers["content-security-policy"]


@pytest.mark.parametrize("path", ["/", "/enter"])
def test_pages_run_no_foreign_script_are_framed_by_nobody_and_are_kept_by_no_browser(pages: TestClient, access: Access, path: str) -> None:
    entered(pages, access.acting)
    headers = pages.get(path).headers
    policy = headers["content-security-policy"]
    assert "script-src 'self';" in policy and "frame-ancestors 'none'" in policy and "default-src 'none'" in policy
    assert (headers["cache-control"], headers["x-content-type-options"]) == ("no-store", "nosniff")


def test_a_token_with_any_letters_opens(pages: TestClient) -> None:
    access = Access("a secret: ä#%/")
    assert entered(client(access), access.acting).status_code == 204
