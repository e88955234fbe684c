"""Protects that config steps do on a machine what task files mean by them: each asks the guest server for the right thing, and waits for what it needs."""

import json
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from eval_flows.episodes.osworld import browsing, setup
from eval_flows.episodes.osworld.browsing import with_visits
from eval_flows.episodes.osworld.setup import Hand
from eval_flows.episodes.osworld.task_file import Step
from machines.errors import MachineError
from machines.gateway import wallpaper
from machines.machine import Program
from tests.eval_flows.episodes.osworld.made import OFFERS, Client, desktop_of, step, window

Asked = list[tuple[Any, ...]]


def carried_out(tmp_path: Path, client: Client, kind: str, **parameters: Any) -> Asked:
    """What the guest was asked for by a step."""
    hand = Hand(desktop_of(client), tmp_path, lambda address: f"content of {address}".encode())
    hand.carry_out(Step.model_validate(step(kind, **parameters)))
    return client.asked


@pytest.mark.parametrize(
    ("kind", "parameters", "asked"),
    [
        ("download", {"files": [{"url": "https://a.org/b", "path": "/home/user/b"}]}, [("upload", "/home/user/b")]),
        ("launch", {"command": ["nautilus", "/home/user/a b"]}, [("launch", ["nautilus", "/home/user/a b"], False)]),
        ("launch", {"command": "vlc"}, [("launch", "vlc", False)]),
        ("launch", {"command": "VLC_VERBOSE=-1 vlc", "shell": "true"}, [("launch", "VLC_VERBOSE=-1 vlc", True)]),
        ("launch", {"command": ["soffice", "--calc", "a.xlsx"]}, [("launch", ["soffice", "--calc", "a.xlsx"], False), ("ready", "libreoffice_calc")]),
        ("open", {"path": "/home/user/a.pdf"}, [("open_file", "/home/user/a.pdf")]),
        ("execute", {"command": ["ls", "{CLIENT_PASSWORD}"]}, [("execute", ["ls", "password"], False)]),
        ("command", {"command": ["mkdir", "-p", "/a"]}, [("execute", ["mkdir", "-p", "/a"], False)]),
        ("execute", {"command": "click({SCREEN_WIDTH_HALF}, {SCREEN_HEIGHT})", "shell": True}, [("execute", "click(640, 800)", True)]),
        ("execute", {"command": ["sudo chown -R user /a"], "shell": True}, [("execute", "sudo chown -R user /a", True)]),
        ("sleep", {"seconds": 0.01}, []),
        ("activate_window", {"window_name": "Calc", "strict": True}, [("activate_window", "Calc", True, False)]),
        ("close_window", {"window_name": "Mail.thunderbird", "by_class": "true"}, [("close_window", "Mail.thunderbird", False, True)]),
        ("close_all", {}, [("close_all",)]),
        ("change_wallpaper", {"path": "/a.png"}, [("execute", ["python3", "-c", wallpaper._PROGRAM, "/a.png"], False)]),
        ("create_folder", {"path": "/home/user/new"}, [("execute", ["mkdir", "-p", "/home/user/new"], False)]),
        ("create_file", {"path": "/home/user/new.txt", "content": "text"}, [("upload", "/home/user/new.txt")]),
    ],
)  # fmt: skip
def test_a_step_asks_the_guest_for_the_right_thing(tmp_path: Path, kind: str, parameters: dict[str, Any], asked: Asked) -> None:
    assert carried_out(tmp_path, Client(), kind, **parameters) == asked


def test_files_that_are_fetched_are_those_of_their_addresses(tmp_path: Path) -> None:
    client = Client()
    carried_out(tmp_path, client, "download", files=[{"url": "https://a.org/b", "path": "/b"}, {"url": "https://a.org/c", "path": "c.sh"}])
    assert client.files == {"/b": b"content of https://a.org/b", "c.sh": b"content of https://a.org/c"}


def test_what_a_command_says_is_kept_for_the_evaluator(tmp_path: Path) -> None:
    client = Client(says={"['show']": {"output": "Attachment added!\n", "error": "oh", "returncode": 1}})
    carried_out(tmp_path, client, "execute", command=["show"], stdout="out/check.output", stderr="check.error")
    assert (tmp_path / "out" / "check.output").read_text() == "Attachment added!\n" and (tmp_path / "check.error").read_text() == "oh"


@pytest.mark.parametrize(("until", "times"), [({"returncode": 0}, 3), ({"stdout": "ready"}, 3), ({"stderr": "trying"}, 1)])
def test_a_command_is_repeated_until_what_it_waits_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, until: Any, times: int) -> None:
    monkeypatch.setattr(setup, "_ASK_EVERY", 0)
    answers = iter([{"output": "", "error": "trying", "returncode": 1}] * 2 + [{"output": "ready", "error": "", "returncode": 0}])

    class Slow(Client):
        def execute(self, command: Any, shell: bool = False) -> Any:
            self.asked.append(("execute",))
            return next(answers)

    assert len(carried_out(tmp_path, Slow(), "execute", command="try", until=until)) == times


