"""The statements of PowerShell that oracles, other ways and near misses use, each by a pattern: a statement that none of them fits is an error."""

import io
import json
import re
import shutil
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from PIL import Image

from tests.eval_flows.episodes.simulated_windows.disk import Disk
from tests.eval_flows.episodes.simulated_windows.registry import Registry
from tests.eval_flows.episodes.simulated_windows.shortcut import shortcut

_TEXT = r"'((?:[^']|'')*)'"
_STATEMENT = re.compile(r"(?:'(?:[^']|'')*'|\"[^\"]*\"|[^;\n'\"])+")
_WORD = re.compile(r"\"([^\"]*)\"|'((?:[^']|'')*)'|([^\s,]+)")
_OF_FILE = r"\[Drawing\.Image\]::FromStream\(\[IO\.MemoryStream\]::new\(\[IO\.File\]::ReadAllBytes\(" + _TEXT + r"\)\)\)"
_TURNS = {
    "Rotate180FlipNone": Image.Transpose.ROTATE_180,
    "RotateNoneFlipY": Image.Transpose.FLIP_TOP_BOTTOM,
    "RotateNoneFlipX": Image.Transpose.FLIP_LEFT_RIGHT,
}


class PowerShell:
    """A console of its own: its variables last as long as it does. `copy` and `end` are the clipboard's and the list of programs'."""

    def __init__(self, disk: Disk, registry: Registry, copy: Callable[[str], None], end: Callable[[str], None]) -> None:
        self._disk, self._registry = disk, registry
        self._copy, self._end = copy, end
        self._variables: dict[str, Any] = {}
        self._patterns: list[tuple[str, Callable[..., object]]] = [
            (r"(?:\$ErrorActionPreference|\$ProgressPreference|Add-Type|Set-Location|if \(\$LASTEXITCODE\)).*", lambda: None),
            (r"\$(\w+) = " + _OF_FILE, lambda name, path: self._set(name, Image.open(io.BytesIO(self._at(path).read_bytes())))),
            (r"\$(\w+)\.RotateFlip\('(\w+)'\)", self._turn),
            (r"\$(\w+) = \[Drawing\.Bitmap\]::new\(\$(\w+), (\d+), (\d+)\)", self._resize),
            (r"\$(\w+) = \[Drawing\.Bitmap\]::new\((\d+), (\d+)(?: \+ (\d+))?\)", self._blank),
            (r"\$(\w+) = \$(\w+)\.Clone\(\[Drawing\.Rectangle\]::new\((\d+), (\d+), (\d+), (\d+)\), .*\)", self._crop),
            (r"\$(\w+) = \[Drawing\.Graphics\]::FromImage\(\$(\w+)\)", lambda name, other: self._set(name, self._variables[other])),
            (r"\$(\w+)\.Clear\('(\w+)'\)", lambda name, colour: self._variables[name].paste(colour, (0, 0, *self._variables[name].size))),
            (r"\$(\w+)\.DrawImage\(\$(\w+), (\d+), (\d+), (\d+), (\d+)\)", self._draw),
            (r"\$(\w+)\.Save\(" + _TEXT + r", \[Drawing\.Imaging\.ImageFormat\]::(\w+)\)", self._save),
            (r"\$(\w+)\.Save\(" + _TEXT + r", \$(\w+)\.RawFormat\)", lambda name, path, _: self._save(name, path, _ending(path))),
            (r"\$(\w+) = \(New-Object -ComObject WScript\.Shell\)\.CreateShortcut\(" + _TEXT + r"\)", self._set),
            (r"\$(\w+)\.TargetPath = " + _TEXT, lambda name, path: self._set(f"{name}.target", path)),
            (r"\$(\w+)\.Save\(\)", lambda name: self._at(self._variables[name]).write_bytes(shortcut(self._variables[f"{name}.target"]))),
            (r"\$(\w+) = Get-Item -Force -LiteralPath " + _TEXT, lambda name, path: self._set(name, self._at(path))),
            (r"\$(\w+)\.Attributes = \$\1\.Attributes -bor \[IO\.FileAttributes\]\(" + _TEXT + " -replace '-', ''\\)", self._add_attribute),
            (r"\[IO\.File\]::WriteAllText\(" + _TEXT + ", " + _TEXT + r"\)", lambda path, text: self._at(path).write_text(text)),
            (r"\$(\w+) = Get-Content -Raw -Encoding UTF8 -LiteralPath " + _TEXT + r" \| ConvertFrom-Json", self._read_json),
            (r"\$(\w+) \| Add-Member -Force (\w+) \(ConvertFrom-Json \(" + _TEXT + r" -replace '\\\\', '\\\\'\)\)", self._add_member),
            (
                r"\[IO\.File\]::WriteAllText\(" + _TEXT + r", \(ConvertTo-Json -Depth 100 -Compress \$(\w+)\)\)",
                lambda path, name: self._at(path).write_text(json.dumps(self._variables[name])),
            ),
        ]
        self._cmdlets: dict[str, Callable[[list[str], dict[str, str]], object]] = {
            "new-item": lambda words, _: self._at(words[0]).mkdir(parents=True),
            "set-content": self._set_content,
            "copy-item": self._copy_item,
            "move-item": lambda words, _: self._each(words, self._disk.move),
            "rename-item": lambda words, _: self._disk.move(self._at(words[0]), self._at(words[0]).parent / words[1]),
            "remove-item": self._remove_item,
            "compress-archive": self._compress,
            "expand-archive": lambda words, given: zipfile.ZipFile(self._at(words[0])).extractall(self._at(given["destinationpath"])),
            "unblock-file": lambda words, _: self._at(f"{words[0]}:Zone.Identifier").unlink(),
            "set-clipboard": lambda words, _: self._copy(words[0]),
            "stop-process": lambda _, given: self._end(given["name"]),
            "set-itemproperty": lambda words, given: self._registry.set(words[0], given["name"], _data(given["value"])),
        }

    def run(self, script: str) -> None:
        """Carry the statements out; `AssertionError` for one that is not known, `OSError` and the like for one that fails."""
        for found in _STATEMENT.finditer(script):
            statement = found[0].strip()
            if statement:
                self._carry_out(statement)

    def _carry_out(self, statement: str) -> None:
        for pattern, do in self._patterns:
            fits = re.fullmatch(pattern, statement)
            if fits is not None:
                do(*(part.replace("''", "'") if part is not None else None for part in fits.groups()))
                return
        words = list(_words(statement))
        name = words[0].lower().removesuffix(".exe")
        if name == "reg":
            _, error, code = self._registry.run(words[1:])
            assert code == 0, error
        elif name == "attrib":
            self._disk.attrib(words[1:])
        else:
            assert name in self._cmdlets, f"the simulated guest does not know the statement {statement!r}"
            self._cmdlets[name](*_arguments(words[1:]))

    def _at(self, path: str) -> Path:
        return self._disk.local(path)

    def _set(self, name: str, value: object) -> None:
        self._variables[name] = value

    def _turn(self, name: str, how: str) -> None:
        self._variables[name] = self._variables[name].transpose(_TURNS[how])

    def _resize(self, name: str, other: str, width: str, height: str) -> None:
        self._variables[name] = self._variables[other].convert("RGB").resize((int(width), int(height)))

    def _blank(self, name: str, width: str, height: str, more: str | None) -> None:
        self._variables[name] = Image.new("RGB", (int(width), int(height) + int(more or 0)))

    def _crop(self, name: str, other: str, *box: str) -> None:
        x, y, width, height = map(int, box)
        self._variables[name] = self._variables[other].crop((x, y, x + width, y + height))

    def _draw(self, name: str, other: str, *box: str) -> None:
        x, y, width, height = map(int, box)
        self._variables[name].paste(self._variables[other].convert("RGB").resize((width, height)), (x, y))

    def _save(self, name: str, path: str, kind: str) -> None:
        self._variables[name].convert("RGB").save(self._at(path), kind.upper())

    def _add_attribute(self, name: str, word: str) -> None:
        self._disk.attributes_of(self._variables[name]).add({"read-only": "R", "hidden": "H"}[word])

    def _read_json(self, name: str, path: str) -> None:
        self._variables[name] = json.loads(self._at(path).read_text())

    def _add_member(self, name: str, member: str, data: str) -> None:
        self._variables[name][member] = json.loads(data.replace("\\", "\\\\"))

    def _set_content(self, words: list[str], given: dict[str, str]) -> None:
        self._at(words[0]).write_text("".join(f"{line}\r\n" for line in words[1:]), newline="")

    def _copy_item(self, words: list[str], given: dict[str, str]) -> None:
        def copy(source: Path, target: Path) -> None:
            if source.is_dir():
                shutil.copytree(source, target)
            else:
                shutil.copyfile(source, target)

        self._each(words, copy)

    def _each(self, words: list[str], do: Callable[[Path, Path], object]) -> None:
        target = self._at(words[1])
        for source in self._disk.found(words[0]):
            do(source, target / source.name if target.is_dir() else target)

    def _remove_item(self, words: list[str], given: dict[str, str]) -> None:
        for place in [self._at(f"{words[0]}:{given['stream']}")] if "stream" in given else self._disk.found(words[0]):
            self._remove(place)

    def _remove(self, place: Path) -> None:
        for stream in place.parent.glob(f"{place.name}:*"):
            stream.unlink()
        if place.is_dir():
            shutil.rmtree(place)
        else:
            place.unlink()

    def _compress(self, words: list[str], given: dict[str, str]) -> None:
        with zipfile.ZipFile(self._at(given["destinationpath"]), "w") as archive:
            for source in self._disk.found(words[0]):
                for file in sorted(source.rglob("*")) if source.is_dir() else [source]:
                    if file.is_file():
                        archive.write(file, str(file.relative_to(source.parent)).replace("/", "\\"))  # as PowerShell 5.1 writes names


