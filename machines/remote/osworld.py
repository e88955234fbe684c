"""The client of OSWorld's guest server: actions are code with pyautogui, which its `/execute` runs."""

import io
from typing import Any

from PIL import Image

from machines.client import Window
from machines.errors import RefusedAction
from machines.remote.foreign import ForeignGuest
from machines.remote.pyautogui_code import code_of

_COPIED = "/tmp/deskmill-copied.png"
_COPY = (
    "import subprocess\n"
    "nothing = subprocess.DEVNULL\n"
    f"subprocess.run(['xclip', '-selection', 'clipboard', '-target', 'image/png', '-in', {_COPIED!r}], stdout=nothing, stderr=nothing, check=True)"
)


class OsworldGuest(ForeignGuest):
    """OSWorld's server, under Linux or Windows."""

    def _do(self, action: dict[str, Any]) -> None:
        if action["name"] == "copy_image":
            self._copy_image(*(action[side] for side in ("x", "y", "width", "height")))
        else:
            self.run_python(code_of(action, self._platform))

    def _copy_image(self, x: int, y: int, width: int, height: int) -> None:
        """Copy a part of the screen. The picture is cut out here, and xclip holds it there."""
        if self._platform != "linux":
            raise RefusedAction("copy_image: this machine has no way to copy a picture")
        file = io.BytesIO()
        Image.open(io.BytesIO(self._screenshot())).crop((x, y, x + width, y + height)).save(file, "PNG")
        self.upload(_COPIED, file.getvalue())
        self.run_python(_COPY)

    def _activate(self, window: Window) -> None:
        """Bring a window to the front. Under Windows the server finds no window by its whole title, so parts of titles are compared there."""
        self._checked(self._post("/setup/activate_window", {"window_name": window.title, "strict": self._platform == "linux"}, once=True))