def test_a_command_that_never_gets_there_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup, "_ASK_EVERY", 0)
    monkeypatch.setattr(setup, "_UNTIL_SECONDS", 0.01)
    with pytest.raises(MachineError, match="was not reached within"):
        carried_out(tmp_path, Client(), "execute", command="try", until={"returncode": 5})


def test_a_command_is_verified_by_a_window_or_by_another_command(tmp_path: Path) -> None:
    shown = Client(windows=[window("Notes - Editor", "Editor")])
    assert carried_out(tmp_path, shown, "execute_with_verification", command=["a"], verification={"window_exists": "notes"}) == [
        ("execute", ["a"], False)
    ]
    works = Client()
    carried_out(tmp_path, works, "execute_with_verification", command="a", shell=True, verification={"command_success": "b"})
    assert works.asked == [("execute", "a", True), ("execute", "b", True)]
    fails = Client(says={"b": {"output": "", "error": "", "returncode": 1}})
    with pytest.raises(MachineError, match="did not come about"):
        carried_out(
            tmp_path, fails, "execute_with_verification", command="a", verification={"command_success": "b"}, max_wait_time=0, check_interval=0
        )


@pytest.mark.parametrize("name", ["Google Chrome", "Fair - Google Chrome"])
def test_the_window_of_chrome_is_that_of_the_browser_here(tmp_path: Path, name: str) -> None:
    client = Client()
    hand = Hand(desktop_of(client), tmp_path, lambda address: b"")
    browser = Program(command=["chromium"], window_class="Chromium")
    hand.desktop.offers = replace(OFFERS, programs={"chromium": browser})
    for kind in ("activate_window", "close_window"):
        hand.carry_out(Step.model_validate(step(kind, window_name=name, strict=True)))
    assert client.asked == [("activate_window", "Chromium", True, True), ("close_window", "Chromium", True, True)]
    assert carried_out(tmp_path, Client(), "close_window", window_name=name) == [("close_window", name, False, False)], (
        "without a browser, the title counts"
    )


def test_a_window_that_never_comes_is_waited_for_and_then_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup, "_ASK_EVERY", 0)

    class Late(Client):
        def activate_window(self, name: str, strict: bool = False, by_class: bool = False) -> bool:
            return super().activate_window(name) and len(self.asked) > 2

    assert len(carried_out(tmp_path, Late(), "activate_window", window_name="Calc")) == 3
    monkeypatch.setattr(setup, "_WINDOW_SECONDS", -1)
    assert len(carried_out(tmp_path, Late(), "activate_window", window_name="Calc")) == 1, "their servers go on in silence"


def history() -> bytes:
    connection = sqlite3.connect(":memory:")
    connection.executescript(
        "create table urls (id integer primary key, url, title, visit_count, typed_count, last_visit_time, hidden);"
        "create table visits (id integer primary key, url, visit_time, from_visit, transition, segment_id, visit_duration);"
    )
    return connection.serialize()


def test_visits_are_added_to_the_history_that_the_profile_has(tmp_path: Path) -> None:
    path = "/home/user/.config/google-chrome/Default/History"
    client = Client(files={path: history()})
    visits = [
        {"url": "https://a.org/", "title": "A", "visit_time_from_now_in_seconds": 60},
        {"url": "https://b.org/", "title": "B", "visit_time_from_now_in_seconds": 0},
    ]
    carried_out(tmp_path, client, "update_browse_history", history=visits)
    connection = sqlite3.connect(":memory:")
    connection.deserialize(client.files[path])
    rows = connection.execute(
        "select urls.url, title, visit_count, visit_time = last_visit_time from urls join visits on visits.url = urls.id"
    ).fetchall()
    assert rows == [("https://a.org/", "A", 1, 1), ("https://b.org/", "B", 1, 1)]
    (first,), (second,) = connection.execute("select last_visit_time from urls").fetchall()
    assert second - first == 60_000_000


def test_the_time_of_a_visit_counts_from_1601() -> None:
    changed = with_visits(history(), [{"url": "u", "title": "t", "visit_time_from_now_in_seconds": 1}], datetime(1601, 1, 1, 0, 0, 3, tzinfo=UTC))
    connection = sqlite3.connect(":memory:")
    connection.deserialize(changed)
    assert connection.execute("select visit_time from visits").fetchall() == [(2_000_000,)]


