"""Linux as the guest server sees it: a desktop of our own, on X11."""

import io
import shlex
import shutil
import subprocess
from pathlib import Path

from PIL import Image

from machines.guest.on_linux.accessibility import Accessibility
from machines.guest.on_linux.clipboard import Clipboard
from machines.guest.on_linux.desktop import Desktop
from machines.guest.on_linux.input import Input
from machines.guest.on_linux.processes import Processes
from machines.guest.on_linux.screen import FrameBuffer
from machines.guest.on_linux.tree_xml import tree_as_xml
from machines.guest.on_linux.windows import Windows
from machines.guest.platform import ActionError

_TREE_SECONDS = 8.0


class Linux:
    """The platform on top of a desktop, which is started already."""

    name = "Linux"

    def __init__(self, processes: Processes, desktop: Desktop, slowness: float) -> None:
        """Take a desktop on a machine that is `slowness` times as slow as its host."""
        self.home = Path(desktop.environment["HOME"])
        self.screen = desktop.screen
        self.input = Input()
        self._processes = processes
        self._tree_seconds = _TREE_SECONDS * slowness
        self._desktop = desktop
        self._frame_buffer = FrameBuffer()
        self._windows = Windows()
        self._clipboard = Clipboard(processes, desktop)
        self._accessibility: tuple[str, Accessibility] | None = None
        self.picture = self._frame_buffer.picture
        self.settle = self._frame_buffer.settle
        self.windows = self._windows.all
        self.activate = self._windows.activate
        self.close = self._windows.close
        self.copied = self._clipboard.text

    @property
    def starts(self) -> int:
        """Return how often the desktop was started."""
        return self._desktop.starts

    @property
    def ended_for_memory(self) -> int:
        """Return how many processes were ended because all together used too much memory."""
        return self._processes.ended_for_memory

    def tree(self) -> str:
        """Return the accessibility tree as XML. The connection is made again after a restart of the desktop."""
        bus = self._desktop.environment["DBUS_SESSION_BUS_ADDRESS"]
        if self._accessibility is None or self._accessibility[0] != bus:
            self._accessibility = (bus, Accessibility(bus, self._windows.popups, self._windows.places))
        try:
            return tree_as_xml(*self._accessibility[1].tree(self._tree_seconds))
        except OSError:
            self._accessibility = None
            raise

    def copy_text(self, text: str) -> None:
        """Put a text into the clipboard."""
        self._clipboard.copy(text.encode())

    def copy_picture(self, picture: Image.Image) -> None:
        """Put a picture into the clipboard."""
        file = io.BytesIO()
        picture.save(file, "PNG")
        self._clipboard.copy(file.getvalue(), "image/png")

    def command(self, given: object, shell: bool) -> list[str]:
        """Return the words of a command, given as a text or a list of texts."""
        if isinstance(given, list):
            words = [str(word) for word in given]
            listed = ["/bin/sh", "-c", shlex.join(words)] if shell else words
        else:
            text = given if isinstance(given, str) else ""
            listed = ["/bin/sh", "-c", text] if shell else shlex.split(text)
        if not listed:
            raise ActionError("a `command` is wanted, a text or a list of texts")
        return listed

    def run(self, command: list[str] | str, seconds: float) -> "subprocess.CompletedProcess[bytes]":
        """Run a command in the home folder until it ends."""
        return self._processes.run(self.command(command, shell=False), self._desktop.environment, seconds, cwd=self.home)

    def start(self, command: list[str] | str) -> int:
        """Start a command in the home folder, leave it running, and return its process number."""
        words, nothing = self.command(command, shell=False), subprocess.DEVNULL
        return self._processes.start(words, self._desktop.environment, cwd=self.home, stdout=nothing, stderr=nothing).pid

    def open_file(self, path: Path) -> None:
        """Open a file with the program for its kind."""
        self.start(["xdg-open", str(path)])

    def recycle(self, path: Path) -> None:
        """Put a file or a folder into the bin."""
        folder = self.home / ".local/share/Trash/files"
        folder.mkdir(parents=True, exist_ok=True)
        shutil.move(path, folder / path.name)
