"""The client of guest servers of other systems, as far as these are alike: no ids of requests, no readiness, and no list of windows.

What their servers lack is done by Python code that their own `/execute` runs, since every one of them has Python with pyautogui.
"""

import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path, PureWindowsPath
from typing import Any

import httpx

from machines.client import GuestClient, Observed, Window, as_json, as_png, as_windows
from machines.errors import MachineError, RefusedAction
from machines.guest.settling import settled
from machines.machine import Program

Json = dict[str, Any]
_GUEST = Path(__file__).parents[1] / "guest"
_LISTS = {"linux": "on_linux/window_list.py", "windows": "on_windows/window_list.py"}
_COPIED = "import json, pyperclip\nprint(json.dumps(pyperclip.paste()))"
_CURSOR = "import json, pyautogui\nprint(json.dumps(list(pyautogui.position())))"
_TREE_SECONDS = 120.0  # a tree by pywinauto takes up to minutes


class ForeignGuest(GuestClient):
    """A guest server that is not ours. An action is sent once: if no answer comes, nobody knows whether it was done, and the machine is at fault."""

    _knows_ids = False
    tree_path = "/accessibility"

    def __init__(self, http: httpx.Client, platform: str, screen: tuple[int, int], programs: Mapping[str, Program]) -> None:
        super().__init__(http)
        self._platform = platform
        self._screen = screen
        self._programs = programs

    def _is_ready(self) -> bool:
        try:
            return self._http.get("/screenshot", timeout=10.0).status_code == 200
        except httpx.RequestError:
            return False

    def observe(self, what: Iterable[str]) -> Observed:
        """Return the parts that are asked for, one after another."""
        wanted = set(what)
        return Observed(
            self._screenshot() if "screenshot" in wanted else None,
            self._tree() if "tree" in wanted else None,
            self._windows() if "windows" in wanted else None,
            self._copied() if "clipboard" in wanted else None,
        )

    def _screenshot(self) -> bytes:
        try:
            return as_png(self._checked(self._http_call(lambda: self._http.get("/screenshot"))).content)
        except ValueError as error:
            raise MachineError(f"the guest answered an observation that cannot be read: {error}") from error

    def _tree(self) -> str:
        found = self._read(self._checked(self._http_call(lambda: self._http.get(self.tree_path, timeout=_TREE_SECONDS)))).get("AT")
        if not isinstance(found, str):
            raise MachineError(f"the guest answered no accessibility tree: {str(found)[:200]!r}")
        return found

    def _windows(self) -> tuple[Window, ...]:
        try:
            return as_windows(self._said((_GUEST / _LISTS[self._platform]).read_text()))
        except ValueError as error:
            raise MachineError(f"the guest answered an observation that cannot be read: {error}") from error

    def _copied(self) -> str:
        return str(self._said(_COPIED))

    def settle(self, quiet: float = 0.1, limit: float = 3.0) -> bool:
        """Wait until pictures of the screen are the same for `quiet` seconds: these servers do not say whether something still works."""
        return settled(lambda: zlib.adler32(self._screenshot()), lambda: False, quiet, limit)

    def act(self, action: Json) -> None:
        """Carry out an action; `RefusedAction` if this machine cannot do it."""
        name = action["name"]
        if name == "open_program":
            self.launch(self._program(action["program"]).command)
        elif name == "switch_to_app":
            self._activate(self._window(action["window"]))
        else:
            self._do(action)

    def _do(self, action: Json) -> None:
        """Carry out any other action by the way of the server."""
        raise NotImplementedError

    def _activate(self, window: Window) -> None:
        """Bring a window to the front."""
        raise NotImplementedError

    def _program(self, handle: str) -> Program:
        return program_of(handle, self._programs)

    def _window(self, title: str) -> Window:
        """Return the highest window whose title contains a text. The servers themselves say nothing if there is none."""
        windows = self._windows()
        found = next((window for window in reversed(windows) if title.lower() in window.title.lower()), None)
        if found is None:
            raise RefusedAction(f"no window is called '{title}'; there are {', '.join(repr(window.title) for window in windows) or 'none'}")
        return found

    def upload(self, path: str, content: bytes) -> None:
        """Write a file. Not every server makes the folders that it is in, so they are made if writing fails."""
        answer = self._http_call(lambda: self._http.post("/setup/upload", data={"file_path": path}, files={"file_data": content}))
        if not answer.is_success:
            parent = str(PureWindowsPath(path).parent) if self._platform == "windows" else path.rpartition("/")[0]
            self.run_python(f"import os\nos.makedirs({parent!r}, exist_ok=True)")
            super().upload(path, content)

    def close_all(self) -> None:
        """Ask every window to close."""
        for window in self._windows():
            self._checked(self._post("/setup/close_window", {"window_name": window.title, "strict": self._platform == "linux"}, once=True))

    def state(self) -> Json:
        """Return the windows and the cursor; how often the desktop was started is not known."""
        return {"windows": [vars(window) for window in self._windows()], "cursor": self._said(_CURSOR), "starts": 1, "ended_for_memory": 0}

    def run_python(self, code: str) -> str:
        """Run code with the machine's Python, and return what it writes; `MachineError` if it fails."""
        done = self.execute(["python", "-c", code])
        if done.get("returncode") != 0:
            raise MachineError(f"Python on the machine failed: {str(done.get('error') or done.get('message') or done)[-500:]}")
        return str(done.get("output", ""))

    def _said(self, code: str) -> Any:
        """Return what code writes as JSON."""
        said = self.run_python(code)
        try:
            return as_json(said)
        except ValueError:
            raise MachineError(f"Python on the machine wrote no JSON: {said[:200]!r}") from None


def program_of(handle: str, programs: Mapping[str, Program]) -> Program:
    """Return the declared program of a handle; `RefusedAction` with the handles that there are."""
    found = programs.get(handle.strip().lower())
    if found is None:
        raise RefusedAction(f"no program '{handle}' is installed; there are {', '.join(sorted(programs))}")
    return found
