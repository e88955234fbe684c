"""The stand-in for Windows that our guest server runs on: windows in their order, keys for the one in front, and commands."""

import base64
import json
import re
import shlex
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from zipfile import BadZipFile

from PIL import Image

from eval_flows.episodes.environment.side_effects.windows_home import ASKED, SCRIPT
from machines.guest.frame import Frame
from machines.guest.on_windows.tree_xml import tree_as_xml
from machines.guest.platform import ActionError, Screen, Window
from tests.eval_flows.episodes.simulated_windows.disk import Disk
from tests.eval_flows.episodes.simulated_windows.powershell import PowerShell
from tests.eval_flows.episodes.simulated_windows.programs import Calculator, Notepad, Paint, Program, SaveAs, Typed
from tests.eval_flows.episodes.simulated_windows.registry import Registry
from tests.machines.guest.fake import FakeInput

_PLAIN = {"explorer.exe": ("File Explorer", "CabinetWClass"), "msedge.exe": ("New tab - Microsoft Edge", "Chrome_WidgetWin_1")}
_FAILURES = (OSError, KeyError, ValueError, BadZipFile)
_ASKED = re.compile(re.escape(ASKED) + r"'((?:[^']|'')*)'\n(.*)", re.DOTALL)


class SimulatedInput(FakeInput):
    """Keys go to the window in front; the mouse does nothing, since no oracle needs it."""

    def __init__(self, platform: "SimulatedWindows") -> None:
        super().__init__()
        self._platform = platform

    def press(self, combination: str) -> None:
        self._platform.press(combination)

    def write(self, text: str) -> None:
        self._platform.front.write(text)
        self._platform.after_typing(text)


