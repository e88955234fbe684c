"""Protects the clients of OSWorld's and Windows Agent Arena's servers: the methods of our client work there, and what a server cannot do is said."""

import contextlib
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from machines.actions import ACTIONS
from machines.client import GuestClient
from machines.errors import MachineError, RefusedAction
from machines.machine import Program
from machines.observation import read_elements
from machines.remote.dialect import dialect_of, platform_of, screen_of
from machines.remote.foreign import ForeignGuest
from machines.remote.network import client_of
from machines.remote.osworld import OsworldGuest
from machines.remote.ours import OurGuest
from machines.remote.waa import WaaGuest
from tests.machines.guest.fake import app_of, guest, serving
from tests.machines.remote.servers import SCREEN, Osworld, Published, Waa, raw, served

PROGRAMS = {"editor": Program(command=["editor.exe", "/new"], window_class="Editor")}
Served = tuple[Any, ForeignGuest]


@pytest.fixture(params=[Osworld, Waa], ids=["osworld", "waa"])
def both(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Served]:
    yield from _served(request.param(tmp_path))


@pytest.fixture
def osworld(tmp_path: Path) -> Iterator[Served]:
    yield from _served(Osworld(tmp_path))


@pytest.fixture
def waa(tmp_path: Path) -> Iterator[Served]:
    yield from _served(Waa(tmp_path))


def _served(server: Published) -> Iterator[Served]:
    made = {"Linux": OsworldGuest, "Windows": WaaGuest}[server.system]
    with served(server.app) as address:
        client = made(client_of(address, None), server.system.lower(), SCREEN, PROGRAMS)
        yield server, client
        client.close()


def home_of(server: Published, name: str) -> str:
    return f"C:\\Users\\Docker\\{name}" if isinstance(server, Waa) else str(server.home / name)


def test_servers_are_told_apart_by_how_they_answer(tmp_path: Path) -> None:
    _, own = guest(tmp_path)
    for serves, dialect, platform in (
        (served(Osworld(tmp_path / "osworld").app), "osworld", "linux"),
        (served(Waa(tmp_path / "waa").app), "waa", "windows"),
        (serving(app_of(own)), "deskmill", "windows"),
    ):
        with serves as address, client_of(address, "secret") as http:
            assert (dialect_of(http), platform_of(http), screen_of(http)) == (dialect, platform, SCREEN)


def test_an_observation_has_all_its_parts(both: Served) -> None:
    _, client = both
    client.act({"name": "copy_text", "text": 'An "error", ✓'})
    seen = client.observe(["screenshot", "tree", "windows", "clipboard"])
    assert seen.screenshot is not None and seen.screenshot.startswith(b"\x89PNG") and seen.clipboard == 'An "error", ✓'
    assert [one.name for one in read_elements(seen.tree or "", SCREEN)] == ["notes.txt", "Text editor"]
    assert [(window.title, window.is_active) for window in seen.windows or ()] == [("Desk", False), ("notes.txt - Editor", True)]
    assert client.observe(["windows"]).screenshot is None
    assert client.settle(0.05, 5) and client.state()["cursor"] == [3, 4]


_SAME: list[tuple[dict[str, Any], list[Any]]] = [
    ({"name": "move", "x": 199, "y": 99}, ["moveTo", 199, 99]),
    ({"name": "move", "x": 0, "y": 1}, ["moveTo", 0, 1]),
    ({"name": "single_click"}, ["click"]),
    ({"name": "double_click"}, ["doubleClick"]),
    ({"name": "right_click"}, ["rightClick"]),
    ({"name": "triple_click"}, ["tripleClick"]),
    ({"name": "write", "text": 'it\'s "5" \\n {x}\n\tend'}, ["write", 'it\'s "5" \\n {x}\n\tend']),
    ({"name": "press", "combination": "ctrl+shift+s"}, ["hotkey", "ctrl", "shift", "s"]),
    ({"name": "press", "combination": "super+menu"}, ["hotkey", "win", "apps"]),
    ({"name": "paste"}, ["hotkey", "ctrl", "v"]),
]


@pytest.mark.parametrize(("action", "done"), _SAME)
def test_actions_are_done_as_each_server_does_them(both: Served, action: dict[str, Any], done: list[Any]) -> None:
    server, client = both
    client.act(action)
    assert server.done == [done]


def test_keys_are_held_at_a_click_and_the_wheel_turns_as_far_as_asked(both: Served) -> None:
    server, client = both
    client.act({"name": "single_click", "keys": "ctrl + Shift"})
    client.act({"name": "scroll", "direction": "down", "clicks": 5})
    notch = 120 if isinstance(server, Waa) else 1
    assert server.done == [["keyDown", "ctrl"], ["keyDown", "shift"], ["click"], ["keyUp", "shift"], ["keyUp", "ctrl"], ["scroll", -5 * notch]]