def test_a_history_whose_triggers_never_end_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`postconfig` may change a database that the agent left, on the host of the checks."""
    monkeypatch.setattr(browsing, "_SECONDS", 0.2)
    connection = sqlite3.connect(":memory:")
    connection.deserialize(history())
    endless = "with recursive n(x) as (select 1 union all select x + 1 from n) select sum(x) from n"
    connection.execute(f"create trigger slow after insert on urls begin insert into visits (url) {endless}; end")
    client = Client(files={"/home/user/.config/google-chrome/Default/History": connection.serialize()})
    with pytest.raises(MachineError, match="is no history of Chrome: interrupted"):
        carried_out(tmp_path, client, "update_browse_history", history=[{"url": "u", "title": "t", "visit_time_from_now_in_seconds": 1}])


@pytest.mark.parametrize(
    ("files", "told"),
    [({}, "has no profile of Chrome"), ({"/home/user/.config/chromium/Default/History": b"no database"}, "is no history of Chrome")],
)
def test_a_machine_without_a_history_is_said(tmp_path: Path, files: dict[str, bytes], told: str) -> None:
    with pytest.raises(MachineError, match=told):
        carried_out(tmp_path, Client(files=files), "update_browse_history", history=[{"url": "u", "title": "t", "visit_time_from_now_in_seconds": 1}])


def test_what_is_recycled_lies_in_the_trash_and_can_be_put_back(tmp_path: Path) -> None:
    client = Client()
    [(_, command, _)] = carried_out(tmp_path, client, "recycle_file", path="/home/user/a.txt")
    assert command[0] == "python3" and command[3] == "/home/user/a.txt"
    places = [tmp_path / "home" / "one" / "a b.txt", tmp_path / "home" / "two" / "a b.txt"]
    for place in places:
        place.parent.mkdir(parents=True)
        place.write_text(place.parent.name)
        subprocess.run([sys.executable, "-c", command[2], str(place)], check=True, env={"HOME": str(tmp_path / "home")})
    trash = tmp_path / "home" / ".local" / "share" / "Trash"
    assert {path.name: path.read_text() for path in (trash / "files").iterdir()} == {"a b.txt": "one", "a b.2.txt": "two"}
    infos = {path.name: path.read_text().splitlines() for path in (trash / "info").iterdir()}
    assert unquote(infos["a b.2.txt.trashinfo"][1]) == f"Path={places[1]}" and not places[0].exists()
    with pytest.raises(MachineError, match="could not be moved to the trash: no such file"):
        refused = Client(says={str(["python3", "-c", command[2], "/none"]): {"output": "", "error": "no such file\n", "returncode": 1}})
        carried_out(tmp_path, refused, "recycle_file", path="/none")


class Browser(BaseHTTPRequestHandler):
    """The debugging port of a browser, as Chromium's documentation has it: `/json/new` wants PUT."""

    tabs: dict[str, str]

    def do_PUT(self) -> None:
        assert self.path.startswith("/json/new?")
        self.tabs[f"t{len(self.tabs)}"] = unquote(self.path.partition("?")[2])
        self._say({})

    def do_GET(self) -> None:
        if self.path == "/json/list":
            self._say([{"id": name, "url": url, "type": "page"} for name, url in self.tabs.items()] + [{"id": "w", "url": "x", "type": "worker"}])
        else:
            self.tabs[self.path.removeprefix("/json/close/")] = "closed"
            self._say("Target is closing")

    def _say(self, what: object) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(what).encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def browser() -> Iterator[tuple[int, dict[str, str]]]:
    tabs = {"first": "chrome://newtab/"}
    made = HTTPServer(("127.0.0.1", 0), type("Own", (Browser,), {"tabs": tabs}))
    threading.Thread(target=made.serve_forever, daemon=True).start()
    yield made.server_port, tabs
    made.shutdown()


class Executing(Client):
    """A guest that runs what it is asked to, on this host."""

    def execute(self, command: Any, shell: bool = False) -> Any:
        done = subprocess.run([sys.executable, *command[1:]], capture_output=True, text=True, check=False)
        return {"output": done.stdout, "error": done.stderr, "returncode": done.returncode}


def test_tabs_are_opened_in_place_of_the_first_and_closed_by_their_address(
    tmp_path: Path, browser: tuple[int, dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    port, tabs = browser
    monkeypatch.setattr(setup, "_PORTS", (1, port))
    carried_out(tmp_path, Executing(), "chrome_open_tabs", urls_to_open=["https://a.org/?q=1&r=ä b#c", "file:///home/user/d.html"])
    assert tabs == {"first": "closed", "t1": "https://a.org/?q=1&r=ä b#c", "t2": "file:///home/user/d.html"}
    carried_out(tmp_path, Executing(), "chrome_close_tabs", urls_to_close=["file:///home/user/d.html/", "https://not.open/"])
    assert list(tabs.values()) == ["closed", "https://a.org/?q=1&r=ä b#c", "closed"]


def test_a_machine_without_a_browser_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup, "_PORTS", (1,))
    monkeypatch.setattr(setup, "_BROWSER_SECONDS", 0.1)
    with pytest.raises(MachineError, match="the tabs could not be changed: no browser answers"):
        carried_out(tmp_path, Executing(), "chrome_open_tabs", urls_to_open=["https://a.org"])
