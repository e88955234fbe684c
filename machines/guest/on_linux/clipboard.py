"""The clipboard, by xclip: it stays in the background as the owner of the copied content."""

import subprocess

from machines.guest.on_linux.desktop import Desktop
from machines.guest.on_linux.processes import Processes

_SECONDS = 5.0


class Clipboard:
    """Copied text and pictures."""

    def __init__(self, processes: Processes, desktop: Desktop) -> None:
        self._processes = processes
        self._desktop = desktop

    def text(self) -> str:
        """Return the copied text; empty if the clipboard holds no text."""
        try:
            done = self._processes.run(["xclip", "-selection", "clipboard", "-out", "-target", "UTF8_STRING"], self._desktop.environment, _SECONDS)
        except subprocess.TimeoutExpired:
            return ""  # the owner of the clipboard does not answer
        return str(done.stdout.decode(errors="replace")) if done.returncode == 0 else ""

    def copy(self, content: bytes, target: str = "UTF8_STRING") -> None:
        """Copy text, or a picture with the target `image/png`. xclip goes to the background once it owns the clipboard."""
        command = ["xclip", "-selection", "clipboard", "-in", "-target", target]
        owner = self._processes.start(command, self._desktop.environment, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        owner.communicate(content, timeout=_SECONDS)