def test_hands_do_what_computer_use_tools_ask_for(both: Served) -> None:
    server, client = both
    client.act({"name": "drag_along", "path": [(1, 2), (3, 4), (5, 6)], "keys": "shift"})
    client.act({"name": "mouse_down"})
    client.act({"name": "mouse_up"})
    client.act({"name": "middle_click"})
    client.act({"name": "hold_key", "combination": "ctrl+a", "seconds": 0.01})
    client.act({"name": "scroll", "direction": "down", "keys": "ctrl"})
    notch = 120 if isinstance(server, Waa) else 1
    assert server.done == [
        ["keyDown", "shift"], ["moveTo", 1, 2], ["mouseDown"], ["moveTo", 3, 4, {"duration": 0.1}], ["moveTo", 5, 6, {"duration": 0.1}], ["mouseUp"],
        ["keyUp", "shift"], ["mouseDown"], ["mouseUp"], ["middleClick"], ["keyDown", "ctrl"], ["keyDown", "a"], ["keyUp", "a"], ["keyUp", "ctrl"],
        ["keyDown", "ctrl"], ["scroll", -3 * notch], ["keyUp", "ctrl"],
    ]  # fmt: skip


def test_osworld_acts_by_pyautogui(osworld: Served) -> None:
    server, client = osworld
    for action in (
        {"name": "scroll", "direction": "up"}, {"name": "scroll", "direction": "left"}, {"name": "drag", "x": 5, "y": 6}, {"name": "write", "text": "a<b"},
        {"name": "press", "combination": "ctrl++"}, {"name": "press", "combination": "-"},
    ):  # fmt: skip
        client.act(action)
    assert server.done == [
        ["scroll", 3], ["hscroll", -3], ["dragTo", 5, 6, {"duration": 0.5, "button": "left"}], ["write", "a"], ["hotkey", "shift", ","], ["write", "b"],
        ["hotkey", "ctrl", "+"], ["hotkey", "-"],
    ]  # fmt: skip


def test_windows_agent_arena_acts_through_its_computer(waa: Served) -> None:
    server, client = waa
    for action in (
        {"name": "scroll", "direction": "down"}, {"name": "drag", "x": 199, "y": 0}, {"name": "write", "text": "x" * 450}, {"name": "press", "combination": "ctrl++"},
        {"name": "press", "combination": "-"}, {"name": "copy_image", "x": 10, "y": 20, "width": 30, "height": 40}, {"name": "switch_to_app", "window": "NOTES"},
    ):  # fmt: skip
        client.act(action)
    assert server.done == [
        ["scroll", -400], ["dragTo", 199, 0], ["write", "x" * 200], ["write", "x" * 200], ["write", "x" * 50], ["hotkey", "ctrl", "add"], ["press", "-"],
        ["copy", 30, 40], ["switch", "notes.txt - Editor"],
    ]  # fmt: skip
    updates = [body for path, body in server.asked if path == "/update_computer"]
    assert len(updates) == 2 and updates[0]["window_rect"] == [0, 0, *SCREEN] and updates[1]["rects"] == [[10, 20, 40, 60]]


def test_programs_and_windows_are_those_that_there_are(both: Served) -> None:
    server, client = both
    client.act({"name": "open_program", "program": "Editor"})
    assert ("/setup/launch", {"command": ["editor.exe", "/new"]}) in server.asked
    client.act({"name": "switch_to_app", "window": "notes"})
    for action, said in (
        ({"name": "open_program", "program": "photoshop"}, "no program 'photoshop' is installed; there are editor"),
        ({"name": "switch_to_app", "window": "nowhere"}, "no window is called 'nowhere'; there are 'Desk', 'notes.txt - Editor'"),
    ):
        with pytest.raises(RefusedAction, match=said):
            client.act(action)


def test_a_window_is_activated_by_its_whole_title_under_linux(osworld: Served) -> None:
    server, client = osworld
    client.act({"name": "switch_to_app", "window": "notes"})
    client.close_all()
    assert ("/setup/activate_window", {"window_name": "notes.txt - Editor", "strict": True}) in server.asked
    assert [body["window_name"] for path, body in server.asked if path == "/setup/close_window"] == ["Desk", "notes.txt - Editor"]


