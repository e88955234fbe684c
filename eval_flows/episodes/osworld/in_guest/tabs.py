"""Opens or closes tabs of a browser by its debugging port. The machine's Python gets this file as a text, with what to do as JSON behind it."""

import contextlib
import json
import sys
import time
import urllib.parse
import urllib.request
from collections.abc import Mapping, Sequence
from typing import Any


def ask(port: int, path: str, method: str = "GET") -> bytes:
    """Return what a browser answers."""
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", method=method)
    with urllib.request.urlopen(request, timeout=10) as answer:
        return bytes(answer.read())


def pages(port: int) -> list[Mapping[str, Any]]:
    """Return the tabs that show pages."""
    return [tab for tab in json.loads(ask(port, "/json/list")) if tab.get("type") == "page"]


def port_of_browser(ports: Sequence[int], seconds: float) -> int:
    """Return the first port at which a browser answers; end the program if none does for so long."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        for port in ports:
            with contextlib.suppress(OSError, ValueError):
                pages(port)
                return port
        time.sleep(0.2)
    return sys.exit(f"no browser answers at the ports {list(ports)}")


def change(port: int, to_open: Sequence[str], to_close: Sequence[str]) -> None:
    """Open tabs in place of the empty one that the browser started with, and close the first tab of each address to close."""
    before = pages(port)
    for address in to_open:
        ask(port, "/json/new?" + urllib.parse.quote(address, safe=""), "PUT")
    if to_open and before:
        ask(port, f"/json/close/{before[0]['id']}")
    for address in to_close:
        shown = next((tab for tab in pages(port) if tab["url"].rstrip("/") == address.rstrip("/")), None)
        if shown is not None:
            ask(port, f"/json/close/{shown['id']}")


if __name__ == "__main__":
    asked = json.loads(sys.argv[1])  # the ports, the seconds to wait for one, and the addresses
    change(port_of_browser(asked["ports"], asked["seconds"]), asked.get("open", []), asked.get("close", []))
