"""Carrying out the steps of `config` and `postconfig` on a desktop, each by the client of its guest server.

A step that takes a wait waits for what it needs: for the window of a program that it starts, and for a window that it brings to the front.
Where their servers carry on in silence (no window has this name, a command ends with an error), so does this; a step that cannot be begun at all
raises `MachineError`.
"""

import json
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from eval_flows.episodes.environment.desktop import Desktop
from eval_flows.episodes.osworld.applications import applications, commands_in
from eval_flows.episodes.osworld.browsing import HISTORIES, with_visits
from eval_flows.episodes.osworld.guest_of_desktop import for_client
from eval_flows.episodes.osworld.mirror.serving import with_flags
from eval_flows.episodes.osworld.task_file import Step, listed
from eval_flows.episodes.osworld.vocabulary import is_true
from machines.errors import MachineError
from machines.gateway.wallpaper import change_wallpaper

PASSWORD = "password"  # of the user on their machines, which commands name as {CLIENT_PASSWORD}
_TABS, _TRASH = ((Path(__file__).parent / "in_guest" / name).read_text() for name in ("tabs.py", "recycle.py"))
_RECYCLE = """$ErrorActionPreference = 'Stop'; $path = '{path}'; Add-Type -AssemblyName Microsoft.VisualBasic
$kind = if (Test-Path -LiteralPath $path -PathType Container) { 'DeleteDirectory' } else { 'DeleteFile' }
[Microsoft.VisualBasic.FileIO.FileSystem]::$kind($path, 'OnlyErrorDialogs', 'SendToRecycleBin')"""
_PORTS, _BROWSER_SECONDS = (9222, 1337), 30.0  # of a browser: theirs listens at the second, and a forwarder at the first
_WINDOW_SECONDS, _UNTIL_SECONDS = 10.0, 60.0  # to wait for a window, and for the result that `until` waits for
_ASK_EVERY = 0.3
Parameters = Mapping[str, Any]


