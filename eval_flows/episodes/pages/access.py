"""The door of pages: a token in the link opens a session of the browser, which a cookie carries from then on.

The token stands behind # in the link: browsers send that part to no server, so it is in no log; the page `/enter` gives it. There are two tokens:
with one a person acts, with the other they only watch. Acting needs a request from a page of this server, which browsers tell by `Origin`.
"""

import hmac
import secrets
from dataclasses import dataclass
from pathlib import Path

from starlette.requests import HTTPConnection, Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_ROOM = Path(__file__).parent
_OPEN = {"/enter": _ROOM / "enter.html", "/enter.js": _ROOM / "enter.js"}  # they hold nothing secret
_LONGEST_TOKEN = 1000  # bytes
_VISITOR = "deskmill.visitor"  # where the scope of a request holds who asks
_HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "referrer-policy": "same-origin",  # with no-referrer, forms would tell no origin
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",  # what a page shows depends on who looks, and a browser may have two sessions
}


@dataclass(frozen=True)
class Visitor:
    """A session of a browser: its id, which no other browser knows, and whether it may act."""

    identity: str
    may_act: bool


def visitor_of(connection: HTTPConnection) -> Visitor:
    """Return who asks. The guard has let them in."""
    visitor: Visitor = connection.scope[_VISITOR]
    return visitor


class Access:
    """The tokens and the sessions of one server."""

    def __init__(self, acting: str | None = None) -> None:
        """Take the token that lets act; without it, one is made."""
        self.acting = acting or secrets.token_urlsafe(24)
        self.watching = secrets.token_urlsafe(24)
        self.cookie = f"deskmill_{secrets.token_hex(4)}"  # a name of its own: cookies know no ports
        self._visitors: dict[str, Visitor] = {}

    def enter(self, token: bytes) -> str | None:
        """Return the secret of a new session for who gives a token; None if it is no token."""
        may_act = hmac.compare_digest(token, self.acting.encode())
        if not may_act and not hmac.compare_digest(token, self.watching.encode()):
            return None
        secret = secrets.token_urlsafe(24)
        self._visitors[secret] = Visitor(secrets.token_hex(8), may_act)
        return secret

    def visitor(self, connection: HTTPConnection) -> Visitor | None:
        """Return who asks; None without a session."""
        return self._visitors.get(connection.cookies.get(self.cookie, ""))


class Guard:
    """Lets sessions in and nobody else. Only who may act writes, and only from the server's own pages."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        """Take the pages behind the door, and who may come in."""
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it before anything of it is read."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        answer = await self._answer(scope, receive)
        if isinstance(answer, Visitor):
            await self._app({**scope, _VISITOR: answer}, receive, _with_headers(send))
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            await answer(scope, receive, _with_headers(send))

    async def _answer(self, scope: Scope, receive: Receive) -> Visitor | Response:
        """Return who asks, if the pages may answer them, else the answer."""
        connection = HTTPConnection(scope)
        path, method = connection.url.path, scope["method"] if scope["type"] == "http" else ""
        is_read = method in ("GET", "HEAD")
        if is_read and path in _OPEN:
            return FileResponse(_OPEN[path])
        if not is_read and not _is_own(connection):
            return PlainTextResponse("this request does not come from a page of this server", 403)
        if method == "POST" and path == "/enter":
            return await self._entered(Request(scope, receive))
        visitor = self._access.visitor(connection)
        if visitor is None:
            return PlainTextResponse("open the link that deskmill printed: it holds the token", 403)
        if method and not is_read and not visitor.may_act:
            return PlainTextResponse("this link only watches", 403)
        return visitor

    async def _entered(self, request: Request) -> Response:
        """Open a session for who gives a token."""
        given = b""
        async for part in request.stream():
            given += part
            if len(given) > _LONGEST_TOKEN:
                break
        secret = self._access.enter(given)
        if secret is None:
            return PlainTextResponse("this is not the token of this server: open the link that deskmill printed last", 403)
        answer = Response(status_code=204)
        answer.set_cookie(self._access.cookie, secret, httponly=True, samesite="strict")
        return answer


def _is_own(connection: HTTPConnection) -> bool:
    headers = connection.headers
    return headers.get("origin", "").partition("://")[2] == headers.get("host", "-")


def _with_headers(send: Send) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            added = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]
            message = {**message, "headers": [*message["headers"], *added]}
        await send(message)

    return sent