class SimulatedWindows:
    """The platform. `reset` brings its snapshot back."""

    name = "Windows"
    starts = 1
    ended_for_memory = 0
    screen = Screen(1280, 800)

    def __init__(self, root: Path) -> None:
        self.disk = Disk(root)
        self.home = root
        self.input = SimulatedInput(self)
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self.disk.clear()
        self.registry, self.open, self.clipboard = Registry(), list[Program](), ""

    @property
    def front(self) -> Program:
        """Return the window in front; a desktop without one takes no keys."""
        return self.open[-1] if self.open else Program("", "", "")

    def press(self, keys: str) -> None:
        """Take keys: those of the desktop, those that paste, and those of the window in front."""
        if keys == "super+r":
            self.open.append(Typed("Run", "#32770", "explorer", self._ran))
        elif keys == "ctrl+v":
            self.front.paste(self.clipboard)
        elif keys == "enter":
            self.input.write("\n")
            self.front.press(keys)
        elif (dialog := self.front.press(keys)) is not None:
            self.open.append(dialog)

    def after_typing(self, text: str) -> None:
        """Close the dialog of a name when it is taken."""
        if isinstance(dialog := self.front, SaveAs) and text.endswith("\n"):
            self.open.remove(dialog)
            dialog.editor.save(self.disk.local(dialog.chosen()))

    def _ran(self, line: str) -> None:
        self.open.pop()
        self.start(shlex.split(line.replace("\\", "\\\\")))

    def start(self, command: list[str] | str) -> int:
        """Start a program by its command line."""
        name, *arguments = command if isinstance(command, list) else [command]
        name = name.lower().removesuffix(".exe") + ".exe"
        given = arguments[0] if arguments else ""
        if name == "powershell.exe":
            self._open_console()
        elif name == "notepad.exe":
            self.open.append(Notepad.of(self.disk.local(given) if given else None))
        elif name == "calc.exe":
            self.open.append(Calculator("Calculator", "ApplicationFrameWindow", "calculatorapp"))
        elif name == "mspaint.exe":
            file = self.disk.local(given) if given else None
            self.open.append(Paint(f"{file.name if file else 'Untitled'} - Paint", "MSPaintApp", "mspaint", file, _picture(file) if file else None))
        elif given.startswith("ms-settings:"):
            self.open.append(Program("Settings", "ApplicationFrameWindow", "systemsettings"))
        else:
            title, window_class = _PLAIN[name]
            self.open.append(Program(given.rpartition("\\")[2] or title, window_class, name.removesuffix(".exe")))
        return 1

    def _open_console(self) -> None:
        shell = PowerShell(self.disk, self.registry, self.copy_text, self._end)

        def enter(line: str) -> None:
            if line.strip() == "exit":
                self.open.remove(console)
            else:
                with suppress(*_FAILURES):  # a console says what failed, and goes on
                    shell.run(line)

        console = Typed("Windows PowerShell", "ConsoleWindowClass", "powershell", enter)
        self.open.append(console)

    def _end(self, program: str) -> None:
        self.open = [one for one in self.open if one.process != program.lower()]

    def run(self, command: list[str] | str, seconds: float, ends_forks: bool = False) -> "subprocess.CompletedProcess[bytes]":
        """Run one of the commands that makers, checks and proofs use."""
        assert isinstance(command, list)
        output, error, code = self._said(command[0].lower(), command[1:])
        return subprocess.CompletedProcess(command, code, output.encode(), error.encode())

    def _said(self, name: str, words: list[str]) -> tuple[str, str, int]:
        if name == "reg.exe":
            return self.registry.run(words)
        if name == "attrib.exe":
            return self.disk.attrib(words), "", 0
        assert name == "powershell.exe", f"the simulated guest does not know the command {name}"
        script = base64.b64decode(words[-1]).decode("utf-16-le")
        if (asked := _ASKED.fullmatch(script)) is not None and asked[2] == SCRIPT:
            return self.disk.listed(json.loads(asked[1].replace("''", "'"))), "", 0
        is_removal = script.startswith("Remove-Item -Force -ErrorAction SilentlyContinue")
        try:
            PowerShell(self.disk, self.registry, self.copy_text, self._end).run(script)
        except _FAILURES as failure:
            return "", str(failure), 0 if is_removal else 1
        return "", "", 0

    def windows(self) -> list[Window]:
        """Return the windows, the lowest first."""
        last = len(self.open) - 1
        return [Window(number, one.title, one.window_class, 100 + number, 0, 0, 1280, 800, number == last) for number, one in enumerate(self.open)]

    def tree(self, windows: Sequence[Window]) -> str:
        """Return the tree as our guest server on Windows writes it."""
        return tree_as_xml([one.tree() for one in reversed(self.open)], [])

    def frame(self, with_pointer: bool = True) -> Frame:
        """Return an empty screen: no oracle looks at it."""
        return Frame.of(Image.new("RGB", (1280, 800), "navy"))

    def settle(self, quiet: float, limit: float) -> bool:
        """Return at once: nothing moves."""
        return True

    def activate(self, window: Window) -> None:
        """Bring a window to the front."""
        self.open.append(self.open.pop(window.identity))

    def close(self, window: Window) -> None:
        """Close a window."""
        self.open.pop(window.identity)

    def copied(self) -> str:
        """Return the text in the clipboard."""
        return self.clipboard

    def copy_text(self, text: str) -> None:
        """Put a text into the clipboard."""
        self.clipboard = text

    def copy_picture(self, picture: Image.Image) -> None:
        """No oracle copies a picture."""
        raise ActionError("the simulated guest copies no pictures")

    def command(self, given: object, shell: bool) -> list[str] | str:
        """Return a command; none needs a shell."""
        assert isinstance(given, Sequence) and not isinstance(given, str) and not shell
        return [str(word) for word in given]

    def wait_until_up(self, seconds: float) -> None:
        """It is always up."""

    def open_file(self, path: Path) -> None:
        """No task needs it."""
        raise ActionError("the simulated guest opens no files")

    def recycle(self, path: Path) -> None:
        """No task needs it."""
        raise ActionError("the simulated guest has no bin")


def _picture(file: Path) -> Image.Image:
    with Image.open(file) as found:
        return found.convert("RGB")