@pytest.mark.parametrize(
    ("action", "said"),
    [
        ({"name": "write", "text": "Zoë ✓"}, "write: this machine types ASCII characters alone, not ë ✓; use copy_text and paste"),
        ({"name": "press", "combination": "ctrl+é"}, "press: this machine types ASCII characters alone"),
    ],
)
def test_what_the_servers_cannot_do_is_said_and_not_done(both: Served, action: dict[str, Any], said: str) -> None:
    server, client = both
    with pytest.raises(RefusedAction, match=said):
        client.act(action)
    assert server.done == []


def test_windows_has_no_wheel_to_the_side(waa: Served) -> None:
    with pytest.raises(RefusedAction, match="scrolls up and down only"):
        waa[1].act({"name": "scroll", "direction": "left"})


def test_files_are_written_with_their_folders_fetched_and_listed(osworld: Served) -> None:
    server, client = osworld
    path = home_of(server, "a/b/c.txt")
    client.upload(path, b"pears\r\n\x00")
    assert client.file(path) == b"pears\r\n\x00" and client.file(home_of(server, "nowhere")) is None
    assert [entry["name"] for entry in client.listing(home_of(server, "a/b")) or ()] == ["c.txt"] and client.listing(home_of(server, "x")) is None


def test_files_of_windows_agent_arena(waa: Served) -> None:
    server, client = waa
    client.upload(home_of(server, "c.txt"), b"pears")
    assert client.file(home_of(server, "c.txt")) == b"pears" and client.file(home_of(server, "nowhere")) is None


def test_a_command_tells_what_it_wrote_and_how_it_ended(both: Served) -> None:
    assert both[1].execute(["sh", "-c", "echo out; exit 3"])["returncode"] == 3


def test_what_is_copied_is_held_without_keeping_the_server_waiting(osworld: Served) -> None:
    """Under Linux a program holds the clipboard; a server that reads what it writes would wait for its end."""
    server, client = osworld
    client.act({"name": "copy_text", "text": "pears"})
    client.act({"name": "copy_image", "x": 1, "y": 1, "width": 50, "height": 40})
    assert client.observe(["clipboard"]).clipboard == "pears" and Image.open(f"{server.log}.picture").size == (50, 40)


def test_every_action_of_the_action_space_has_a_way(both: Served) -> None:
    """Whatever an agent may do is done, or refused in words for the agent; nothing is unknown."""
    _, client = both
    asked: dict[str, dict[str, Any]] = {
        "move_abs": {"name": "move", "x": 1, "y": 1}, "drag": {"x": 1, "y": 1}, "scroll": {"direction": "right"}, "write": {"text": "x"}, "press": {"combination": "x"},
        "copy_text": {"text": "x"}, "copy_image": {"x": 1, "y": 1, "width": 5, "height": 5}, "open_program": {"program": "editor"}, "switch_to_app": {"window": "notes"},
    }  # fmt: skip
    for name in set(ACTIONS) - {"move_id"}:  # which the host makes a move to a place
        with contextlib.suppress(RefusedAction):
            client.act({"name": name, **asked.get(name, {})})


def test_python_that_fails_on_the_machine_is_a_fault_of_the_machine(osworld: Served) -> None:
    server, client = osworld
    (server.modules / "pyautogui.py").write_text("raise KeyError('DISPLAY')")
    with pytest.raises(MachineError, match="(?s)Python on the machine failed.*DISPLAY"):
        client.act({"name": "single_click"})


def test_a_failure_of_windows_agent_arena_is_a_fault_of_the_machine(waa: Served) -> None:
    server, client = waa
    client.act({"name": "single_click"})
    server.computer.mouse.double_click = lambda: 1 / 0
    with pytest.raises(MachineError, match="500.*division by zero"):
        client.act({"name": "double_click"})


def test_programs_of_the_file_are_started_on_our_server_too(tmp_path: Path) -> None:
    platform, own = guest(tmp_path)
    with serving(app_of(own)) as address:
        client = OurGuest(client_of(address, "secret"), PROGRAMS)
        client.act({"name": "open_program", "program": "editor"})
        client.act({"name": "single_click"})
        with pytest.raises(RefusedAction, match="no program 'thunar' is installed; there are editor"):
            client.act({"name": "open_program", "program": "thunar"})
    assert platform.started == [["editor.exe", "/new"]] and platform.input.done == [("click", "left", 1, "")]


def _answering(times: list[int]) -> Callable[[Any, threading.Event], None]:
    """Takes a request and closes the connection without an answer."""

    def answer(connection: Any, _: threading.Event) -> None:
        connection.recv(65536)
        times.append(1)

    return answer


