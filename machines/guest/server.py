"""The guest server's own endpoints: readiness, observations, actions, code, and settling.

`/probe`, which says whether the desktop is up, needs no token.
"""

import base64
import threading
import time
from collections.abc import Collection, Sequence
from typing import Any

from machines.guest.actions import Actions
from machines.guest.code.running import Running
from machines.guest.forwarding import add_forwarding
from machines.guest.frame import Frame
from machines.guest.moments import Moments
from machines.guest.page import BROWSER, Page
from machines.guest.platform import Platform, Window
from machines.guest.png import PngWriter
from machines.guest.web import Application, Request

Json = dict[str, Any]


class Guest:
    """The platform and the actions on it, as the endpoints use them."""

    def __init__(self, platform: Platform, programs: dict[str, list[str]], slowness: float = 1.0) -> None:
        self.platform = platform
        self._page = Page(slowness)
        self.actions = Actions(platform, programs)
        self.code = Running(platform)
        self.moments = Moments(platform, self.tree)
        self._writer = PngWriter()
        self._reading = threading.Lock()

    def png(self, frame: Frame | None = None) -> bytes:
        """Return a frame as PNG, or the present screen."""
        return self._writer.png(frame or self.platform.frame())

    def tree(self, windows: Sequence[Window]) -> str:
        """Return the accessibility tree as XML. One tree is read at a time: applications answer one question after another anyway."""
        with self._reading:
            return self.platform.tree(windows)

    def windows(self) -> list[Json]:
        """Return the windows, lowest first."""
        return [window.as_json() for window in self.platform.windows()]

    def dom(self) -> list[Json]:
        """Return what can be used on the page in front: role, name and place; empty if another window is in front."""
        is_in_front = any(window.is_active and window.window_class.lower() == BROWSER for window in self.platform.windows())
        return self._page.elements() if is_in_front else []

    def parts(self, wanted: Collection[str]) -> Json:
        """Return what is wanted beside windows, tree and the picture with the pointer; a picture is not encoded yet."""
        made: Json = {}
        if "screenshot_without_pointer" in wanted:
            made["screenshot_without_pointer"] = self.platform.frame(with_pointer=False)
        if "clipboard" in wanted:
            made["clipboard"] = self.platform.copied()
        if "dom" in wanted:
            made["dom"] = self.dom()
        return made

    def observed(self, wanted: Collection[str]) -> Json:
        """Return the parts that are wanted; with a tree, of one moment."""
        if "tree" in wanted:
            moment = self.moments.now(lambda: self.parts(wanted))
            made = {"tree": moment.tree, "is_still": moment.is_still, "has_changed": moment.has_changed, **moment.more}
            if "windows" in wanted:
                made["windows"] = [window.as_json() for window in moment.windows]
            if "screenshot" in wanted:
                made["screenshot"] = moment.screen
        else:
            made = self.parts(wanted)
            if "windows" in wanted:
                made["windows"] = self.windows()
            if "screenshot" in wanted:
                made["screenshot"] = self.platform.frame()
        return {part: base64.b64encode(self.png(found)).decode() if isinstance(found, Frame) else found for part, found in made.items()}


def create_app(guest: Guest, token: str) -> Application:
    """Return the server; `guest.protocol` adds the endpoints of the published systems."""
    app = Application(token)
    add_forwarding(app)

    @app.get("/probe")
    def probe(_: Request) -> Json:
        return {"status": "Probe successful", "ready": True, "starts": guest.platform.starts}

    @app.get("/state")
    def state(_: Request) -> Json:
        return {
            "windows": guest.windows(),
            "cursor": guest.platform.input.position(),
            "starts": guest.platform.starts,
            "ended_for_memory": guest.platform.ended_for_memory,
        }

    @app.post("/observe")
    def observe(request: Request) -> Json:
        """Return the requested parts (picture with or without the pointer, tree, windows, clipboard, dom); with a tree, of one moment."""
        begun = time.monotonic()
        return {**guest.observed(set(request.json["what"])), "seconds": time.monotonic() - begun}

    @app.post("/act")
    def act(request: Request) -> Json:
        guest.actions.do(request.json["action"])
        return {"status": "success"}

    @app.post("/code/begin")
    def begin_code(request: Request) -> Json:
        return guest.code.begin(str(request.json["code"]))

    @app.post("/code/answer")
    def answer_code(request: Request) -> Json:
        return guest.code.answer(request.json)

    @app.post("/settle")
    def settle(request: Request) -> Json:
        asked = request.json
        return {"settled": guest.platform.settle(float(asked["quiet"]), float(asked["limit"]))}

    return app
