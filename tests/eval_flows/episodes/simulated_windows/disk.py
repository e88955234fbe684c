"""The home folder of the simulated guest: its paths as Windows writes them, attributes, and streams such as `setup.exe:Zone.Identifier`."""

import base64
import hashlib
import json
import shutil
from collections.abc import Iterator, Mapping
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

HOME = "C:\\Users\\Docker"
_FOLDERS = ("Desktop", "Documents", "Downloads", "Music", "Pictures", "Videos")
_EDGE = "AppData/Local/Microsoft/Edge/User Data/Default"


class Disk:
    """A folder of this host that stands for the home folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.attributes: dict[Path, set[str]] = {}

    def clear(self) -> None:
        """Make the home folder as it is in the snapshot."""
        shutil.rmtree(self.root, ignore_errors=True)
        self.attributes.clear()
        for name in (*_FOLDERS, _EDGE):
            (self.root / name).mkdir(parents=True)
        (self.root / _EDGE / "Preferences").write_text('{"browser": {"has_seen_welcome_page": true}}')
        (self.root / "Documents" / "about this computer.txt").write_text("It belongs to the reading room.\n")

    def local(self, path: str) -> Path:
        """Return the place of a path on this host; a relative one begins at the home folder."""
        plain = path.replace("\\", "/")
        home = HOME.replace("\\", "/")
        if plain.lower().startswith(home.lower()):
            return self.root / plain[len(home) :].lstrip("/")
        assert plain[1:2] != ":", f"the simulated guest has no other folder than its home: {path}"
        return self.root / plain

    def found(self, path: str) -> list[Path]:
        """Return the files of a path whose last part may have a star."""
        place = self.local(path)
        return sorted(one for one in place.parent.iterdir() if fnmatch(one.name, place.name)) if "*" in place.name else [place]

    def attributes_of(self, place: Path) -> set[str]:
        """Return the letters of its attributes."""
        return self.attributes.setdefault(place, {"A"})

    def attrib(self, words: list[str]) -> str:
        """Do what `attrib.exe` does, and return its output."""
        path = next(word for word in words if word[0] not in "+-")
        place = self.local(path)
        if not place.exists():
            return f"File not found - {path}\r\n"
        for word in (word for word in words if word[0] in "+-"):
            (self.attributes_of(place).add if word[0] == "+" else self.attributes_of(place).discard)(word[1].upper())
        has = self.attributes_of(place)
        letters = "".join(letter if letter in has else " " for letter in "A  SHR")
        return "" if len(words) > 1 else f"{letters:<21}{path}\r\n"

    def move(self, source: Path, target: Path) -> None:
        """Move a file with its streams and attributes."""
        self.attributes[target] = self.attributes.pop(source, {"A"})
        for stream in source.parent.glob(f"{source.name}:*"):
            stream.rename(target.parent / stream.name.replace(source.name, target.name, 1))
        source.replace(target)

    def listed(self, asked: Mapping[str, Any]) -> str:
        """Answer as `list_home.ps1` does."""
        entries = [self._entry(place, path, asked) for path, place in self._below(self.root, "", asked["own"])]
        for path in asked["watched"]:
            place = self.local(path)
            if place.is_file() and _is_own(path, asked["own"]):
                entries.append(self._entry(place, path, asked))
        return base64.b64encode(json.dumps({"entries": entries}).encode()).decode()

    def _below(self, folder: Path, before: str, own: list[str]) -> Iterator[tuple[str, Path]]:
        for place in sorted(folder.iterdir()):
            path = before + place.name
            if ":" in place.name or _is_own(path, own):
                continue
            yield path, place
            if place.is_dir():
                yield from self._below(place, f"{path}/", own)

    def _entry(self, place: Path, path: str, asked: Mapping[str, Any]) -> dict[str, Any]:
        mode = "".join(letter for letter in "RHS" if letter in self.attributes.get(place, ()))
        if place.is_dir():
            return {"path": path, "kind": "d", "mode": mode, "size": 0}
        content = place.read_bytes()
        made = {"path": path, "kind": "f", "mode": mode, "size": len(content), "digest": hashlib.sha256(content).hexdigest().upper()}
        return made | ({"content": base64.b64encode(content).decode()} if asked["contents"] else {})


def _is_own(path: str, own: list[str]) -> bool:
    return any(fnmatch(path.lower(), pattern.lower()) for pattern in own)
