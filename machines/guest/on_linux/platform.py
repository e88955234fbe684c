"""Linux as the guest server sees it: a desktop of our own, on X11."""

import io
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from PIL import Image

from machines.guest.on_linux.accessibility import Accessibility
from machines.guest.on_linux.clipboard import Clipboard
from machines.guest.on_linux.desktop import Desktop
from machines.guest.on_linux.front import Front
from machines.guest.on_linux.input import Input
from machines.guest.on_linux.processes import Processes, is_anyone_busy
from machines.guest.on_linux.screen import FrameBuffer
from machines.guest.on_linux.tree_xml import tree_as_xml
from machines.guest.on_linux.viewing import Viewing
from machines.guest.on_linux.windows import Windows
from machines.guest.platform import ActionError, Window
from machines.guest.settling import settled

_TREE_SECONDS = 8.0


class Linux:
    """The platform on top of a desktop, which is started already."""

    name = "Linux"

    def __init__(self, processes: Processes, desktop: Desktop, slowness: float) -> None:
        """Take a desktop on a machine that is `slowness` times as slow as its host."""
        self.home = Path(desktop.environment["HOME"])
        self.screen = desktop.screen
        self._windows = Windows()
        self._front = Front(self._windows.state, self._windows.dialog_in_front)
        self.input = Input(self._front.before_keys)
        self._processes = processes
        self._tree_seconds = _TREE_SECONDS * slowness
        self._desktop = desktop
        viewing = Viewing(processes, desktop)
        self._viewers = viewing.processes  # they are at work as long as somebody looks
        self._frame_buffer = FrameBuffer()
        self._clipboard = Clipboard(processes, desktop)
        self._accessibility: tuple[str, Accessibility] | None = None
        self.frame = self._frame_buffer.frame
        self.windows = self._windows.all
        self.activate = self._windows.activate
        self.close = self._windows.close
        self.copied = self._clipboard.text
        self.wait_until_up = desktop.wait_until_up
        self.show = viewing.show

    @property
    def starts(self) -> int:
        """Return how often the desktop was started."""
        return self._desktop.starts

    @property
    def ended_for_memory(self) -> int:
        """Return how many processes were ended because all together used too much memory."""
        return self._processes.ended_for_memory

    def settle(self, quiet: float, limit: float) -> bool:
        """Wait until nothing on the screen changes, no process works, and the window in front takes keys, for `quiet` seconds."""
        return settled(lambda: (self._frame_buffer.sum(), self._front.state()), self._is_pending, quiet, limit)

    def _is_pending(self) -> bool:
        return self._front.is_pending() or self._is_anyone_busy()

    def _is_anyone_busy(self) -> bool:
        return is_anyone_busy(self._viewers)

    def tree(self, windows: Sequence[Window]) -> str:
        """Return the accessibility tree as XML. The connection is made again after a restart of the desktop."""
        bus = self._desktop.environment["DBUS_SESSION_BUS_ADDRESS"]
        if self._accessibility is None or self._accessibility[0] != bus:
            self._accessibility = (bus, Accessibility(bus, self._windows.popups, self._is_anyone_busy))
        try:
            return tree_as_xml(
                *self._accessibility[1].tree(self._tree_seconds, [(one.title, (one.x, one.y, one.width, one.height)) for one in windows])
            )
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

    def run(self, command: list[str] | str, seconds: float, ends_forks: bool = False) -> "subprocess.CompletedProcess[bytes]":
        """Run a command in the home folder until it ends."""
        return self._processes.run(self.command(command, shell=False), self._desktop.environment, seconds, ends_forks, cwd=self.home)

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
