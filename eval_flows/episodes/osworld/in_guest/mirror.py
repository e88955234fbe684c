"""Serves a mirror of sites to the browser of a machine, by the machine's Python alone: no page reaches a network, and nothing that is sent is kept.

The machine gets this file, with what to do as JSON behind it. The mirror is one zip file with a folder for each host, as `wget --mirror` makes them,
and `mirror.json`: hosts that mean the same as another, and answers that a folder cannot tell. The import asks `Pages` the same of an address as
the server does.
"""

import contextlib
import json
import mimetypes
import os
import signal
import socket
import ssl
import sys
import threading
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlsplit

DECLARED = "mirror.json"
INDEXES = ("index.html", "index.htm")
SECONDS = 60.0  # that a browser may keep a connection without asking
LONGEST_READ = 2**26  # bytes of what is sent
PERMANENTLY, NOT_FOUND, NOT_TAKEN = 301, 404, 405
PORTS = {"http": 80, "https": 443}
ANY_TYPE = "application/octet-stream"
Query = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Answer:
    """What a mirror answers: the status, the file in it with its type if that is declared, and where else the page is."""

    status: int = 200
    file: str | None = None
    type: str | None = None
    to: str | None = None


NOTHING = Answer(NOT_FOUND)


class Pages:
    """The pages of a mirror, from the names of its files and from what is declared beside them."""

    def __init__(self, names: Iterable[str], same: Mapping[str, str], answers: Mapping[str, Mapping[str, Any]]) -> None:
        self.same = same
        self.files: dict[tuple[str, str], dict[Query, str]] = {}
        for name in names:
            host, _, rest = name.partition("/")
            path, query = query_apart(f"/{rest}")
            of_path = self.files.setdefault((host, unquote(path)), {})
            of_path[in_order(query)] = name
            if query.endswith(".html"):  # which wget adds with --adjust-extension
                of_path.setdefault(in_order(query.removesuffix(".html")), name)
        self.hosts = {*same, *(host for host, _ in self.files)}
        self.answers = {self.place_of(address): Answer(**answer) for address, answer in answers.items()}

    def is_served(self, address: str) -> bool:
        """Tell whether an address is one of http or https, at its own port, of a host in the mirror."""
        try:
            parts = urlsplit(address)
            port = PORTS.get(parts.scheme)
            return port is not None and parts.port in (None, port) and (parts.hostname or "") in self.hosts
        except ValueError:
            return False

    def has(self, address: str) -> bool:
        """Tell whether the mirror has a page for an address, or declares what is answered there."""
        return self.is_served(address) and self.answer(address) is not NOTHING

    def place_of(self, address: str) -> tuple[str, str, Query]:
        """Return the folder of the host of an address, its path and its query; `ValueError` if it is no address."""
        parts = urlsplit(address)
        host = parts.hostname or ""
        return self.same.get(host, host), unquote(parts.path) or "/", in_order(parts.query)

    def answer(self, address: str) -> Answer:
        """Return what is answered at an address: what is declared or a file with its query, else the same without; for a folder, its index."""
        host, path, query = self.place_of(address)
        found = self._found(host, path, query)
        if found is None and not path.endswith("/") and self._found(host, f"{path}/", query) is not None:
            parts = urlsplit(address)  # with the slash, or the links of the page would lead elsewhere
            found = Answer(PERMANENTLY, to=f"{parts.path}/{f'?{parts.query}' if parts.query else ''}")
        return found or NOTHING

    def _found(self, host: str, path: str, query: Query) -> Answer | None:
        names = [f"{path}{index}" for index in INDEXES] if path.endswith("/") else [path, f"{path}.html"]
        for asked in (query, ()):
            if (declared := self.answers.get((host, path, asked))) is not None:
                return declared
            for name in names:
                if (file := self.files.get((host, name), {}).get(asked)) is not None:
                    return Answer(file=file)
        return None


def query_apart(path: str) -> tuple[str, str]:
    """Return the path and the query in the name of a file: behind a question mark, or behind @ as wget writes for other file systems."""
    for mark in "?@":
        before, _, query = path.partition(mark)
        if query and (mark == "?" or "=" in query):
            return before, query
    return path, ""


def in_order(query: str) -> Query:
    """Return the names and values of a query, whatever their order and their encoding."""
    return tuple(sorted(parse_qsl(query, keep_blank_values=True))) if "=" in query else ((unquote(query), ""),) if query else ()


