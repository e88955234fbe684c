"""What a real browser shows is got by Python alone, as it runs inside a machine."""

import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from eval_flows.episodes.osworld.getters import GETTERS, tabs
from tests.eval_flows.episodes.osworld.getters.guests import FolderGuest

pytestmark = pytest.mark.browser
_PAGE = """<title>Rentals &amp; more</title><body><div class="place">Boston</div><div class="place">Zurich</div><p class="split">SEA<span></span>NYC</p>
<div class="card"><h3>Seats</h3></div><label>Rank: High</label><input id="age" value=" 7 "><a id="next" href="next.html" data-x="5">on</a></body>"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("site")
    (folder / "a.html").write_text(_PAGE)
    (folder / "next.html").write_text("<title>Next</title><p class='deep'>There</p>")

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    program = shutil.which("chromium")
    assert program, "chromium is missing: make setup-dev installs it"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [program, "--headless", "--no-sandbox", "--remote-debugging-port=0", f"--user-data-dir={profile}", "about:blank"]
        browser = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            told = Path(profile, "DevToolsActivePort")
            for _ in range(300):
                if told.is_file() and told.read_text().strip():
                    break
                time.sleep(0.1)
            yield int(told.read_text().splitlines()[0])
        finally:
            browser.kill()
            browser.wait()


@pytest.fixture
def guest(tmp_path: Path, site: str, port: int, monkeypatch: pytest.MonkeyPatch) -> FolderGuest:
    monkeypatch.setattr(tabs, "_PORTS", (1, port))
    return FolderGuest(tmp_path, f"{site}/a.html")


def got(guest: FolderGuest, name: str, **asked: Any) -> Any:
    return GETTERS[name](guest, asked)


def test_pages_and_tabs_are_shown(guest: FolderGuest, site: str) -> None:
    front = got(guest, "active_tab_info")
    assert (front["title"], front["url"]) == ("Rentals & more", guest.address)
    assert "Zurich" in front["content"]
    said = got(guest, "active_tab_url_and_body_text")
    assert said["url"] == guest.address and "Zurich" in said["body"] and "<div" not in said["body"]
    assert {"title": "Rentals & more", "url": guest.address} in got(guest, "open_tabs_info")
    before = len(got(guest, "open_tabs_info"))
    assert got(guest, "active_tab_info")["title"] == "Rentals & more"
    assert len(got(guest, "open_tabs_info")) == before, "the tab that is there is read, not opened again"
    assert got(guest, "page_info", url=f"{site}/next.html")["title"] == "Next"


def test_what_a_page_says_is_got_by_its_places(guest: FolderGuest) -> None:
    parsed: Mapping[str, Mapping[str, Any]] = {
        "class": {
            "class_singleObject": {"place": "first", "none": "nothing"},
            "class_multiObject": {"place": {"0": "from", "1": "to", "2": "far"}},
            "class_multiObject_child": {"split": {"1": "end"}},
            "class_multiObject_only_child": {"card": {"0": "card"}},
            "class_multiObject_search_exist": {"place": ["Boston", "Rome", "is_other_exist"]},
        },
        "label": {"labelObject": {"rank:": "rank"}},
        "xpath": {"xpathObject": {"/html/body/div[2]": "second", "//none": "none"}},
        "input": {"inputObject": {"//input": "age"}},
        "class&url": {
            "class_multiObject": {"place": ["boston"]},
            "url_include_expected": ["A.HTML", "b.html"],
            "url_include_expected_multichoice": {"a.h": "Page"},
        },
    }
    found = {category: got(guest, "active_tab_html_parse", category=category, **asked) for category, asked in parsed.items()}
    assert found == {
        "class": {
            "first": "Boston",
            "nothing": "",
            "from": "Boston",
            "to": "Zurich",
            "far": "",
            "end": "NYC",
            "card": "Seats",
            "Boston": True,
            "Rome": False,
            "is_other_exist": True,
        },
        "label": {"rank": "Rank: High"},
        "xpath": {"second": "Zurich", "none": ""},
        "input": {"age": "7"},
        "class&url": {"boston": True, "is_other_exist": True, "a.html": True, "b.html": False, "page": True},
    }


def test_a_page_is_printed(guest: FolderGuest, site: str) -> None:
    assert got(guest, "pdf_from_url", path=f"{site}/a.html", dest="a.pdf").read_bytes().startswith(b"%PDF")


def test_a_site_is_asked_and_clicked_through(guest: FolderGuest, site: str) -> None:
    infos = [
        {"action": "inner_text", "selector": ".place"},
        {"action": "attribute", "selector": "#next", "attribute": "data-x"},
        {"action": "click_and_inner_text", "selector": ["#next", ".deep"]},
    ]
    assert got(guest, "info_from_website", url=f"{site}/a.html", infos=infos) == ["Boston", "5", "There"]
    assert got(guest, "info_from_website", url=f"{site}/a.html", infos=[{"selector": "#none"}], backups=["kept"]) == ["kept"]