def _ending(path: str) -> str:
    ending = path.rpartition(".")[2].lower()
    return {"jpg": "jpeg", "tif": "tiff"}.get(ending, ending)


def _data(text: str) -> str | int:
    return int(text) if re.fullmatch(r"\d+", text) else text.removeprefix("\0")


def _words(statement: str) -> Iterator[str]:
    """Yield the words; a number in quotes is a text, as in PowerShell, and begins with a mark of ours."""
    for in_two, in_one, plain in _WORD.findall(statement):
        quoted = in_two or in_one.replace("''", "'")
        yield plain or (f"\0{quoted}" if quoted.isdigit() else quoted)


def _arguments(words: list[str]) -> tuple[list[str], dict[str, str]]:
    """Return the words without names, and what stands behind a name; the first path has a name or not."""
    plain: list[str] = []
    given: dict[str, str] = {}
    left = iter(words)
    for word in left:
        name = word.lower().removeprefix("-")
        if not word.startswith("-") or len(word) == 1:
            plain.append(word.removeprefix("\0"))
        elif name in ("path", "literalpath", "destination", "value") and "name" not in given:
            plain.append(next(left).removeprefix("\0"))
        elif name in ("itemtype", "destinationpath", "name", "value", "stream", "erroraction"):
            given[name] = next(left)
    return plain, given
