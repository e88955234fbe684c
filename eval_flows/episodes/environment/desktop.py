"""The desktop of a machine: its screen with elements and windows, actions of the unified space, and programs by their handle."""

import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from eval_flows.episodes.environment.observation import Observation
from machines.actions import Action, for_guest
from machines.client import Window
from machines.errors import MachineError, RefusedAction
from machines.hands import HANDS, for_hands
from machines.machine import Client, Offers
from machines.observation import Element, read_elements
from machines.trees.covering import among_windows
from machines.trees.elements import Box
from machines.trees.numbering import Numbering

_ABSOLUTE = re.compile(r"/|[A-Za-z]:[/\\]")
_LONE_TAB = re.compile(r"(?:^|(?<=[\t\n]))\t")  # before it nothing was typed into the cell or the field
_KEY_QUIET = 0.15  # seconds without a change; then a program that loses fast keys has let go of the keys that it shows as pressed
QUIET, SETTLED_WITHIN = 0.06, 3.0  # seconds without a change on the screen, and the limit of waiting for that
_MOVED_QUIET, _MOVED_WITHIN = 0.03, 0.5  # the same before a click: a tip that hides the place closes when the pointer comes
_PROGRAM_SECONDS = 60.0
_SAME_WINDOW_SECONDS = 3.0  # for a program that has windows, and may open no other one
_CLOSES_QUIET = 0.2  # seconds without a change after a click on a button of a dialog: some close it in several steps, and lose keys meanwhile
_OPENED_QUIET, _OPENED_WITHIN = 0.12, 5.0  # the same after a program has come up
_DRAWN_QUIET = 0.6  # the same for a program without a tree: on a busy host Java pauses between its window and what is in it
_ASK_EVERY = 0.04
_RUNNING = {"linux": ["ps", "axf", "-o", "pid,stat,etimes,args"], "windows": ["tasklist.exe", "/v"]}
_AT_THE_POINTER = frozenset({"single_click", "double_click", "triple_click", "right_click", "middle_click", "scroll", "mouse_down", "mouse_up"})
_DIALOGS = frozenset({"dialog", "alert", "file chooser", "color chooser", "font chooser"})


class LateWindow(RefusedAction):
    """A program that was started, and whose window did not come to the front in time; the text names it."""