def type_of(path: str, content: bytes) -> str:
    """Return the type of a page or a file: by the ending of its name, else by its beginning."""
    kind = mimetypes.MimeTypes().guess_type(query_apart(path)[0])[0]
    if kind is None:
        kind = "text/html" if content.lstrip()[:1] == b"<" else ANY_TYPE
    if kind.startswith("text/"):
        with contextlib.suppress(UnicodeDecodeError):
            content.decode()
            return f"{kind}; charset=utf-8"
    return kind


class Handler(BaseHTTPRequestHandler):
    """Answers one connection."""

    protocol_version = "HTTP/1.1"
    timeout = SECONDS
    server: "Server"

    def do_GET(self) -> None:
        """Answer with a page."""
        address = f"{self.server.scheme}://{self.headers.get('Host', '')}{self.path}"
        if not self.server.pages.is_served(address):
            self._say(NOT_FOUND, "This host is not in the mirror")
            return
        found = self.server.pages.answer(address)
        if found.file is None:
            words = self.responses.get(found.status, ("An error",))[0]
            self._say(found.status, "The mirror has no page at this address" if found.status == NOT_FOUND else words, found.to)
            return
        content = self.server.archive.read(found.file)
        self._send(found.status, found.type or type_of(found.file, content), content, found.to)

    def do_HEAD(self) -> None:
        """Answer the same without the page."""
        self.do_GET()

    def do_POST(self) -> None:
        """Refuse what is sent: nothing is kept."""
        size = self.headers.get("Content-Length", "")
        self.rfile.read(min(int(size), LONGEST_READ) if size.isdecimal() else 0)  # else the browser would miss the answer
        self.close_connection = True
        self._say(NOT_TAKEN, "This site is a copy: it shows pages, and takes nothing")

    def _say(self, status: int, words: str, to: str | None = None) -> None:
        self._send(status, "text/html; charset=utf-8", f"<!DOCTYPE html><title>{status}</title><p>{words}.</p>".encode(), to)

    def _send(self, status: int, kind: str, content: bytes, to: str | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Access-Control-Allow-Origin", "*")  # pages take fonts and scripts of other hosts of the mirror
        if to is not None:
            self.send_header("Location", quote(to, safe="/:?&=%#+@,;~!$'()*"))
        if status == NOT_TAKEN:
            self.send_header("Allow", "GET, HEAD")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def version_string(self) -> str:
        """Return the name of the server."""
        return "mirror"

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


class Server(ThreadingHTTPServer):
    """Serves at a port of the machine's own loopback, encrypted if it has a `context`."""

    daemon_threads = True

    def __init__(self, port: int, archive: zipfile.ZipFile, pages: Pages, context: ssl.SSLContext | None = None) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.archive, self.pages, self.context = archive, pages, context
        self.scheme = "http" if context is None else "https"

    def finish_request(self, request: Any, client_address: Any) -> None:
        """Answer a connection in a thread of its own; a browser may go away at any time."""
        with contextlib.suppress(OSError):
            line: socket.socket = request
            if self.context is not None:
                line.settimeout(SECONDS)
                line = self.context.wrap_socket(line, server_side=True)
            with line:
                super().finish_request(line, client_address)


def pages_of(archive: zipfile.ZipFile) -> Pages:
    """Return the pages of a mirror in its zip file."""
    return Pages([name for name in archive.namelist() if name != DECLARED], **json.loads(archive.read(DECLARED)))


def served(folder: str, ports: tuple[int, int]) -> list[Server]:
    """Return servers of http and of https for the mirror in a folder, which listen and do not answer yet."""
    archive = zipfile.ZipFile(f"{folder}/mirror.zip")
    pages = pages_of(archive)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(f"{folder}/mirror.pem")
    return [Server(ports[0], archive, pages), Server(ports[1], archive, pages, context)]


def main(folder: str, ports: tuple[int, int]) -> None:
    """Listen, and go on in the background: whoever waits for this program finds the servers there."""
    servers = served(folder, ports)
    if child := os.fork():
        os.setpgid(child, child)  # before this program ends, with which all of its group end that have its command
        return
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    for server in servers:
        threading.Thread(target=server.serve_forever).start()


if __name__ == "__main__":
    asked = json.loads(sys.argv[1])  # the folder of the mirror, and the ports of http and https
    main(asked["folder"], tuple(asked["ports"]))
