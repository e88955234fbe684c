"""A machine without a desktop, that notes what is asked of it: enough for what a gateway does with machines."""

import io
from typing import Any, cast

from PIL import Image

from machines.actions import ACTIONS
from machines.client import Observed, Window
from machines.errors import MachineError
from machines.gateway.place import Place, Ports
from machines.machine import Client, Machine, Offers

OFFERS = Offers("linux", "agent", "/home/agent", (1280, 800), {}, frozenset(ACTIONS))


def png(colour: str, size: tuple[int, int] = (64, 49)) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", size, colour).save(file, "PNG")
    return file.getvalue()


class Guest:
    """A client of a machine that notes what it runs; `ends` is what commands end with."""

    def __init__(self) -> None:
        self.ran: list[list[str]] = []
        self.launched: list[list[str]] = []
        self.files: dict[str, bytes] = {}
        self.ends = 0
        self.looks = 0

    def execute(self, command: Any, shell: bool = False) -> dict[str, Any]:
        if not shell:
            self.ran.append(command[4:])
        return {"output": "", "error": "no", "returncode": self.ends}

    def launch(self, command: Any, shell: bool = False) -> None:
        self.launched.append(command[4:])

    def upload(self, path: str, content: bytes) -> None:
        self.files[path] = content

    def open_file(self, path: str) -> None:
        self.launched.append([path])

    def file(self, path: str) -> bytes | None:
        return self.files.get(path)

    def activate_window(self, name: str, strict: bool = False, by_class: bool = False) -> bool:
        return name == "Notes"

    def observe(self, what: Any) -> Observed:
        self.looks += 1
        return Observed(png("red"), "<desktop-frame/>", (Window("Notes", "Editor", 1, 0, 0, 640, 480, True),))


class Counted(Machine):
    """A machine that counts how often it was started, reset and stopped."""

    def __init__(self, fails: bool = False, offers: Offers = OFFERS) -> None:
        self.guest = Guest()
        self.life: list[str] = []
        self.fails = fails
        self._offers = offers

    @property
    def client(self) -> Client:
        return cast("Client", self.guest)

    @property
    def offers(self) -> Offers:
        return self._offers

    @property
    def identity(self) -> dict[str, Any]:
        return {}

    def check(self) -> None:
        return None

    def start(self) -> None:
        if self.fails:
            raise MachineError("it does not come up")
        self.life.append("start")

    def reset(self) -> None:
        self.life.append("reset")

    def stop(self) -> None:
        self.life.append("stop")


def place_of(machine: Counted, name: str = "1") -> Place:
    return Place(name, machine, Ports(5001, 5002, 5003))
