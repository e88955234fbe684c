"""Protects the part of the guest server that every platform shares: it works on any platform that keeps the protocol, and names none."""

import ast
import base64
import io
import json
import os
import socket
import stat
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from PIL import Image

from machines.client import GuestClient
from machines.errors import LeftUnreadable
from machines.guest import files
from machines.guest.settling import settled
from tests.conftest import REPOSITORY
from tests.machines.guest.fake import TREE, FakePlatform, app_of, guest, serving

TOKEN = {"Authorization": "Bearer secret"}


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[FakePlatform, httpx.Client]]:
    platform, one = guest(tmp_path)
    with serving(app_of(one)) as address, httpx.Client(base_url=address) as client:
        yield platform, client


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


def test_an_observation_holds_the_parts_of_the_platform(served: tuple[FakePlatform, httpx.Client]) -> None:
    platform, client = served
    platform.clipboard = "pears"
    seen = client.post("/observe", json={"what": ["screenshot", "tree", "windows", "clipboard"]}, headers=TOKEN).json()
    assert seen["tree"] == TREE and seen["clipboard"] == "pears"
    assert Image.open(io.BytesIO(base64.b64decode(seen["screenshot"]))).size == (200, 100)
    assert [window["window_class"] for window in seen["windows"]] == ["Notepad"]
    bare = client.post("/observe", json={"what": ["screenshot_without_pointer"]}, headers=TOKEN).json()
    assert set(bare) == {"screenshot_without_pointer", "seconds"}
    assert bare["screenshot_without_pointer"] != seen["screenshot"]
    with_tree = client.post("/observe", json={"what": ["tree", "screenshot_without_pointer", "clipboard"]}, headers=TOKEN).json()
    assert with_tree["screenshot_without_pointer"] == bare["screenshot_without_pointer"] and with_tree["clipboard"] == "pears"
    assert set(with_tree) == {"tree", "is_still", "has_changed", "screenshot_without_pointer", "clipboard", "seconds"}
    assert client.get("/platform", headers=TOKEN).text == "Windows"
    assert client.post("/screen_size", headers=TOKEN).json() == {"width": 200, "height": 100}


def test_actions_go_to_the_platform(served: tuple[FakePlatform, httpx.Client]) -> None:
    platform, client = served
    for action in (
        {"name": "move", "x": 1, "y": 2}, {"name": "single_click"}, {"name": "double_click"}, {"name": "right_click"}, {"name": "drag", "x": 5, "y": 6},
        {"name": "triple_click", "keys": "ctrl"}, {"name": "single_click", "keys": "alt+shift"}, {"name": "scroll", "direction": "left", "clicks": 9},
        {"name": "scroll", "direction": "up"}, {"name": "write", "text": "é"}, {"name": "press", "combination": "ctrl+s"}, {"name": "paste"},
        {"name": "copy_text", "text": "x"}, {"name": "copy_image", "x": 0, "y": 0, "width": 9, "height": 8},
        {"name": "open_program", "program": "notepad"}, {"name": "switch_to_app", "window": "notes"}, {"name": "middle_click"}, {"name": "mouse_down"},
        {"name": "mouse_up"}, {"name": "drag_along", "path": [[1, 2], [3, 4], [5, 6]], "keys": "shift"}, {"name": "hold_key", "combination": "w", "seconds": 2},
    ):  # fmt: skip
        assert client.post("/act", json={"action": action}, headers=TOKEN).status_code == 200, action
    assert platform.input.done == [
        ("move", 1, 2), ("click", "left", 1, ""), ("click", "left", 2, ""), ("click", "right", 1, ""), ("drag_along", (3, 4), (5, 6), ""),
        ("click", "left", 3, "ctrl"), ("click", "left", 1, "alt+shift"), ("scroll", "left", 9, ""), ("scroll", "up", 3, ""), ("write", "é"),
        ("press", "ctrl+s"), ("press", "ctrl+v"), ("click", "middle", 1, ""), ("button_down",), ("button_up",),
        ("drag_along", (1, 2), (3, 4), (5, 6), "shift"), ("hold", "w", 2),
    ]  # fmt: skip
    assert platform.clipboard == "x" and platform.pictures[0].size == (9, 8)
    assert platform.started == [["notepad.exe"]] and platform.activated == ["notes.txt"]


def test_what_the_platform_refuses_is_said_with_400(served: tuple[FakePlatform, httpx.Client]) -> None:
    _, client = served
    for path, body in (
        ("/act", {"action": {"name": "switch_to_app", "window": "nowhere"}}),
        ("/setup/launch", {"command": ["missing"]}),
        ("/execute", {"command": ""}),
    ):
        answer = client.post(path, json=body, headers=TOKEN)
        assert answer.status_code == 400 and answer.json()["status"] == "error"


