"""HTTP by Python's own server, with as much as the endpoints need: a web framework would take 13 MB of every machine, and 0.15 s of its start.

An endpoint is a function of the request, for a method and a path. It returns what becomes JSON, a text, an `Answer`, or None if it took the
connection for something else. Errors are JSON: `{"status": "error", "message": ...}`.
"""

import contextlib
import hmac
import json
import socket
import socketserver
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email import message_from_bytes
from email.message import Message
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from machines.guest.once import Once
from machines.guest.platform import ActionError

Json = dict[str, Any]
_LARGEST = 2**29  # bytes of a body
_LINGERS = 2.0  # seconds that a connection stays after its last answer, for a client that still sends
_OPEN_TO_ALL = "/probe"


@dataclass(frozen=True)
class Answer:
    """An answer: the status, the content, and its kind."""

    status: int
    content: bytes
    kind: str = "application/json"

    @classmethod
    def of(cls, status: int = 200, /, **told: Any) -> "Answer":
        """Return an answer in JSON."""
        return cls(status, json.dumps(told).encode())

    @classmethod
    def error(cls, status: int, message: str) -> "Answer":
        """Return the answer that says what went wrong."""
        return cls.of(status, status="error", message=message)


@dataclass(frozen=True)
class Request:
    """A request with its whole body, and the connection that it came over."""

    method: str
    path: str
    headers: Message
    body: bytes
    connection: socket.socket

    @property
    def json(self) -> Json:
        """Return the object in the body; `ActionError` if it is none."""
        try:
            found = json.loads(self.body)
        except (ValueError, RecursionError) as error:
            raise ActionError(f"the body is no JSON: {error}") from None
        if not isinstance(found, dict):
            raise ActionError("the body is no JSON object")
        return found

    @property
    def json_if_any(self) -> Json:
        """Return the object in the body; an empty one if the body is something else."""
        try:
            return self.json
        except ActionError:
            return {}

    @property
    def query(self) -> Mapping[str, str]:
        """Return the fields after the question mark."""
        return dict(parse_qsl(urlsplit(self.path).query, keep_blank_values=True))

    @property
    def form(self) -> Mapping[str, bytes]:
        """Return the fields of a form, encoded either way; a file is a field like others."""
        boundary = self.headers.get_boundary()
        if boundary is None:
            return {name: value.encode() for name, value in parse_qsl(self.body.decode(errors="replace"), keep_blank_values=True)}
        first, *others = self.body.split(b"\r\n--" + boundary.encode())
        parts = (part.partition(b"\r\n\r\n") for part in (first.removeprefix(b"--" + boundary.encode()), *others))
        named = ((message_from_bytes(head.lstrip()).get_param("name", header="content-disposition"), content) for head, _, content in parts)
        return {name: content for name, content in named if isinstance(name, str)}

    def field(self, name: str) -> str:
        """Return a field of a form; `ActionError` if it is missing."""
        try:
            return self.form[name].decode()
        except KeyError:
            raise ActionError(f"'{name}' is missing") from None


Endpoint = Callable[[Request], Json | list[Any] | str | Answer | None]


