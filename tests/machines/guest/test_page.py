"""Protects the part `dom` of an observation: the page that is shown is asked, hidden ones are passed over, and a browser that is busy or strange harms nothing."""

import base64
import hashlib
import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from machines.client import as_page
from machines.errors import MachineError
from machines.guest.page import BROWSER, PORT, Page
from machines.guest.platform import Window
from machines.image import declared, find_image
from machines.trees.roles import declared as declared_roles
from tests.conftest import REPOSITORY
from tests.machines.guest.fake import app_of, guest, serving

TOKEN = {"Authorization": "Bearer secret"}
SAVE = ["push button", "Save", 10, 20, 30, 40]
TOLD = {"role": "push button", "name": "Save", "x": 10, "y": 20, "width": 30, "height": 40}
Answer = Callable[[str, str], bytes]


def frame(content: bytes, first: int = 0x81) -> bytes:
    size = len(content)
    return (
        bytes([first])
        + (bytes([size]) if size < 126 else b"\x7e" + size.to_bytes(2, "big") if size < 1 << 16 else b"\x7f" + size.to_bytes(8, "big"))
        + content
    )


def value(found: Any) -> bytes:
    return json.dumps({"id": 1, "result": {"result": {"value": found}}}).encode()


@contextmanager
def browser(answer: Answer, pages: tuple[str, ...] = ("front",)) -> Iterator[int]:
    """A browser with pages; `answer` makes what comes for an expression from the page's id and the expression. Yields its port."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]

        def serve() -> None:
            while True:
                try:
                    line, _ = listening.accept()
                except OSError:
                    return
                with line:
                    _answer(line, port)

        def _answer(line: socket.socket, port: int) -> None:
            asked = b""
            while b"\r\n\r\n" not in asked:
                asked += line.recv(4096)
            path = asked.split()[1].decode()
            if path == "/json/list":
                listed = [
                    {"type": "browser_ui"},
                    *({"type": "page", "webSocketDebuggerUrl": f"ws://127.0.0.1:{port}/devtools/page/{one}"} for one in pages),
                ]
                body = json.dumps(listed).encode()
                line.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
                return
            key = asked.partition(b"Sec-WebSocket-Key: ")[2].split(b"\r\n")[0]
            accept = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest()).decode()
            line.sendall(f"HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: {accept}\r\n\r\n".encode())
            head = line.recv(2)
            size = head[1] & 127
            size = int.from_bytes(line.recv(2), "big") if size == 126 else size
            mask, masked = line.recv(4), b""
            while len(masked) < size:
                masked += line.recv(size - len(masked))
            request = json.loads(bytes(byte ^ mask[number % 4] for number, byte in enumerate(masked)))
            line.sendall(answer(path.rpartition("/")[2], request["params"]["expression"]))

        threading.Thread(target=serve, daemon=True).start()
        yield port


def elements(answer: Answer, *pages: str) -> list[dict[str, Any]]:
    with browser(answer, pages or ("front",)) as port:
        return Page(slowness=20, port=port).elements()


def test_the_page_that_is_shown_tells_its_elements() -> None:
    hidden_first = elements(lambda page, _: frame(value(None if page == "hidden" else json.dumps([SAVE]))), "hidden", "front")
    assert hidden_first == [TOLD] and as_page(hidden_first)[0].name == "Save"


def test_the_question_is_the_file_beside_it() -> None:
    asked: list[str] = []

    def answer(_: str, expression: str) -> bytes:
        asked.append(expression)
        return frame(value("[]"))

    assert elements(answer) == [] and asked == [(REPOSITORY / "machines/guest/page.js").read_text()]


def test_long_answers_and_answers_in_parts_are_read() -> None:
    many = json.dumps([SAVE] * 3000)
    assert len(elements(lambda *_: frame(value(many)))) == 3000
    whole = value(json.dumps([SAVE]))
    in_parts = frame(b"", 0x89) + frame(whole[:9], 0x01) + frame(whole[9:], 0x80)
    assert elements(lambda *_: in_parts) == [TOLD]
    event = frame(json.dumps({"method": "Runtime.executionContextCreated"}).encode())
    assert elements(lambda *_: event + frame(whole)) == [TOLD]


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        frame(b"garbage"),
        frame(b"", 0x88),
        frame(value([1, 2])),
        frame(value("[[1]]")),
        frame(value("7")),
        b"\x81\x7f" + b"\xff" * 8,
        frame(b"[]"),
    ],
    ids=["ends", "no JSON", "closes", "no text", "too few fields", "no list", "without end", "no object"],
)
def test_a_strange_browser_is_left_out(answer: bytes) -> None:
    assert elements(lambda *_: answer) == []


def test_no_browser_at_all_is_left_out() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
    assert Page(port=port).elements() == []


def test_the_page_is_asked_only_if_a_browser_is_in_front(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    platform, one = guest(tmp_path)
    monkeypatch.setattr(Page, "elements", lambda _: [TOLD])

    def dom() -> Any:
        found = httpx.post(f"{address}/observe", json={"what": ["dom"]}, headers=TOKEN).json()
        assert set(found) == {"dom", "seconds"}
        return found["dom"]

    with serving(app_of(one)) as address:
        assert dom() == [], "an editor is in front"
        window = Window(1, "New Tab", "Chromium", 7, 0, 0, 100, 100, True)
        monkeypatch.setattr(platform, "windows", lambda: [window])
        assert dom() == [TOLD]


def test_what_is_no_element_is_a_fault() -> None:
    with pytest.raises(ValueError, match="dom: 0.x"):
        as_page([{**TOLD, "x": "left"}])
    assert issubclass(MachineError, RuntimeError)


def test_the_image_starts_the_browser_with_the_port_and_every_role_is_known(tmp_path: Path) -> None:
    program = declared().programs["chromium"]
    assert f"--remote-debugging-port={PORT}" in program.command and program.window_class.lower() == BROWSER
    assert "dom" in find_image("desktop", tmp_path).offers.observations
    told = (REPOSITORY / "machines/guest/page.js").read_text()
    roles = {word for line in told.splitlines() if ":" in line and '"' in line and "const" not in line for word in line.split('"')[1::2]}
    assert {"link", "push button", "entry"} <= roles
    assert {role for role in roles if role in declared_roles().roles} >= {"check box", "combo box", "slider", "page tab", "menu item"}


HTML = """<title>Form</title><a href="#x">Home</a> <a>no link</a> <label><input type="checkbox"> I agree</label>
<input placeholder="Your name" style="display: block"> <button style="display: none">Hidden</button> <p style="height: 3000px">Long.</p> <button>Below</button>
<script>document.body.prepend(Object.assign(document.createElement("div"), {id: "host"})); host.attachShadow({mode: "open"}).innerHTML = "<button>Inner</button>"</script>"""


@pytest.mark.browser
def test_a_real_page_tells_what_shows_and_can_be_used(browser: Any) -> None:
    page = browser.new_page(viewport={"width": 800, "height": 600})
    page.set_content(HTML)
    found = {name: (role, box) for role, name, *box in json.loads(page.evaluate((REPOSITORY / "machines/guest/page.js").read_text()))}
    assert {name: role for name, (role, _) in found.items()} == {
        "Inner": "push button", "Home": "link", "I agree": "check box", "Your name": "entry",
    }  # fmt: skip
    assert all(width > 5 and height > 5 for _, (_, _, width, height) in found.values())
    assert {role for role, _ in found.values()} <= set(declared_roles().roles)
    page.close()
