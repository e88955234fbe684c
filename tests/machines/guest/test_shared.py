"""Protects the part of the guest server that every platform shares: it works on any platform that keeps the protocol, and names none."""

import ast
import base64
import io
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from PIL import Image

from machines.guest.settling import settled
from tests.conftest import REPOSITORY
from tests.machines.guest.fake import TREE, FakePlatform, app_of, guest

TOKEN = {"Authorization": "Bearer secret"}


@pytest.fixture
def served(tmp_path: Path) -> tuple[FakePlatform, FlaskClient]:
    platform, one = guest(tmp_path)
    return platform, app_of(one).test_client()


def test_shared_modules_import_no_platform() -> None:
    shared = [path for path in (REPOSITORY / "machines/guest").glob("*.py") if path.name != "__main__.py"]
    assert len(shared) >= 8
    for path in shared:
        imported = {
            name
            for node in ast.walk(ast.parse(path.read_text()))
            for name in (
                [node.module or ""] if isinstance(node, ast.ImportFrom) else [one.name for one in node.names] if isinstance(node, ast.Import) else []
            )
        }
        assert not {name for name in imported if "on_linux" in name or "on_windows" in name or name.startswith(("Xlib", "jeepney", "comtypes"))}, path


def test_an_observation_holds_the_parts_of_the_platform(served: tuple[FakePlatform, FlaskClient]) -> None:
    platform, client = served
    platform.clipboard = "pears"
    seen = client.post("/observe", json={"what": ["screenshot", "tree", "windows", "clipboard"]}, headers=TOKEN).json
    assert seen is not None and seen["tree"] == TREE and seen["clipboard"] == "pears"
    assert Image.open(io.BytesIO(base64.b64decode(seen["screenshot"]))).size == (200, 100)
    assert [window["window_class"] for window in seen["windows"]] == ["Notepad"]
    bare = client.post("/observe", json={"what": ["screenshot_without_pointer"]}, headers=TOKEN).json
    assert bare is not None and set(bare) == {"screenshot_without_pointer", "seconds"}
    assert bare["screenshot_without_pointer"] != seen["screenshot"]
    assert client.get("/platform", headers=TOKEN).text == "Windows"
    assert client.post("/screen_size", headers=TOKEN).json == {"width": 200, "height": 100}


def test_actions_go_to_the_platform(served: tuple[FakePlatform, FlaskClient]) -> None:
    platform, client = served
    for action in (
        {"name": "move", "x": 1, "y": 2}, {"name": "single_click"}, {"name": "double_click"}, {"name": "right_click"}, {"name": "drag", "x": 5, "y": 6},
        {"name": "triple_click", "keys": "ctrl"}, {"name": "single_click", "keys": "alt+shift"}, {"name": "scroll", "direction": "left", "clicks": 9},
        {"name": "scroll", "direction": "up"}, {"name": "write", "text": "é"}, {"name": "press", "combination": "ctrl+s"}, {"name": "paste"},
        {"name": "copy_text", "text": "x"}, {"name": "copy_image", "x": 0, "y": 0, "width": 9, "height": 8},
        {"name": "open_program", "program": "notepad"}, {"name": "switch_to_app", "window": "notes"},
    ):  # fmt: skip
        assert client.post("/act", json={"action": action}, headers=TOKEN).status_code == 200, action
    assert platform.input.done == [
        ("move", 1, 2), ("click", "left", 1, ""), ("click", "left", 2, ""), ("click", "right", 1, ""), ("drag", 5, 6),
        ("click", "left", 3, "ctrl"), ("click", "left", 1, "alt+shift"), ("scroll", "left", 9), ("scroll", "up", 3), ("write", "é"),
        ("press", "ctrl+s"), ("press", "ctrl+v"),
    ]  # fmt: skip
    assert platform.clipboard == "x" and platform.pictures[0].size == (9, 8)
    assert platform.started == [["notepad.exe"]] and platform.activated == ["notes.txt"]


def test_what_the_platform_refuses_is_said_with_400(served: tuple[FakePlatform, FlaskClient]) -> None:
    _, client = served
    for path, body in (
        ("/act", {"action": {"name": "switch_to_app", "window": "nowhere"}}),
        ("/setup/launch", {"command": ["missing"]}),
        ("/execute", {"command": ""}),
    ):
        answer = client.post(path, json=body, headers=TOKEN)
        assert answer.status_code == 400 and answer.json and answer.json["status"] == "error"


def test_files_and_commands(served: tuple[FakePlatform, FlaskClient]) -> None:
    platform, client = served
    client.post("/setup/upload", data={"file_path": "a/b.txt", "file_data": (io.BytesIO(b"\r\n\x1a"), "b.txt")}, headers=TOKEN)
    assert client.post("/file", data={"file_path": str(platform.home / "a/b.txt")}, headers=TOKEN).data == b"\r\n\x1a", "as it is, byte for byte"
    assert client.post("/file", data={"file_path": "nowhere"}, headers=TOKEN).status_code == 404
    assert client.post("/setup/recycle_file", json={"path": "a/b.txt"}, headers=TOKEN).status_code == 200
    assert (platform.home / "bin/b.txt").is_file()
    assert client.post("/run_python", json={"code": "print(6 * 7)"}, headers=TOKEN).json["output"] == "42\n"  # type: ignore[index]
    assert client.post("/setup/close_all", headers=TOKEN).status_code == 200 and platform.open_windows == []


def test_nothing_is_answered_without_the_token(served: tuple[FakePlatform, FlaskClient]) -> None:
    _, client = served
    assert client.get("/probe").json == {"status": "Probe successful", "ready": True, "starts": 1}
    assert client.get("/screenshot").status_code == 401


def test_the_screen_is_settled_when_nothing_changes_and_nothing_works() -> None:
    sums = iter([1, 2, 3, *[3] * 1000])
    assert settled(lambda: next(sums), lambda: False, 0.1, 10)
    assert not settled(lambda: 1, lambda: True, 0.1, 0.3)
