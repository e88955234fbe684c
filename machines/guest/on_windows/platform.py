"""Windows as the guest server sees it: the desktop of the user who is logged on."""

import ctypes
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO

from PIL import Image

from machines.guest.frame import Frame
from machines.guest.on_windows import clipboard, screen, window_list
from machines.guest.on_windows.accessibility import Accessibility, connected
from machines.guest.on_windows.api import DWORD, Api, FileOperation
from machines.guest.on_windows.input import Input, pressed
from machines.guest.on_windows.tree_xml import tree_as_xml
from machines.guest.platform import ActionError, Screen, Window
from machines.guest.settling import settled

_TREE_SECONDS = 8.0
_PHYSICAL_PIXELS = ctypes.c_void_p(-4)  # DPI_AWARENESS_CONTEXT_PER_MONITOR_AWARE_V2: otherwise places are scaled
_RESTORE, _CLOSE, _NOTHING, _UNLESS_HUNG = 9, 0x10, 0, 0x2  # SW_RESTORE, WM_CLOSE, WM_NULL, SMTO_ABORTIFHUNG
_ANSWERS_WITHIN = 50  # milliseconds
_ASK_LIMITED, _DELETE, _INTO_THE_BIN = 0x1000, 3, 0x40 | 0x10 | 0x4 | 0x400  # without a question, a progress window or an error window
_NO_CONSOLE, _OWN_GROUP = 0x08000000, 0x200
_NO_PROGRAM = 32  # what ShellExecute returns at most if it fails