@dataclass(frozen=True)
class Hand:
    """What carries out the steps of one task: its desktop, its folder on this host, what gives the files of addresses, and flags for a browser."""

    desktop: Desktop
    cache: Path
    content: Callable[[str], bytes]
    browser_flags: Sequence[str] = ()

    def carry_out(self, step: Step) -> None:
        """Carry out a step; `MachineError` if it cannot be done."""
        CARRIED_OUT[step.type](self, step.parameters)

    def _download(self, asked: Parameters) -> None:
        for file in asked["files"]:
            self.desktop.client.upload(file["path"], self.content(file["url"]))

    def _launch(self, asked: Parameters) -> None:
        shell = is_true(asked.get("shell", False))
        self.desktop.client.launch(*for_client(with_flags(asked["command"], shell, self.browser_flags), shell))
        for words in commands_in(asked["command"], shell):
            started = applications().started(words)
            if started and started.program and started.program in self.desktop.offers.programs:
                self.desktop.wait_until_ready(started.program)

    def _open(self, asked: Parameters) -> None:
        self.desktop.client.open_file(asked["path"])

    def _execute(self, asked: Parameters) -> None:
        command, shell = for_client(self._filled(asked["command"]), is_true(asked.get("shell", False)))
        until, last = asked.get("until") or {}, time.monotonic() + _UNTIL_SECONDS
        while True:
            said = self.desktop.client.execute(command, shell)
            for side, key in (("stdout", "output"), ("stderr", "error")):
                if asked.get(side):
                    place = self.cache / asked[side]
                    place.parent.mkdir(parents=True, exist_ok=True)
                    place.write_text(str(said.get(key, "")))
            if not until or _is_reached(until, said):
                return
            if time.monotonic() > last:
                raise MachineError(f"{until} was not reached within {_UNTIL_SECONDS:.0f} s; the command said {str(said)[:200]}")
            time.sleep(_ASK_EVERY)

    def _verified(self, asked: Parameters) -> None:
        client, shell = self.desktop.client, is_true(asked.get("shell", False))
        client.execute(*for_client(self._filled(asked["command"]), shell))
        wanted, last = asked.get("verification") or {}, time.monotonic() + float(asked.get("max_wait_time", 10))
        while not self._is_verified(wanted, shell):
            if time.monotonic() > last:
                raise MachineError(f"{wanted} did not come about")
            time.sleep(float(asked.get("check_interval", 1.0)))

    def _is_verified(self, wanted: Parameters, shell: bool) -> bool:
        if name := wanted.get("window_exists"):
            return any(name.lower() in window.title.lower() for window in self.desktop.windows())
        if command := wanted.get("command_success"):
            return self.desktop.client.execute(*for_client(command, shell)).get("returncode") == 0
        return True

    def _sleep(self, asked: Parameters) -> None:
        time.sleep(float(asked["seconds"]))

    def _activate_window(self, asked: Parameters) -> None:
        last = time.monotonic() + _WINDOW_SECONDS
        while not self.desktop.client.activate_window(*self._window(asked)) and time.monotonic() < last:
            time.sleep(_ASK_EVERY)

    def _close_window(self, asked: Parameters) -> None:
        self.desktop.client.close_window(*self._window(asked))

    def _close_all(self, asked: Parameters) -> None:
        self.desktop.client.close_all()

    def _open_tabs(self, asked: Parameters) -> None:
        self._tabs({"open": listed(asked["urls_to_open"])})

    def _close_tabs(self, asked: Parameters) -> None:
        self._tabs({"close": listed(asked["urls_to_close"])})

    def _tabs(self, asked: Parameters) -> None:
        told = json.dumps({"ports": _PORTS, "seconds": _BROWSER_SECONDS, **asked})
        said = self.desktop.client.execute([self._python, "-c", _TABS, told])
        if said.get("returncode") != 0:
            raise MachineError(f"the tabs could not be changed: {str(said.get('error'))[-300:]}")

    def _update_history(self, asked: Parameters, browser: str = "Chrome") -> None:
        client, offers = self.desktop.client, self.desktop.offers
        histories = HISTORIES[browser, offers.platform]
        for history in histories:
            path = f"{offers.home}{self._separator}{history}"
            if (database := client.file(path)) is not None:
                try:
                    client.upload(path, with_visits(database, asked["history"], datetime.now(UTC)))
                except sqlite3.DatabaseError as error:
                    raise MachineError(f"{path} is no history of {browser}: {error}") from error
                return
        raise MachineError(f"the machine has no profile of {browser} with a history: none of {', '.join(histories)} is there")

    def _update_history_of_edge(self, asked: Parameters) -> None:
        self._update_history(asked, "Edge")

    def _recycle(self, asked: Parameters) -> None:
        of_windows = ["powershell", "-NoProfile", "-Command", _RECYCLE.replace("{path}", asked["path"].replace("'", "''"))]
        command = of_windows if self._is_windows else ["python3", "-c", _TRASH, asked["path"]]
        said = self.desktop.client.execute(command)
        if said.get("returncode") != 0:
            raise MachineError(f"{asked['path']} could not be moved to the trash: {str(said.get('error')).strip()[-300:]}")

    def _change_wallpaper(self, asked: Parameters) -> None:
        change_wallpaper(self.desktop.client, asked["path"], self._python)

    def _create_folder(self, asked: Parameters) -> None:
        command = ["cmd", "/c", "mkdir", asked["path"].replace("/", "\\")] if self._is_windows else ["mkdir", "-p", asked["path"]]
        self.desktop.client.execute(command)

    def _create_file(self, asked: Parameters) -> None:
        self.desktop.client.upload(asked["path"], asked.get("content", "").encode())

    def _window(self, asked: Parameters) -> tuple[str, bool, bool]:
        """Return the name of a window, whether all of it counts, and whether it is a class: that of the program here, if its titles are others."""
        name, by_class = asked["window_name"], is_true(asked.get("by_class", False))
        application = None if by_class else applications().with_window(name)
        if application is not None and (program := self.desktop.offers.programs.get(application.program or "")) is not None:
            return program.window_class, True, True
        return name, is_true(asked.get("strict", False)), by_class

    @property
    def _is_windows(self) -> bool:
        return self.desktop.offers.platform == "windows"

    @property
    def _separator(self) -> str:
        return "\\" if self._is_windows else "/"

    @property
    def _python(self) -> str:
        return "python" if self._is_windows else "python3"

    def _filled(self, command: Sequence[str] | str) -> Sequence[str] | str:
        """Return a command with what task files leave open of the machine."""
        width, height = self.desktop.screen
        values = {
            "{CLIENT_PASSWORD}": PASSWORD,
            "{SCREEN_WIDTH_HALF}": str(width // 2),
            "{SCREEN_HEIGHT_HALF}": str(height // 2),
            "{SCREEN_WIDTH}": str(width),
            "{SCREEN_HEIGHT}": str(height),
        }

        def filled(text: str) -> str:
            for name, value in values.items():
                text = text.replace(name, value)
            return text

        return filled(command) if isinstance(command, str) else [filled(word) for word in command]


def _is_reached(until: Parameters, said: Parameters) -> bool:
    """Tell whether a command has come to one of the results that `until` names."""
    texts = (("stdout", "output"), ("stderr", "error"))
    return ("returncode" in until and said.get("returncode") == until["returncode"]) or any(
        side in until and until[side] in str(said.get(key, "")) for side, key in texts
    )


CARRIED_OUT: Mapping[str, Callable[[Hand, Parameters], None]] = {
    "download": Hand._download,
    "launch": Hand._launch,
    "open": Hand._open,
    "execute": Hand._execute,
    "command": Hand._execute,
    "execute_with_verification": Hand._verified,
    "sleep": Hand._sleep,
    "activate_window": Hand._activate_window,
    "close_window": Hand._close_window,
    "close_all": Hand._close_all,
    "chrome_open_tabs": Hand._open_tabs,
    "chrome_close_tabs": Hand._close_tabs,
    "edge_open_tabs": Hand._open_tabs,
    "update_browse_history": Hand._update_history,
    "update_browse_history_edge": Hand._update_history_of_edge,
    "recycle_file": Hand._recycle,
    "change_wallpaper": Hand._change_wallpaper,
    "create_folder": Hand._create_folder,
    "create_file": Hand._create_file,
}
"""The steps that can be carried out here, by their type."""
