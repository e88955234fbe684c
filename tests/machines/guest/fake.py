"""A platform without a desktop, for the parts of the guest server that every platform shares."""

import contextlib
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

from PIL import Image

from machines.guest.frame import Frame
from machines.guest.platform import ActionError, Screen, Window
from machines.guest.protocol import add_protocol
from machines.guest.server import Guest, create_app
from machines.guest.web import Application, server

TREE = (
    '<desktop xmlns:cp="uri:deskat:component.at-spi.gnome.org" xmlns:win="uri:deskat:uia.windows.microsoft.org"><notepad name="notes.txt" cp:screencoord="(0, 0)" cp:size="(200, 100)">'
    '<x name="Text editor" win:control_type="Edit" cp:screencoord="(10, 10)" cp:size="(100, 50)"/></notepad></desktop>'
)


class FakeInput:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.done: list[tuple[object, ...]] = []

    def move(self, x: int, y: int) -> None:
        self.done.append(("move", x, y))

    def click(self, button: str = "left", times: int = 1, keys: str = "") -> None:
        self.done.append(("click", button, times, keys))

    def button_down(self) -> None:
        self.done.append(("button_down",))

    def button_up(self) -> None:
        self.done.append(("button_up",))

    def scroll(self, direction: str, clicks: int = 3, keys: str = "") -> None:
        self.done.append(("scroll", direction, clicks, keys))

    def drag_along(self, path: Sequence[tuple[int, int]], keys: str = "") -> None:
        self.done.append(("drag_along", *(tuple(place) for place in path), keys))

    def hold(self, combination: str, seconds: float) -> None:
        self.done.append(("hold", combination, seconds))

    def press(self, combination: str) -> None:
        self.done.append(("press", combination))

    def write(self, text: str) -> None:
        self.done.append(("write", text))

    def position(self) -> tuple[int, int]:
        return 3, 4


class FakePlatform:
    """A desktop with one window; commands run on this host, in the home folder of the test."""

    name = "Windows"
    starts = 1
    ended_for_memory = 0
    screen = Screen(200, 100)

    def __init__(self, home: Path) -> None:
        self.home = home
        self.input = FakeInput()
        self.open_windows = [Window(7, "notes.txt", "Notepad", 42, 0, 0, 200, 100, True)]
        self.clipboard = ""
        self.pictures: list[Image.Image] = []
        self.started: list[list[str] | str] = []
        self.activated: list[str] = []
        self.xml = TREE

    def frame(self, with_pointer: bool = True) -> Frame:
        return Frame.of(Image.new("RGB", (200, 100), "navy" if with_pointer else "teal"))

    def settle(self, quiet: float, limit: float) -> bool:
        return quiet <= limit

    def tree(self, windows: Sequence[Window]) -> str:
        return self.xml

    def windows(self) -> list[Window]:
        return list(self.open_windows)

    def activate(self, window: Window) -> None:
        self.activated.append(window.title)

    def close(self, window: Window) -> None:
        self.open_windows.remove(window)

    def copied(self) -> str:
        return self.clipboard

    def copy_text(self, text: str) -> None:
        self.clipboard = text

    def copy_picture(self, picture: Image.Image) -> None:
        self.pictures.append(picture)

    def command(self, given: object, shell: bool) -> list[str] | str:
        if not given:
            raise ActionError("a `command` is wanted, a text or a list of texts")
        words = [str(word) for word in given] if isinstance(given, list) else [str(given)]
        return ["/bin/sh", "-c", " ".join(words)] if shell else words

    def run(self, command: list[str] | str, seconds: float, ends_forks: bool = False) -> "subprocess.CompletedProcess[bytes]":
        return subprocess.run(command, cwd=self.home, capture_output=True, timeout=seconds, check=False)

    def wait_until_up(self, seconds: float) -> None:
        """It never ends."""

    def start(self, command: list[str] | str) -> int:
        if command == ["missing"]:
            raise FileNotFoundError("missing")
        self.started.append(command)
        return 1

    def open_file(self, path: Path) -> None:
        self.started.append(["open", str(path)])

    def recycle(self, path: Path) -> None:
        (self.home / "bin").mkdir(exist_ok=True)
        shutil.move(path, self.home / "bin" / path.name)


def guest(home: Path, programs: dict[str, list[str]] | None = None) -> tuple[FakePlatform, Guest]:
    platform = FakePlatform(home)
    return platform, Guest(platform, programs or {"notepad": ["notepad.exe"]})


def app_of(one: Guest, token: str = "secret") -> Application:
    app = create_app(one, token)
    add_protocol(app, one)
    return app


@contextlib.contextmanager
def serving(app: Application) -> Iterator[str]:
    """The address at which the guest server answers until the end of the block."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        answering = server(app, listening)
        threading.Thread(target=answering.serve_forever, args=(0.02,)).start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            answering.shutdown()