class Windows:
    """The platform. `libraries` loads libraries by their names."""

    name = "Windows"
    starts = 1
    ended_for_memory = 0

    def __init__(self, home: Path, libraries: Callable[[str], Any] = ctypes.CDLL) -> None:
        self._api = Api(libraries)
        self._list = (libraries("user32.dll"), libraries("dwmapi.dll"))  # apart from the functions in `Api`, whose types differ
        self._api.SetProcessDpiAwarenessContext(_PHYSICAL_PIXELS)
        self.home = home
        self.screen = Screen(self._api.GetSystemMetrics(0), self._api.GetSystemMetrics(1))
        self.input = Input(self._api, self.screen)
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="tree")  # UI Automation is asked by the thread that connected

    def frame(self, with_pointer: bool = True) -> Frame:
        """Return the screen."""
        return screen.taken(self._api, self.screen, with_pointer)

    def settle(self, quiet: float, limit: float) -> bool:
        """Wait until nothing on the screen changes, and the window in front answers, for `quiet` seconds."""
        return settled(lambda: zlib.adler32(self.frame().pixels), self._is_front_busy, quiet, limit)

    def _is_front_busy(self) -> bool:
        front, said = self._api.GetForegroundWindow(), ctypes.c_void_p()
        return bool(front) and not self._api.SendMessageTimeoutW(front, _NOTHING, None, None, _UNLESS_HUNG, _ANSWERS_WITHIN, ctypes.byref(said))

    @cached_property
    def _accessibility(self) -> Accessibility:
        return connected(_TREE_SECONDS, self._program)

    def tree(self, windows: Sequence[Window]) -> str:
        """Return the accessibility tree as XML."""
        return self._reader.submit(lambda: tree_as_xml(*self._accessibility.tree())).result()

    def _program(self, process: int) -> str:
        """Return the name of the program of a process, without `.exe`; empty if Windows does not tell."""
        handle = self._api.OpenProcess(_ASK_LIMITED, 0, process)
        if not handle:
            return ""
        name, length = ctypes.create_unicode_buffer(1024), DWORD(1024)
        self._api.QueryFullProcessImageNameW(handle, 0, name, ctypes.byref(length))
        self._api.CloseHandle(handle)
        return name.value.rpartition("\\")[2].lower().removesuffix(".exe")

    def windows(self) -> list[Window]:
        """Return the windows from the lowest to the highest."""
        return [Window(**one) for one in window_list.listed(*self._list)]

    def activate(self, window: Window) -> None:
        """Bring a window to the front. Windows allows that only to a program that has just had input, so a key is pressed first."""
        if self._api.IsIconic(window.identity):
            self._api.ShowWindow(window.identity, _RESTORE)
        self.input.send(pressed(["Alt_L"], self._api.VkKeyScanW))
        if not self._api.SetForegroundWindow(window.identity):
            raise ActionError(f"Windows does not let the window '{window.title}' come to the front")

    def close(self, window: Window) -> None:
        """Ask a window to close."""
        self._api.PostMessageW(window.identity, _CLOSE, None, None)

    def copied(self) -> str:
        """Return the text in the clipboard."""
        return clipboard.text(self._api)

    def copy_text(self, text: str) -> None:
        """Put a text into the clipboard."""
        clipboard.copy_text(self._api, text)

    def copy_picture(self, picture: Image.Image) -> None:
        """Put a picture into the clipboard."""
        clipboard.copy_picture(self._api, picture)

    def command(self, given: object, shell: bool) -> list[str] | str:
        """Return a command. A text stays a text: programs under Windows take their command line apart by themselves."""
        words = [str(word) for word in given] if isinstance(given, list) else None
        line = subprocess.list2cmdline(words) if words is not None else given
        if not isinstance(line, str) or not line.strip():
            raise ActionError("a `command` is wanted, a text or a list of texts")
        return f'cmd.exe /d /s /c "{line}"' if shell else words or line

    def run(self, command: list[str] | str, seconds: float, ends_forks: bool = False) -> "subprocess.CompletedProcess[bytes]":
        """Run a command until it ends. The output goes to files: a pipe would stay open as long as a process in the background.

        Windows has no forks to end.
        """
        with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as error:
            process = subprocess.Popen(
                _with_output(command), cwd=self.home, stdin=subprocess.DEVNULL, stdout=output, stderr=error, creationflags=_NO_CONSOLE
            )
            try:
                process.wait(seconds)
            except subprocess.TimeoutExpired:
                subprocess.run(["taskkill", "/T", "/F", "/PID", str(process.pid)], capture_output=True, check=False, creationflags=_NO_CONSOLE)
                process.wait()
                raise subprocess.TimeoutExpired(process.args, seconds, _said_in(output), _said_in(error)) from None
            return subprocess.CompletedProcess(process.args, process.returncode, _said_in(output), _said_in(error))

    def wait_until_up(self, seconds: float) -> None:
        """Return at once: the desktop of Windows is not started by this program."""

    def start(self, command: list[str] | str) -> int:
        """Start a command and leave it running. Names that only the shell of Windows knows, such as `winword`, have no process number: 0."""
        try:
            return subprocess.Popen(command, cwd=self.home, stdin=subprocess.DEVNULL, creationflags=_OWN_GROUP).pid
        except FileNotFoundError:
            words = command if isinstance(command, list) else command.split(maxsplit=1)
            rest = subprocess.list2cmdline(words[1:]) if isinstance(command, list) else "".join(words[1:])
            self._open(words[0], rest)
            return 0

    def open_file(self, path: Path) -> None:
        """Open a file with the program for its kind."""
        self._open(str(path), "")

    def _open(self, name: str, arguments: str) -> None:
        if (self._api.ShellExecuteW(None, None, name, arguments or None, str(self.home), 1) or 0) <= _NO_PROGRAM:
            raise FileNotFoundError(f"Windows finds no program or file {name}")

    def recycle(self, path: Path) -> None:
        """Put a file or a folder into the bin."""
        names = f"{path}\0\0".encode("utf-16-le")
        source = ctypes.create_string_buffer(names, len(names))
        operation = FileOperation(None, _DELETE, ctypes.cast(source, ctypes.c_void_p), None, _INTO_THE_BIN)
        failure = self._api.SHFileOperationW(ctypes.byref(operation))
        if failure:
            raise OSError(f"Windows does not put {path} into the bin: error {failure}")


def _said_in(file: BinaryIO) -> bytes:
    file.seek(0)
    return file.read()


def _with_output(command: list[str] | str) -> list[str] | str:
    """Return the command with the Python that can write to files. The server itself runs with `pythonw.exe`, which has no console."""
    if isinstance(command, list) and command[0] == sys.executable:
        return [command[0].replace("pythonw.exe", "python.exe"), *command[1:]]
    return command
