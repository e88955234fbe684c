"""The client of OSWorld's guest server: actions are code with pyautogui, which its `/execute` runs."""

from typing import Any

from machines.client import Window
from machines.remote.foreign import ForeignGuest
from machines.remote.pyautogui_code import code_of


class OsworldGuest(ForeignGuest):
    """OSWorld's server, under Linux or Windows."""

    def _do(self, action: dict[str, Any]) -> None:
        self.run_python(code_of(action, self._platform))

    def _activate(self, window: Window) -> None:
        """Bring a window to the front. Under Windows the server finds no window by its whole title, so parts of titles are compared there."""
        self._checked(self._post("/setup/activate_window", {"window_name": window.title, "strict": self._platform == "linux"}, once=True))