class Application:
    """The endpoints. A request needs the token, unless it asks whether the server is ready; with a `Request-Id` it is carried out once."""

    def __init__(self, token: str) -> None:
        self._token = f"Bearer {token}".encode()
        self._endpoints: dict[tuple[str, str], Endpoint] = {}
        self._once: Once[Answer] = Once(lambda answer: len(answer.content))

    def get(self, path: str) -> Callable[[Endpoint], Endpoint]:
        """Add the decorated endpoint."""
        return self._adding("GET", path)

    def post(self, path: str) -> Callable[[Endpoint], Endpoint]:
        """Add the decorated endpoint."""
        return self._adding("POST", path)

    def may_ask(self, path: str, headers: Message) -> bool:
        """Tell whether a request has the token, or needs none."""
        return urlsplit(path).path == _OPEN_TO_ALL or hmac.compare_digest(headers.get("Authorization", "").encode(), self._token)

    def answer(self, request: Request) -> Answer | None:
        """Return the answer to a request that may ask; None if its connection was taken for something else."""
        path = urlsplit(request.path).path
        identity = request.headers.get("Request-Id")
        if identity is None:
            return self._carried_out(request, path)
        done = self._once.do(identity, lambda: self._carried_out(request, path))
        return done or Answer.error(409, "the first request with this id has not ended")

    def _adding(self, method: str, path: str) -> Callable[[Endpoint], Endpoint]:
        def add(endpoint: Endpoint) -> Endpoint:
            self._endpoints[method, path] = endpoint
            return endpoint

        return add

    def _carried_out(self, request: Request, path: str) -> Answer | None:
        endpoint = self._endpoints.get((request.method, path))
        if endpoint is None:
            return Answer.error(404, f"there is no {request.method} {path}")
        try:
            return _as_answer(endpoint(request))
        except ActionError as error:
            return Answer.error(400, str(error))
        except Exception as error:
            return Answer.error(500, f"{type(error).__name__}: {error}")


def _as_answer(made: Json | list[Any] | str | Answer | None) -> Answer | None:
    if made is None or isinstance(made, Answer):
        return made
    return Answer(200, made.encode(), "text/plain; charset=utf-8") if isinstance(made, str) else Answer(200, json.dumps(made).encode())


def serve(app: Application, listening: socket.socket) -> None:
    """Answer requests until the process ends."""
    server(app, listening).serve_forever(poll_interval=None)  # type: ignore[arg-type]  # nobody shuts it down: it need not look whether somebody did


def server(app: Application, listening: socket.socket) -> socketserver.BaseServer:
    """Return what answers requests over a listening socket once it is told to serve, each connection in a thread of its own."""

    class Handler(_Handler):
        application = app

    made = _Server(("", 0), Handler, bind_and_activate=False)
    made.socket.close()
    made.socket = listening
    return made


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True

    def shutdown_request(self, request: Any) -> None:
        """Close a connection when its client has, or after a while: what it still sends would cut off an answer that it has not read."""
        with contextlib.suppress(OSError):
            request.shutdown(socket.SHUT_WR)
            end = time.monotonic() + _LINGERS
            while (left := end - time.monotonic()) > 0:
                request.settimeout(left)
                if not request.recv(65536):
                    break
        self.close_request(request)

    def handle_error(self, *_: object) -> None:
        """Say nothing of clients that leave early: nobody reads it, and a full pipe would hold its thread."""


class _Handler(BaseHTTPRequestHandler):
    """Answers over connections that stay open, without a log: the host keeps the log of its requests."""

    application: Application
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    error_content_type, error_message_format = "application/json", '{"status": "error", "message": "%(message)s"}'

    def do_GET(self) -> None:
        """Answer."""
        answer = self._answer()
        if answer is None:
            self.close_connection = True
            return
        self.send_response_only(answer.status)
        self.send_header("Content-Type", answer.kind)
        self.send_header("Content-Length", str(len(answer.content)))
        self.end_headers()
        self.wfile.write(answer.content)

    def _answer(self) -> Answer | None:
        """Return the answer to a request that has arrived whole; None if it has not, or its connection was taken for something else."""
        length = self.headers.get("Content-Length", "0")
        if not self.application.may_ask(self.path, self.headers):
            self.close_connection = True  # its body is not read
            return Answer.error(401, "this guest wants its token as 'Authorization: Bearer TOKEN'")
        if "Transfer-Encoding" in self.headers or not (length.isascii() and length.isdigit()) or int(length) > _LARGEST:
            self.close_connection = True
            return Answer.error(413, f"a body has a Content-Length of at most {_LARGEST} bytes")
        body = self.rfile.read(int(length))
        if len(body) < int(length):
            return None
        return self.application.answer(Request(self.command, self.path, self.headers, body, self.connection))

    do_POST = do_GET  # noqa: N815 - the names are those of the server

    def log_message(self, *_: object) -> None:
        """Say nothing."""