class Desktop:
    """The desktop of a running machine, by the client of its guest server and by what the machine offers."""

    def __init__(self, client: Client, offers: Offers) -> None:
        self.client = client
        self.offers = offers
        self.screen = offers.screen
        self._numbering = Numbering()
        self._pointer: tuple[int, int] | None = None  # where an action has moved it
        self._in_front = frozenset[str]()  # the classes of the windows of the program in front
        self._windows_now: Sequence[Window] | None = None  # those of the last observation, until something is done
        self._is_still = True

    def place(self, path: str) -> str:
        """Return a path as the machine writes it: it begins at the user's home folder unless it is absolute."""
        return path if _ABSOLUTE.match(path) else f"{self.offers.home}/{path}"

    def look(self, *more: str) -> Observation:
        """Return the elements and the windows, and with `more` the `screenshot`, the `clipboard` or the `dom`."""
        seen = self.client.observe(["tree", "windows", *more])
        assert seen.tree is not None and seen.windows is not None
        processes = {window.process for window in seen.windows if window.is_active}
        self._in_front = frozenset(window.window_class.lower() for window in seen.windows if window.process in processes)
        self._windows_now = seen.windows
        elements = self._numbering.numbered(among_windows(read_elements(seen.tree, self.screen), seen.windows))
        is_still, self._is_still = seen.is_still and self._is_still, True
        return Observation(elements, seen.windows, seen.screenshot, seen.clipboard, dom=seen.dom, has_changed=seen.has_changed, is_still=is_still)

    def windows(self) -> Sequence[Window]:
        """Return the windows, lowest first."""
        return self.client.observe(["windows"]).windows or ()

    def do(self, action: Action, elements: Sequence[Element]) -> tuple[int, int] | None:
        """Carry out an action on elements of an observation, wait until the screen is still, and return the action's place in pixels, if it has one.

        A click, or another action that is done at the pointer, has the place to which an earlier action has moved it.

        A text is typed in runs into a program that loses fast keys, and in parts up to each Tab that only moves on: Calc loses that if more comes at
        once. After `open_program` keys go to the program: it waits until its window is in front. `MalformedAction` and `RefusedAction` say why
        nothing was done, `LateWindow` that the window did not come.
        """
        windows, self._windows_now = self._windows_now, None
        if action.name == "open_program" and (program := action.arguments["program"].strip().lower()) in self.offers.programs:
            self._open_in_front(program, action)
            return None
        place, asked = None, for_hands(action, self.screen) if action.name in HANDS else for_guest(action, elements, self.screen)
        if action.name == "write" and self._loses_fast_keys(windows if windows is not None else self.windows()):
            self._type_in_parts(runs(action.arguments["text"]), _KEY_QUIET)
            return None
        if action.name == "write" and _LONE_TAB.search(action.arguments["text"]):
            self._type_in_parts(up_to_lone_tabs(action.arguments["text"]), max(QUIET, self._shows_after()))
            return None
        for one in asked:
            self.client.act(one)
            ends = [(one["x"], one["y"])] if {"x", "y"} <= set(one) else one.get("path", [])
            if ends:
                self._pointer = ends[-1]
            if ends or one["name"] in _AT_THE_POINTER:
                place = self._pointer
            if one["name"] == "move":
                self.settle(_MOVED_QUIET, _MOVED_WITHIN)
            else:
                presses = one["name"] == "single_click" and self._pointer is not None and presses_in_dialog(self._pointer, elements)
                self.settle(max(QUIET, self._shows_after(), _CLOSES_QUIET if presses else 0.0))
        return place

    def _type_in_parts(self, parts: Iterable[str], quiet: float) -> None:
        """Type each part at once, and wait after it until the program takes further keys."""
        for part in parts:
            self.client.act({"name": "write", "text": part})
            self.settle(quiet)

    def _loses_fast_keys(self, windows: Sequence[Window]) -> bool:
        classes = {program.window_class.lower() for program in self.offers.programs.values() if program.loses_fast_keys}
        return any(window.is_active and window.window_class.lower() in classes for window in windows)

    def _shows_after(self) -> float:
        """Return the seconds after which the program that was in front shows what an action did."""
        programs = self.offers.programs.values()
        return max((program.shows_after for program in programs if program.window_class.lower() in self._in_front), default=0.0)

    def settle(self, quiet: float = QUIET, limit: float = SETTLED_WITHIN) -> bool:
        """Wait until the screen is still, or the limit is over; tell whether it is still."""
        self._windows_now = None
        self._is_still = self.client.settle(quiet, limit)
        return self._is_still

    def open(self, program: str, arguments: Sequence[str] = ()) -> None:
        """Start a program and wait until its window stands still and shows in the accessibility tree."""
        self._windows_now = None
        self.client.launch([*self.offers.programs[program].command, *arguments])
        self.wait_until_ready(program)

    def _open_in_front(self, program: str, action: Action) -> None:
        """Start a program, and wait until a window of it is in front; if it has one already and opens no other, bring that to the front."""
        before = self.windows_of(program)
        (asked,) = for_guest(action, (), self.screen)
        self.client.act(asked)
        seconds = _SAME_WINDOW_SECONDS if before else _PROGRAM_SECONDS
        try:
            self.wait_until(lambda: _has_come(before, self.windows_of(program)), f"no window of {program} came to the front", seconds)
        except MachineError as error:
            if not before:
                raise LateWindow(str(error)) from None
            if not any(window.is_active for window in self.windows_of(program)):
                self.client.activate_window(self.offers.programs[program].window_class, by_class=True)
        self._settle_opened(program)

    def wait_until_ready(self, program: str) -> None:
        """Wait until a window of the program stands still and shows in the accessibility tree; `MachineError` if none comes."""
        try:
            self.wait_until(lambda: self._is_ready(program), f"no window of {program} came up", _PROGRAM_SECONDS)
        except MachineError as error:
            running = self.client.execute(_RUNNING[self.offers.platform])["output"]
            raise MachineError(f"{error}; windows {self.windows()}, {len(self.look().elements)} elements, processes:\n{running}") from None
        self._settle_opened(program)

    def _settle_opened(self, program: str) -> None:
        self.settle(_OPENED_QUIET if self.offers.programs[program].has_tree else _DRAWN_QUIET, _OPENED_WITHIN)

    def write_settings(self) -> None:
        """Make programs that keep settings in memory write them to their files now."""
        for command in self.offers.writers:
            self.client.execute(list(command))

    def windows_of(self, program: str) -> list[Window]:
        """Return the windows of a program, lowest first."""
        window_class = self.offers.programs[program].window_class.lower()
        return [window for window in self.windows() if window.window_class.lower() == window_class]

    def _is_ready(self, program: str) -> bool:
        mine = self.windows_of(program)
        if not mine:
            return False
        time.sleep(_ASK_EVERY)
        if not set(mine) <= set(self.windows()):
            return False
        titles = {window.title for window in mine}
        return not self.offers.programs[program].has_tree or any(element.window in titles or not element.window for element in self.look().elements)

    def wait_until(self, holds: Callable[[], Any], otherwise: str, seconds: float) -> None:
        """Call `holds` until it is true; `MachineError` with the text `otherwise` when the time is over."""
        until = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > until:
                raise MachineError(f"{otherwise} within {seconds:.0f} s")
            time.sleep(_ASK_EVERY)


def _has_come(before: Sequence[Window], now: Sequence[Window]) -> bool:
    """Tell whether a window of a program is in front that was not there, or not in front, before."""
    front = [window for window in now if window.is_active]
    return bool(front) and (len(now) > len(before) or front[0] not in before)


def presses_in_dialog(place: tuple[int, int], elements: Sequence[Element]) -> bool:
    """Tell whether a click at a place presses a button of a dialog."""
    dialogs = {element.window for element in elements if element.role in _DIALOGS}
    return any(element.role == "push button" and element.window in dialogs and _is_in(place, element.box) for element in elements)


def _is_in(place: tuple[int, int], box: Box) -> bool:
    return box[0] <= place[0] < box[0] + box[2] and box[1] <= place[1] < box[1] + box[3]


def up_to_lone_tabs(text: str) -> list[str]:
    """Return the parts of a text that end with a Tab which only moves on, and the rest."""
    places = [0, *(found.end() for found in _LONE_TAB.finditer(text)), len(text)]
    return [text[begin:end] for begin, end in pairwise(places) if begin < end]


def runs(text: str) -> Iterator[str]:
    """Yield the longest parts of a text, in order, that hold no character twice.

    A new line begins a part too: programs that take it as Enter may have another key for the same, such as = in a calculator.
    """
    run = ""
    for character in text:
        if run and (character in run or character == "\n"):
            yield run
            run = ""
        run += character
    if run:
        yield run
