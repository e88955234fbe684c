"""Task files that are made for tests, in the form of OSWorld's, and a machine that is told what to answer."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from eval_flows.episodes.environment.desktop import Desktop
from machines.actions import ACTIONS
from machines.client import Observed, Window
from machines.errors import MachineError
from machines.machine import Machine, Offers, Program

Json = dict[str, Any]
SHEET, GOLD = "https://files.example.org/tasks/sheet.xlsx", "https://files.example.org/tasks/gold.xlsx"
CALC = Program(command=["localc"], window_class="libreoffice-calc", has_tree=False)
OFFERS = Offers("linux", "user", "/home/user", (1280, 800), {"libreoffice_calc": CALC}, frozenset(ACTIONS))


def task(**changes: Any) -> Json:
    """A task that needs nothing but Calc, two files, and a getter and a metric of the commonest kind."""
    made = {
        "id": "0000-made",
        "snapshot": "libreoffice_calc",
        "instruction": "Sum up column B.",
        "source": "made for a test",
        "config": [
            {"type": "download", "parameters": {"files": [{"url": SHEET, "path": "/home/user/sheet.xlsx"}]}},
            {"type": "launch", "parameters": {"command": ["libreoffice", "--calc", "/home/user/sheet.xlsx"]}},
        ],
        "trajectory": "trajectories/",
        "related_apps": ["libreoffice_calc"],
        "evaluator": {
            "func": "compare_table",
            "result": {"type": "vm_file", "path": "/home/user/sheet.xlsx", "dest": "sheet.xlsx"},
            "expected": {"type": "cloud_file", "path": GOLD, "dest": "gold.xlsx"},
            "options": {"rules": [{"type": "sheet_data", "sheet_idx0": 0, "sheet_idx1": "EI0"}]},
        },
        "proxy": False,
    }
    return {**made, **changes}


def step(kind: str, **parameters: Any) -> Json:
    return {"type": kind, "parameters": parameters}


def write(folder: Path, documents: Mapping[str, Json]) -> Path:
    """Task files by their paths in a folder."""
    for name, document in documents.items():
        path = folder / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(document, indent=2))
    return folder


def cached(folder: Path, files: Mapping[str, bytes]) -> Path:
    """A cache folder that a person has filled by hand."""
    for address, content in files.items():
        path = folder / address.partition("://")[2]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


@dataclass
class Client:
    """A guest that notes what it is asked for, and answers as it is told. `dies_at` names a call at which it stops to answer."""

    files: dict[str, bytes] = field(default_factory=dict)
    windows: list[Window] = field(default_factory=list)
    says: dict[str, Json] = field(default_factory=dict)
    refuses: str = ""
    dies_at: str = ""
    asked: list[tuple[Any, ...]] = field(default_factory=list)

    def _note(self, name: str, *given: Any) -> None:
        self.asked.append((name, *given))
        if self.dies_at and self.dies_at in (name, "all"):
            self.dies_at = "all"
            raise MachineError("the guest does not answer")
        if self.refuses == name:
            raise MachineError("the guest answered 500: refused")

    def upload(self, path: str, content: bytes) -> None:
        self._note("upload", path)
        self.files[path] = content

    def file(self, path: str) -> bytes | None:
        self._note("file", path)
        return self.files.get(path)

    def execute(self, command: list[str] | str, shell: bool = False) -> Json:
        self._note("execute", command, shell)
        return self.says.get(str(command), {"output": "", "error": "", "returncode": 0})

    def launch(self, command: list[str] | str, shell: bool = False) -> None:
        self._note("launch", command, shell)
        if "calc" in str(command):
            self.windows.append(window("sheet.xlsx - LibreOffice Calc", "libreoffice-calc"))

    def activate_window(self, name: str, strict: bool = False, by_class: bool = False) -> bool:
        self._note("activate_window", name, strict, by_class)
        return True

    def close_window(self, name: str, strict: bool = False, by_class: bool = False) -> bool:
        self._note("close_window", name, strict, by_class)
        return True

    def open_file(self, path: str) -> None:
        self._note("open_file", path)

    def close_all(self) -> None:
        self._note("close_all")

    def state(self) -> Json:
        self._note("state")
        return {}

    def settle(self, quiet: float = 0, limit: float = 0) -> bool:
        return True

    def observe(self, what: Iterable[str]) -> Observed:
        return Observed(tree="<tree/>", windows=tuple(self.windows), screenshot=None)

    @property
    def done(self) -> list[tuple[Any, ...]]:
        """What it was asked to do, without looks at files."""
        return [one for one in self.asked if one[0] not in ("file", "state")]


def window(title: str, window_class: str) -> Window:
    return Window(title, window_class, 1, 0, 0, 100, 100, True)


def desktop_of(client: Client) -> Desktop:
    made = Desktop(cast("Any", client), OFFERS)
    made.wait_until_ready = lambda program: client.asked.append(("ready", program))  # type: ignore[method-assign]
    return made


@dataclass
class Fake:
    """A machine whose guest is such a client."""

    client: Client
    offers: Offers = OFFERS
    exists_once: bool = False

    def start(self) -> None:
        self.client.asked.append(("start",))

    def reset(self) -> None:
        self.client.asked.append(("reset",))

    def stop(self) -> None:
        self.client.asked.append(("stop",))

    @property
    def as_machine(self) -> Machine:
        return cast("Machine", self)
