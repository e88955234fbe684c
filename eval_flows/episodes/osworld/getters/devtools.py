"""Runs inside the machine, by its Python alone: asks a browser over its DevTools protocol, and prints the answer as JSON.

It is sent as text, and imports nothing of ours. Its one argument is JSON: `do` (tabs, evaluate, print), `url` of the page (it is opened if no tab
shows it, or if `anew`), `scripts` to evaluate in turn, and `ports` to try.
"""

import base64
import html
import json
import os
import socket
import struct
import sys
import time
import urllib.parse
import urllib.request
from typing import Any

SECONDS = 40.0  # to load a page; the server of the machine gives a command more
QUIET = 0.3
COMES_WITHIN = 5.0  # seconds: what a page that was just opened, or a click in it, brings
BLANK = "about:blank"  # what a new tab shows until it has begun to load
MASK = b"\0\0\0\0"


def ask(port: int, path: str, method: str = "GET") -> Any:
    """Return the JSON that the browser answers at a path."""
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", method=method)
    with urllib.request.urlopen(request, timeout=5) as answer:
        return json.loads(answer.read())


def pages(port: int) -> list[Any]:
    """Return the tabs that show pages, the last used first."""
    return [one for one in ask(port, "/json/list") if one.get("type") == "page"]


def same(one: str, other: str) -> bool:
    """Tell whether two addresses are one, whatever is encoded."""
    return urllib.parse.unquote(one).rstrip("/") == urllib.parse.unquote(other).rstrip("/")


class Page:
    """A tab, over a WebSocket (RFC 6455) whose frames are masked with nothing: the browser is on this host."""

    def __init__(self, address: str) -> None:
        place = urllib.parse.urlsplit(address)
        self.line = socket.create_connection((place.hostname, place.port), timeout=SECONDS)
        key = base64.b64encode(os.urandom(16)).decode()
        self.line.sendall(
            f"GET {place.path} HTTP/1.1\r\nHost: {place.netloc}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        self.left, self.number = b"", 0
        while b"\r\n\r\n" not in self.left:
            self.left += self.more()
        self.left = self.left.split(b"\r\n\r\n", 1)[1]

    def more(self) -> bytes:
        """Return bytes that came; OSError if the browser closed the line."""
        got = self.line.recv(65536)
        if not got:
            raise OSError("the browser closed the line")
        return got

    def take(self, count: int) -> bytes:
        """Return the next so many bytes."""
        while len(self.left) < count:
            self.left += self.more()
        taken, self.left = self.left[:count], self.left[count:]
        return taken

    def message(self) -> Any:
        """Return the next message; an empty one for those of the line itself."""
        whole, last = b"", False
        while not last:
            head, size = self.take(2)
            last, size = bool(head & 128), size & 127
            if size > 125:
                size = struct.unpack(">H" if size == 126 else ">Q", self.take(2 if size == 126 else 8))[0]
            part = self.take(size)
            whole += part if head & 15 in (0, 1, 2) else b""
        return json.loads(whole) if whole else {}

    def call(self, method: str, **parameters: Any) -> Any:
        """Return the result of a method of DevTools; OSError if it has none."""
        self.number += 1
        body = json.dumps({"id": self.number, "method": method, "params": parameters}).encode()
        head = (
            bytes([128 | len(body)])
            if len(body) < 126
            else struct.pack(">BH", 254, len(body))
            if len(body) < 65536
            else struct.pack(">BQ", 255, len(body))
        )
        self.line.sendall(b"\x81" + head + MASK + body)
        while (answer := self.message()).get("id") != self.number:
            pass
        if "result" not in answer:
            raise OSError(f"{method} failed: {answer.get('error')}")
        return answer["result"]

    def value(self, script: str) -> Any:
        """Return what a script of the page gives; None if it fails."""
        return self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)["result"].get("value")

    def awaited(self, script: str) -> Any:
        """Return what a script gives as soon as it gives something; None if it gives nothing in time."""
        end = time.monotonic() + COMES_WITHIN
        while (found := self.value(script)) is None and time.monotonic() < end:
            time.sleep(QUIET)
        return found

    def settle(self) -> None:
        """Wait until the page is loaded and its text stays the same for a moment."""
        end, before = time.monotonic() + SECONDS, None
        while time.monotonic() < end:
            now = self.value("document.readyState + document.documentElement.outerHTML.length + location.href")
            if now == before and str(now).startswith("complete"):
                return
            before = now
            time.sleep(QUIET)


def shown(port: int, url: str, anew: bool) -> Page:
    """Return the tab with an address, loaded; it is opened if there is none, or if `anew`."""
    found = [] if anew else [one for one in pages(port) if same(one["url"], url)]
    address = (found or [ask(port, "/json/new?" + urllib.parse.quote(url, safe=":/?&=%#"), "PUT")])[0]["webSocketDebuggerUrl"]
    page = Page(address)
    if not found and url != BLANK:
        page.awaited(f"location.href === '{BLANK}' ? null : true")
    page.settle()
    return page


def port_of(ports: list[int]) -> int:
    """Return the first port at which a browser answers; OSError if none does."""
    for port in ports:
        try:
            ask(port, "/json/version")
        except (OSError, ValueError):
            continue
        return port
    raise OSError("no browser listens")


def main(wanted: Any) -> Any:
    """Return what is wanted: a list of tabs, of values, or a PDF file in base 64."""
    port = port_of(wanted["ports"])
    if wanted["do"] == "tabs":
        return [{"title": html.unescape(one["title"]), "url": one["url"]} for one in pages(port)]
    page = shown(port, wanted["url"], wanted.get("anew", False))
    if wanted["do"] == "print":
        return page.call("Page.printToPDF")["data"]
    values = []
    for script in wanted["scripts"]:
        values.append(page.awaited(script) if wanted.get("anew") else page.value(script))
        page.settle()
    return values


if __name__ == "__main__":
    print(json.dumps(main(json.loads(sys.argv[1]))))
