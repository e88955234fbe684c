"""Machines that the tests of getters look at: a folder of this host, or answers that are told before."""

import io
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from PIL import Image

from eval_flows.episodes.osworld.getters import GETTERS
from machines.client import Window

TREE = """<desktop-frame xmlns:st="https://accessibility.ubuntu.example.org/ns/state">
<application name="Google Chrome"><frame><entry name="Address and search bar">{address}</entry></frame></application>
<application name="gnome-terminal-server"><terminal>user@host:~$ ls
54
</terminal></application></desktop-frame>"""


@dataclass
class FolderGuest:
    """A machine whose files are in a folder of this host, and whose commands run on it."""

    folder: Path
    address: str = "www.united.com/en/us"
    platform: str = "Linux"
    seen: Sequence[Window] = ()

    @property
    def home(self) -> str:
        return str(self.folder / "home")

    @property
    def cache(self) -> Path:
        place = self.folder / "cache"
        place.mkdir(exist_ok=True)
        return place

    def put(self, path: str, content: str | bytes) -> Path:
        place = Path(self.home, path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode() if isinstance(content, str) else content)
        return place

    def execute(self, command: Sequence[str] | str, shell: bool = False) -> Mapping[str, Any]:
        if not shell:
            command = [sys.executable if part in ("python", "python3") else part for part in command]
        try:
            ended = subprocess.run(command, shell=shell, capture_output=True, text=True, timeout=60, check=False)
        except OSError as error:
            return {"output": "", "error": str(error), "returncode": 127}
        return {"output": ended.stdout, "error": ended.stderr, "returncode": ended.returncode}

    def file(self, path: str) -> bytes | None:
        return Path(path).read_bytes() if Path(path).is_file() else None

    def upload(self, path: str, content: bytes) -> None:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_bytes(content)

    def windows(self) -> Sequence[Window]:
        return self.seen

    def screenshot(self) -> bytes:
        made = io.BytesIO()
        Image.new("RGB", (1920, 1080)).save(made, "PNG")
        return made.getvalue()

    def tree(self) -> str:
        return TREE.format(address=escape(self.address))


@dataclass
class ToldGuest(FolderGuest):
    """A machine that prints what was told before: by a part of the command."""

    answers: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)
    shown: str = "<desktop/>"

    @property
    def home(self) -> str:
        return "C:\\Users\\Docker" if self.platform == "Windows" else "/home/user"

    def execute(self, command: Sequence[str] | str, shell: bool = False) -> Mapping[str, Any]:
        line = command if isinstance(command, str) else " ".join(command)
        answer = next((said for part, said in self.answers.items() if part in line), None)
        return {"output": answer or "", "error": "" if answer is not None else "no such thing", "returncode": 0 if answer is not None else 1}

    def file(self, path: str) -> bytes | None:
        return self.files.get(path)

    def tree(self) -> str:
        return self.shown


def got(guest: Any, name: str, **asked: Any) -> Any:
    """Return what a getter brings from a machine."""
    return GETTERS[name](guest, {"type": name, **asked})