def test_an_action_is_never_sent_twice_to_a_server_that_knows_no_ids() -> None:
    for action, sent in (({"name": "single_click"}, 1), (None, 3)):
        times: list[int] = []
        with raw(_answering(times)) as address:
            client = OsworldGuest(client_of(address, None), "linux", SCREEN, PROGRAMS)
            with pytest.raises(MachineError, match="does not answer"):
                client.act(action) if action else client.observe(["screenshot"])
        assert len(times) == sent


_GARBAGE: list[Any] = ["<html>", "", "null", "[]", "7", '{"settled": 3}', '{"screenshot": "AAAA", "tree": 5, "windows": 3, "clipboard": {}, "AT": [], "directory_tree": []}',
    '{"windows": [{"title": 3}], "screenshot": "iVBORw0KGgo=", "output": "{", "returncode": 0, "status": "success"}']  # fmt: skip


@pytest.mark.parametrize("content", _GARBAGE)
@pytest.mark.parametrize("kind", ["deskmill", "osworld", "waa"])
def test_garbage_is_a_fault_of_the_machine_whatever_is_asked(content: str, kind: str) -> None:
    http = httpx.Client(transport=httpx.MockTransport(lambda _: httpx.Response(200, text=content)), base_url="http://guest")
    client: GuestClient = (
        GuestClient(http) if kind == "deskmill" else {"osworld": OsworldGuest, "waa": WaaGuest}[kind](http, "windows", SCREEN, PROGRAMS)
    )
    asked: list[Callable[[], object]] = [
        lambda: client.observe(["tree"]),
        lambda: client.observe(["screenshot"]),
        lambda: client.observe(["windows"]),
        lambda: client.observe(["clipboard"]),
        lambda: client.listing("/"),
    ]
    for ask in asked:
        try:
            ask()
        except MachineError:
            continue
        assert kind == "deskmill" or "returncode" in content, "an answer of garbage was taken for an observation"
    with pytest.raises(MachineError):
        client.settle(0.01, 0.1)


_KEYS = st.sampled_from(["screenshot", "tree", "windows", "clipboard", "settled", "directory_tree", "children", "AT", "output", "returncode", "status", "message", "ready", "title", "x"])  # fmt: skip
_TEXTS = st.sampled_from(["", "success", "iVBORw0KGgo=", "{}", "[]", "[[", "\ud800", "é", '[{"title": 3}]', "7"])
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 5) | _TEXTS | st.floats(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_KEYS, inner, max_size=4),
    max_leaves=6,
)
_CONTENTS = _VALUES.map(lambda value: json.dumps(value).encode()) | st.binary(max_size=20) | st.just(b"[" * 5000) | st.just(b'{"a":' * 5000)


@settings(deadline=None, max_examples=150)
@given(_CONTENTS, st.sampled_from([200, 200, 200, 204, 302, 400, 401, 404, 500]), st.sampled_from([{}, {"Content-Encoding": "gzip"}, {"Content-Type": "text/html; charset=nothing"}]), st.data())  # fmt: skip
def test_no_answer_whatever_it_is_raises_anything_but_a_fault_of_the_machine(
    content: bytes, status: int, headers: dict[str, str], data: st.DataObject
) -> None:
    def answer(_: httpx.Request) -> httpx.Response:
        return httpx.Response(status, stream=httpx.ByteStream(content), headers=headers)

    http = httpx.Client(transport=httpx.MockTransport(answer), base_url="http://guest")
    client: GuestClient = data.draw(
        st.sampled_from(
            [GuestClient(http), OurGuest(http, PROGRAMS), OsworldGuest(http, "linux", SCREEN, PROGRAMS), WaaGuest(http, "windows", SCREEN, PROGRAMS)]
        )
    )
    ask: Callable[[], object] = data.draw(
        st.sampled_from([
            lambda: client.observe(["screenshot", "tree", "windows", "clipboard"]), lambda: client.observe(["windows"]), lambda: client.observe(["clipboard"]),
            lambda: client.act({"name": "single_click"}), lambda: client.act({"name": "switch_to_app", "window": "x"}), lambda: client.act({"name": "open_program", "program": "editor"}),
            lambda: client.settle(0.01, 0.02), lambda: client.file("/a"), lambda: client.listing("/a"), lambda: client.upload("/a/b", b"x"), lambda: client.execute(["true"]),
            lambda: client.launch(["true"]), client.close_all, client.state, lambda: dialect_of(http), lambda: platform_of(http), lambda: screen_of(http),
            lambda: client.wait_until_ready(0.01, lambda: True),
        ])
    )  # fmt: skip
    with contextlib.suppress(MachineError, RefusedAction):
        ask()
