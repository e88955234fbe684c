"""The guest server's own endpoints: readiness, observations, actions that are carried out once even if sent again, and settling.

Every request needs the token, except `/probe`, which says whether the desktop is up. Errors are JSON: `{"status": "error", "message": ...}`.
"""

import base64
import hmac
import io
import threading
import time
from typing import Any

from flask import Flask, Response, g, jsonify, request
from PIL import Image
from werkzeug.exceptions import HTTPException

from machines.guest.actions import Actions
from machines.guest.moments import Moments
from machines.guest.page import BROWSER, Page
from machines.guest.platform import ActionError, Platform

Json = dict[str, Any]
_KEPT_ANSWERS = 1000


class Guest:
    """The platform and the actions on it, as the endpoints use them."""

    def __init__(self, platform: Platform, programs: dict[str, list[str]], slowness: float = 1.0) -> None:
        self.platform = platform
        self._page = Page(slowness)
        self.actions = Actions(platform, programs)
        self.moments = Moments(platform, self.tree)
        self._reading = threading.Lock()

    def png(self, with_pointer: bool = True) -> bytes:
        """Return the screen as PNG."""
        return as_png(self.platform.picture(with_pointer))

    def tree(self) -> str:
        """Return the accessibility tree as XML. One tree is read at a time: applications answer one question after another anyway."""
        with self._reading:
            return self.platform.tree()

    def windows(self) -> list[Json]:
        """Return the windows, lowest first."""
        return [window.as_json() for window in self.platform.windows()]

    def dom(self) -> list[Json]:
        """Return what can be used on the page in front: role, name and place; empty if another window is in front."""
        is_in_front = any(window.is_active and window.window_class.lower() == BROWSER for window in self.platform.windows())
        return self._page.elements() if is_in_front else []


def as_png(picture: Image.Image) -> bytes:
    """Return a picture as PNG, with light compression: speed counts more than size here."""
    file = io.BytesIO()
    picture.save(file, "PNG", compress_level=1)
    return file.getvalue()


def create_app(guest: Guest, token: str) -> Flask:
    """Return the server; `guest.protocol` adds the endpoints of the published systems."""
    app = Flask("guest")

    @app.before_request
    def check_token() -> tuple[Response, int] | None:
        given = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if request.path != "/probe" and not hmac.compare_digest(given.encode(), token.encode()):
            return jsonify(status="error", message="this guest wants its token as 'Authorization: Bearer TOKEN'"), 401
        return None

    @app.errorhandler(Exception)
    def say_what_went_wrong(error: Exception) -> tuple[Response, int]:
        if isinstance(error, HTTPException):
            return jsonify(status="error", message=error.description), error.code or 500
        known = isinstance(error, ActionError)
        return jsonify(status="error", message=str(error) if known else f"{type(error).__name__}: {error}"), 400 if known else 500

    _add_once_only(app)

    @app.get("/probe")
    def probe() -> Json:
        return {"status": "Probe successful", "ready": True, "starts": guest.platform.starts}

    @app.get("/state")
    def state() -> Json:
        return {
            "windows": guest.windows(),
            "cursor": guest.platform.input.position(),
            "starts": guest.platform.starts,
            "ended_for_memory": guest.platform.ended_for_memory,
        }

    @app.post("/observe")
    def observe() -> Json:
        """Return the requested parts (picture with or without the pointer, tree, windows, clipboard, dom); with a tree, of one moment."""
        wanted = set(request.get_json()["what"])
        begun = time.monotonic()
        made: Json = {}
        if "tree" in wanted:
            moment = guest.moments.now()
            made |= {"tree": moment.tree, "is_still": moment.is_still, "has_changed": moment.has_changed}
            if "windows" in wanted:
                made["windows"] = [window.as_json() for window in moment.windows]
            if "screenshot" in wanted:
                made["screenshot"] = base64.b64encode(as_png(moment.picture)).decode()
        else:
            if "windows" in wanted:
                made["windows"] = guest.windows()
            if "screenshot" in wanted:
                made["screenshot"] = base64.b64encode(guest.png()).decode()
        if "screenshot_without_pointer" in wanted:
            made["screenshot_without_pointer"] = base64.b64encode(guest.png(with_pointer=False)).decode()
        if "clipboard" in wanted:
            made["clipboard"] = guest.platform.copied()
        if "dom" in wanted:
            made["dom"] = guest.dom()
        return {**made, "seconds": time.monotonic() - begun}

    @app.post("/act")
    def act() -> Json:
        guest.actions.do(request.get_json()["action"])
        return {"status": "success"}

    @app.post("/settle")
    def settle() -> Json:
        asked = request.get_json()
        return {"settled": guest.platform.settle(float(asked["quiet"]), float(asked["limit"]))}

    return app


def _add_once_only(app: Flask) -> None:
    """Give a request with a `Request-Id` that was seen before the answer of the first one, also while the first one is still running."""
    answers: dict[str, tuple[int, bytes, str] | threading.Event] = {}
    lock = threading.Lock()

    @app.before_request
    def answer_again() -> Response | None:
        identity = request.headers.get("Request-Id")
        if identity is None:
            return None
        with lock:
            known = answers.get(identity)
            if known is None:
                answers[identity] = threading.Event()
                g.first_of = identity
                while len(answers) > _KEPT_ANSWERS:
                    answers.pop(next(iter(answers)))
                return None
        if isinstance(known, threading.Event):
            known.wait(timeout=120)
            with lock:
                known = answers.get(identity)
        if not isinstance(known, tuple):
            return Response('{"status": "error", "message": "the first request with this id has not ended"}', 409, mimetype="application/json")
        status, body, kind = known
        return Response(body, status, mimetype=kind)

    @app.after_request
    def keep(response: Response) -> Response:
        identity = g.pop("first_of", None)
        if identity is not None:
            with lock:
                begun = answers.get(identity)
                answers[identity] = (response.status_code, response.get_data(), response.mimetype or "application/json")
            if isinstance(begun, threading.Event):
                begun.set()
        return response