def test_files_and_commands(served: tuple[FakePlatform, httpx.Client]) -> None:
    platform, client = served
    content = b"\r\n--\x1a\r\n\r\n--\r\n"
    sent = client.post("/setup/upload", data={"file_path": "a/gr\u00fcn.txt"}, files={"file_data": ("b.txt", content)}, headers=TOKEN)
    assert sent.text == "File Uploaded"
    assert client.post("/file", data={"file_path": str(platform.home / "a/gr\u00fcn.txt")}, headers=TOKEN).content == content, "byte for byte"
    assert client.post("/file", data={"file_path": "nowhere"}, headers=TOKEN).status_code == 404
    assert client.post("/setup/recycle_file", json={"path": "a/gr\u00fcn.txt"}, headers=TOKEN).status_code == 200
    assert (platform.home / "bin/gr\u00fcn.txt").is_file()
    assert client.post("/run_python", json={"code": "print(6 * 7)"}, headers=TOKEN).json()["output"] == "42\n"
    assert client.post("/setup/close_all", headers=TOKEN).status_code == 200 and platform.open_windows == []


def test_nothing_is_answered_without_the_token(served: tuple[FakePlatform, httpx.Client]) -> None:
    _, client = served
    assert client.get("/probe").json() == {"status": "Probe successful", "ready": True, "starts": 1}
    assert client.get("/screenshot").status_code == 401


def test_the_screen_is_settled_when_nothing_changes_and_nothing_works() -> None:
    sums = iter([1, 2, 3, *[3] * 1000])
    assert settled(lambda: next(sums), lambda: False, 0.1, 10)
    assert not settled(lambda: 1, lambda: True, 0.1, 0.3)


def test_what_is_no_request_for_an_endpoint_is_told_in_json(served: tuple[FakePlatform, httpx.Client]) -> None:
    _, client = served
    for sent, status in (
        (client.get("/nowhere", headers=TOKEN), 404),
        (client.get("/act", headers=TOKEN), 404),
        (client.post("/act", content=b"[" * 100_000, headers=TOKEN), 400),
        (client.post("/act", json=[1], headers=TOKEN), 400),
        (client.post("/act", json={}, headers=TOKEN), 500),
        (client.post("/setup/upload", data={"file_path": "a"}, headers=TOKEN), 400),
        (client.post("/window_size", data={}, headers=TOKEN), 400),
        (client.post("/act", content=iter([b"{}"]), headers=TOKEN), 413),
        (client.post("/act", content=bytes(3_000_000)), 401),
        (client.post("/act", content=iter([bytes(100_000)] * 30), headers=TOKEN), 413),
    ):
        assert sent.status_code == status and sent.json()["status"] == "error" and sent.json()["message"]
    assert client.get("/probe").status_code == 200, "it still answers"


def test_a_request_that_is_sent_again_gets_the_answer_of_the_first_one(served: tuple[FakePlatform, httpx.Client], tmp_path: Path) -> None:
    """Also while the first one is at work, and if the answer is large."""
    _, client = served
    code = f"import pathlib, time\ntime.sleep(0.5)\nopen({str(tmp_path / 'runs')!r}, 'a').write('x')\nprint('y' * 3_000_000)"
    answers: list[httpx.Response] = []

    def send() -> None:
        answers.append(client.post("/run_python", json={"code": code}, headers={**TOKEN, "Request-Id": "one"}, timeout=60.0))

    first = threading.Thread(target=send)
    first.start()
    send()
    first.join()
    send()
    assert (tmp_path / "runs").read_text() == "x"
    assert len({answer.text for answer in answers}) == 1 and answers[0].json()["status"] == "success" and len(answers[0].text) > 3_000_000


@pytest.mark.parametrize(("asked", "status"), [("Notepad", 200), ("Text.Notepad", 200), ("pad", 404), ("Text.Other", 404)])
def test_the_name_of_a_window_may_stand_before_its_class(served: tuple[FakePlatform, httpx.Client], asked: str, status: int) -> None:
    """As wmctrl writes it, and with it OSWorld's tasks: Mail.thunderbird."""
    _, client = served
    answer = client.post("/setup/activate_window", json={"window_name": asked, "strict": True, "by_class": True}, headers=TOKEN)
    assert (answer.status_code == 200) == (status == 200), answer.text


def test_a_request_that_breaks_off_is_not_carried_out(served: tuple[FakePlatform, httpx.Client]) -> None:
    """And is not kept as the answer of the one that is sent again."""
    platform, client = served
    body = json.dumps({"action": {"name": "write", "text": "pears"}}).encode()
    head = f"POST /act HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer secret\r\nRequest-Id: seven\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    with socket.create_connection((client.base_url.host, client.base_url.port)) as broken:
        broken.sendall(head + body[:10])
        broken.shutdown(socket.SHUT_WR)
        assert broken.recv(100) == b""
    assert not platform.input.done
    assert client.post("/act", content=body, headers={**TOKEN, "Request-Id": "seven"}).json() == {"status": "success"} and platform.input.done


