"""What can be used on the page of the browser in front, asked of the browser by its debugging port (the Chrome DevTools protocol).

The part of a WebSocket client that this takes is here, so that machines need no package for it. `page.js` is what the page is asked.
"""

import base64
import json
import os
import socket
import time
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

Json = dict[str, Any]
PORT = 9222  # as `machines/desktop.yaml` starts the browser
BROWSER = "chromium"  # the class of its windows, in small letters
SECONDS = 0.1  # for all questions of one observation; a page that is busy is left out, since the tree and the picture show it too
_QUESTION = Path(__file__).with_suffix(".js")
_LONGEST_ANSWER = 4_000_000
_TEXT, _END = 1, 8  # kinds of frames
_FIELDS = ("role", "name", "x", "y", "width", "height")


class NoPage(Exception):
    """The browser gives no answer in time, or one that cannot be read."""


class Page:
    """Asks the browser of this machine; `slowness` tells how many times as slow as its host the machine is."""

    def __init__(self, slowness: float = 1.0, port: int = PORT) -> None:
        self._seconds = SECONDS * slowness
        self._port = port

    def elements(self) -> list[Json]:
        """Return what can be used on the page that is shown: role, name and place in pixels. It is empty if no page answers in time."""
        until = time.monotonic() + self._seconds
        try:
            for address in self._pages(until):
                answer = _evaluated(address, self._port, _QUESTION.read_text(), until)
                if answer is not None:  # a page of another tab is hidden
                    return [dict(zip(_FIELDS, one, strict=True)) for one in json.loads(answer)]
        except (OSError, HTTPException, NoPage, ValueError, TypeError, AttributeError, LookupError, RecursionError):
            return []  # the browser is the agent's: whatever it answers is no fault of the machine
        return []

    def _pages(self, until: float) -> list[str]:
        """Return the paths at which the pages are asked, that of the last used one first."""
        connection = HTTPConnection("127.0.0.1", self._port, timeout=_left(until))
        try:
            connection.request("GET", "/json/list")
            known = json.loads(connection.getresponse().read(_LONGEST_ANSWER))
        finally:
            connection.close()
        return [urlsplit(one["webSocketDebuggerUrl"]).path for one in known if one["type"] == "page" and "webSocketDebuggerUrl" in one]


def _left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise NoPage("the time is over")
    return left


def _evaluated(path: str, port: int, code: str, until: float) -> Any:
    """Return the value of code on a page."""
    with socket.create_connection(("127.0.0.1", port), timeout=_left(until)) as line:
        key = base64.b64encode(os.urandom(16)).decode()
        line.sendall(
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        received = _Received(line, until)
        if b" 101 " not in received.up_to(b"\r\n\r\n").split(b"\r\n")[0]:
            raise NoPage("the browser opens no connection")
        asked = {"id": 1, "method": "Runtime.evaluate", "params": {"expression": code, "returnByValue": True}}
        line.sendall(_frame(json.dumps(asked).encode()))
        while True:
            told = json.loads(received.message())
            if told.get("id") == 1:
                return told.get("result", {}).get("result", {}).get("value")


def _frame(content: bytes) -> bytes:
    """Return a whole text as one frame, masked as those of clients are."""
    size, mask = len(content), os.urandom(4)
    length = bytes([0x80 | size]) if size < 126 else b"\xfe" + size.to_bytes(2, "big") if size < 1 << 16 else b"\xff" + size.to_bytes(8, "big")
    repeated = (mask * (size // 4 + 1))[:size]
    masked = (int.from_bytes(content, "big") ^ int.from_bytes(repeated, "big")).to_bytes(size, "big")
    return bytes([0x80 | _TEXT]) + length + mask + masked


class _Received:
    """What comes over a connection, until the time is over."""

    def __init__(self, line: socket.socket, until: float) -> None:
        self._line = line
        self._until = until
        self._held = b""

    def up_to(self, end: bytes) -> bytes:
        """Return everything up to and with some bytes."""
        while end not in self._held:
            self._more()
        found, _, self._held = self._held.partition(end)
        return found + end

    def message(self) -> bytes:
        """Return the next text, which may come in several frames."""
        text, is_last = b"", False
        while not is_last:
            first, size = self._exactly(2)
            if size >= 126:
                size = int.from_bytes(self._exactly(2 if size == 126 else 8), "big")
            content = self._exactly(size)
            if first & 15 == _END:
                raise NoPage("the browser ended the connection")
            if first & 15 <= _TEXT:
                text, is_last = text + content, bool(first & 0x80)
        return text

    def _exactly(self, size: int) -> bytes:
        if size > _LONGEST_ANSWER:
            raise NoPage("the answer is too long")
        while len(self._held) < size:
            self._more()
        found, self._held = self._held[:size], self._held[size:]
        return found

    def _more(self) -> None:
        self._line.settimeout(_left(self._until))
        came = self._line.recv(1 << 16)
        if not came or len(self._held) > _LONGEST_ANSWER:
            raise NoPage("the browser ended the connection, or its answer is too long")
        self._held += came
