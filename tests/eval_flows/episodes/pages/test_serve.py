"""Protects how pages are served: two links, a token of the user that is never shown, and a place that is taken is told."""

import socket
from typing import Any

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from atomic_tasks.problems import BadInput
from eval_flows.episodes.listening import TOKEN_VARIABLE
from eval_flows.episodes.pages.serve import Pages

APP = Starlette(routes=[Route("/", lambda _: PlainTextResponse("here"))])


def reached(link: str, token: str = "") -> int:
    """Enter by a link, or by its address with another token, and return the status of the first page."""
    address, _, own = link.partition("/enter#")
    with httpx.Client(base_url=address, headers={"Origin": address}, timeout=60) as browser:
        browser.post("/enter", content=(token or own).encode())
        return browser.get("/").status_code


def test_both_links_open_the_pages_on_this_host_as_long_as_they_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(TOKEN_VARIABLE, raising=False)
    pages = Pages(APP, "127.0.0.1", 0)
    with pages.running():
        assert pages.acting != pages.watching and pages.acting.startswith("http://127.0.0.1:")
        assert [reached(link) for link in (pages.acting, pages.watching)] == [200, 200]
        assert reached(pages.acting, "another") == 403
    with pytest.raises(httpx.ConnectError):
        reached(pages.acting)


def test_a_token_of_the_user_opens_and_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOKEN_VARIABLE, "a secret of the user")
    pages = Pages(APP, "127.0.0.1", 0)
    with pages.running():
        assert pages.acting.endswith(f"/enter#${TOKEN_VARIABLE}") and "secret" not in pages.acting + pages.watching
        assert reached(pages.acting, "a secret of the user") == 200


@pytest.mark.browser
def test_a_browser_comes_in_by_the_link_and_a_wrong_token_is_told(browser: Any) -> None:
    pages = Pages(APP, "127.0.0.1", 0)
    context = browser.new_context(color_scheme="dark")
    page = context.new_page()
    with pages.running():
        page.goto(pages.acting.partition("#")[0] + "#wrong")
        page.get_by_text("this is not the token of this server").wait_for()
        assert page.url.endswith("/enter"), "a token does not stay in the address"
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
        page.goto("about:blank")
        page.goto(pages.acting)
        page.get_by_text("here").wait_for()
        assert page.url.endswith("/") and "enter" not in page.url
    context.close()


def test_a_place_that_is_taken_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(BadInput, match="choose another --host or --port"):
        Pages(APP, "127.0.0.1", taken.getsockname()[1])