def test_nothing_is_read_of_who_has_no_token(served: tuple[FakePlatform, httpx.Client]) -> None:
    _, client = served
    with socket.create_connection((client.base_url.host, client.base_url.port)) as stranger:
        stranger.sendall(b"POST /act HTTP/1.1\r\nHost: x\r\nContent-Length: 500000000\r\n\r\n")
        assert b" 401 " in stranger.recv(1000).partition(b"\r\n")[0], "it does not wait for the body"


def listed(client: httpx.Client, path: Path) -> list[dict[str, Any]] | None:
    return GuestClient(httpx.Client(base_url=client.base_url, headers=TOKEN)).listing(str(path))


@pytest.fixture
def deep(tmp_path: Path) -> Iterator[Path]:
    """A file beside folders in folders, too deep for what calls itself for each; what cleans up after tests does."""
    folder = tmp_path / "deep"
    for depth in range(1500):
        Path(f"{folder}{'/d' * depth}").mkdir()
    (folder / "kept.txt").write_text("kept")
    yield folder
    subprocess.run(["rm", "-rf", str(folder)], check=True)


def test_a_thousand_nested_folders_are_listed_as_far_as_a_listing_goes(served: tuple[FakePlatform, httpx.Client], deep: Path) -> None:
    """They ended in an error of the guest server: a fault, which leaves the denominator, of whatever the agent has failed at."""
    found, depth = listed(served[1], deep), 0
    assert found is not None and [entry["name"] for entry in found] == ["d", "kept.txt"]
    while found:
        found, depth = found[0]["children"], depth + 1
    assert 50 < depth < 500


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="nothing is forbidden to this user")
def test_a_forbidden_folder_is_listed_without_what_is_in_it(served: tuple[FakePlatform, httpx.Client], tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "shut" / "inner").mkdir(parents=True)
    (home / "open").mkdir()
    (home / "open" / "a.txt").write_text("a")
    (home / "shut").chmod(0)
    try:
        assert [(entry["name"], entry["mode"], [one["name"] for one in entry["children"]]) for entry in listed(served[1], home) or ()] == [
            ("open", f"{stat.S_IMODE((home / 'open').stat().st_mode):04o}", ["a.txt"]),
            ("shut", "0000", []),
        ]
        for path in (home / "shut", home / "shut" / "inner"):
            with pytest.raises(LeftUnreadable, match="cannot be listed"):
                listed(served[1], path)
        assert served[1].get("/folder_exists", params={"path": str(home / "shut" / "inner")}, headers=TOKEN).status_code == 400
    finally:
        (home / "shut").chmod(0o700)


def test_a_folder_that_cannot_be_read_is_no_fault_of_the_server(
    served: tuple[FakePlatform, httpx.Client], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same for a user to whom nothing is forbidden."""
    (tmp_path / "shut" / "inner").mkdir(parents=True)
    scan = os.scandir

    def scandir(path: Path) -> Any:
        if Path(path).name == "shut":
            raise PermissionError(13, "Permission denied")
        return scan(path)

    monkeypatch.setattr(os, "scandir", scandir)
    (shut,) = (entry for entry in listed(served[1], tmp_path) or () if entry["name"] == "shut")
    assert shut["children"] == []
    with pytest.raises(LeftUnreadable, match="Permission denied"):
        listed(served[1], tmp_path / "shut")


def test_of_too_many_files_the_nearest_are_listed(served: tuple[FakePlatform, httpx.Client], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_MOST_ENTRIES", 10)
    for name in ("a/many", "z"):
        (tmp_path / "top" / name).mkdir(parents=True)
    for number in range(12):
        (tmp_path / "top" / "a" / "many" / f"{number:02}").touch()
    (tmp_path / "top" / "z" / "kept").touch()
    a, z = listed(served[1], tmp_path / "top") or [{}, {}]
    assert [entry["name"] for entry in z["children"]] == ["kept"] and len(a["children"][0]["children"]) < 10
    with pytest.raises(LeftUnreadable, match="more than 10"):
        listed(served[1], tmp_path / "top" / "a" / "many")


def test_a_link_to_a_folder_is_listed_as_that_folder_and_below_as_a_link(served: tuple[FakePlatform, httpx.Client], tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "round").symlink_to(tmp_path / "real")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert [(entry["type"], entry["target"]) for entry in listed(served[1], tmp_path / "link") or ()] == [("file", str(tmp_path / "real"))]
    assert listed(served[1], tmp_path / "nowhere") is None and listed(served[1], tmp_path / "link" / "round" / "none") is None
