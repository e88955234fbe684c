"""The oracle: it does the steps of a task as the catalog says, in the same actions as every agent.

Each element is found by its role and name when it appears; the oracle may look again while it waits for one.
"""

import shlex
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from eval_flows.episodes.agents.screen_texts import is_screen_text, with_screen_texts
from eval_flows.episodes.environment import Environment, Observation
from eval_flows.episodes.environment.desktop import Desktop
from eval_flows.episodes.tasks.makers.maker import make
from eval_flows.episodes.tasks.task import TaskStep
from machines.actions import Action
from machines.errors import MachineError
from machines.observation import Element

ELEMENT_SECONDS = 12.0
_LOOKS_AT_LEAST = 6  # looks, even when each takes long
_ASK_EVERY, _ASK_AT_MOST_EVERY = 0.05, 0.4  # seconds: after a while it asks less often, since the application has to answer
_STILL_AT_MOST = 10.0  # seconds
_STILL, _STILL_WITHIN, _WAITS_FOR_STILLNESS = 0.5, 3.0, 3  # seconds and times: a machine that works when the time is over gets some more
_CLICKS = {"click": "single_click", "double_click": "double_click", "right_click": "right_click", "hover": None}
_ARGUMENT_OF = {
    "write": "text",
    "press": "key",
    "scroll": "direction",
    "copy_text": "text",
    "paste": None,
    "open_program": "program",
    "switch_to_app": "window",
}
_BESIDE = ("within", "holding")
_WAITING, _SCRIPTED, _NAMING = ("wait_for", "wait_gone"), ("run", "make"), ("step",)
VERBS = frozenset({*_CLICKS, *_ARGUMENT_OF, *_WAITING, *_SCRIPTED, *_NAMING, "tick", "write_over", "menu", "click_at", "drag"})
_MENU_ROLES = frozenset({"menu", "menu item", "check menu item", "radio menu item", "tearoff menu item"})
Entry = Mapping[str, Any]


class _Patience:
    """Ends when the time is over, but not before a few looks, and not while the machine still works: on a slow one, a page takes long to come."""

    def __init__(self, environment: Environment, seconds: float) -> None:
        self._environment = environment
        self._until = time.monotonic() + seconds
        self._looks = 0
        self._waits = _WAITS_FOR_STILLNESS

    def is_over(self) -> bool:
        """Tell whether the time is over; call it after each look that failed."""
        self._looks += 1
        if self._looks < _LOOKS_AT_LEAST or time.monotonic() <= self._until:
            return False
        if self._waits == 0:
            return True
        self._waits = 0 if self._environment.desktop.settle(_STILL, _STILL_WITHIN) else self._waits - 1
        return False


class OracleStuck(RuntimeError):
    """An oracle's step names an element that is not there; the text says which elements are there."""


def expanded(entries: Sequence[Entry]) -> Iterator[Entry]:
    """Yield the steps, with menus spelt out as clicks."""
    for entry in entries:
        if "menu" in entry:
            for name in entry["menu"]:
                yield {"click": {"role": "menu", "name": name}, **{key: value for key, value in entry.items() if key != "menu"}}
        else:
            yield entry


@dataclass(frozen=True)
class Line:
    """One line of an oracle: the actions that do it, and the line in words."""

    actions: Sequence[Action]
    words: str


def parts_of(entries: Sequence[Entry]) -> Iterator[tuple[str, frozenset[int]]]:
    """Yield the parts of an oracle that a proof leaves out, in words and by the numbers of their lines.

    A part begins at a line `step`. An oracle without such lines has a part for each line that does something.
    """
    starts = [number for number, entry in enumerate(entries) if "step" in entry]
    for number, end in pairwise([*starts, len(entries)]):
        yield str(entries[number]["step"]), frozenset(range(number, end))
    for number, entry in enumerate(entries if not starts else ()):
        if not is_immediate(entry):
            yield str(entry), frozenset([number])


def lines(environment: Environment, step: TaskStep, left_out: Collection[int] = (), seconds: float = ELEMENT_SECONDS) -> Iterator[Line]:
    """Yield the lines that do a step, each when its elements are there; carry one out before you take the next.

    The numbers of elements in a line are those of the environment's last observation. `left_out` are the numbers of lines to leave out. The first
    line brings the program up if the step needs that. `OracleStuck` if an element does not come in time.
    """
    if not _begins_by_itself(step):
        yield from _brought_up(environment, step.program)
    kept = [entry for number, entry in enumerate(step.oracle) if number not in left_out]
    for entry in expanded(kept):
        actions = planned(environment, entry, seconds)
        if not is_immediate(entry):
            yield Line(actions, f"{step.task}: {entry}")


def planned(environment: Environment, entry: Entry, seconds: float = ELEMENT_SECONDS) -> list[Action]:
    """Return the actions of one line, once the elements that it names are there; none for a line that waits, or that a script does."""
    ((verb, asked),) = [(key, value) for key, value in entry.items() if key not in _BESIDE]
    within, patience = entry.get("within"), _Patience(environment, seconds)
    if verb in _NAMING:
        return []
    if verb in _SCRIPTED:
        carry_out_script(environment.desktop, verb, asked)
        return []
    if verb in _WAITING:
        _wait(environment, asked, within, patience, gone=verb == "wait_gone")
        return []
    return _actions(environment, entry, verb, asked, patience)


def carry_out_script(desktop: Desktop, verb: str, asked: Any) -> None:
    """Run a script on the machine, or make a file there; `OracleStuck` with what a script said if it fails."""
    if verb == "make":
        make(desktop, asked)
        return
    done = desktop.client.execute(["bash", "-euc", f"cd {shlex.quote(desktop.offers.home)}\n{asked}"])
    if done["returncode"] != 0:
        raise OracleStuck(f"the script ended with {done['returncode']}: {str(done['error'] or done['output'])[-1500:]}")


def _begins_by_itself(step: TaskStep) -> bool:
    return not step.oracle or any(verb in step.oracle[0] for verb in ("open_program", *_SCRIPTED))


def _brought_up(environment: Environment, program: str) -> Iterator[Line]:
    """Open the program, or bring its window to the front, unless the window is in front already."""
    mine = environment.desktop.windows_of(program)
    if not mine:
        yield Line([Action("open_program", {"program": program})], f"open {program}")
        try:
            environment.desktop.wait_until_ready(program)
        except MachineError as error:
            raise OracleStuck(str(error)) from error
    elif not any(window.is_active for window in mine):
        yield Line([Action("switch_to_app", {"window": mine[-1].title})], f"bring {program} to the front")


def is_immediate(entry: Entry) -> bool:
    """Tell whether a line has no action of an agent: it waits, names a part, or is a script of a proof."""
    return any(verb in entry for verb in (*_WAITING, *_SCRIPTED, *_NAMING))


def _actions(environment: Environment, entry: Entry, verb: str, asked: Any, patience: _Patience) -> list[Action]:
    within = entry.get("within")
    if verb in _CLICKS:
        click, held = _CLICKS[verb], {"keys": entry["holding"]} if "holding" in entry else {}
        return [_moved(environment, asked, within, patience), *([Action(click, held)] if click else [])]
    if verb == "tick":
        element = _awaited(environment, asked, within, patience)
        return [] if "checked" in element.states else [Action("move_id", {"id": element.number}), Action("single_click", {})]
    if verb == "drag":
        start, end = (_place(environment, asked[one], within, patience) for one in ("from", "to"))
        return [Action("move_abs", {"x": start[0], "y": start[1]}), Action("drag", {"x": end[0], "y": end[1]})]
    return _fixed(verb, asked)


def _fixed(verb: str, asked: Any) -> list[Action]:
    """Return the actions of a line that names no element."""
    if verb == "write_over":
        return [Action("press", {"key": "ctrl+a"}), Action("write", {"text": str(asked)})]
    if verb == "press":
        return [Action("press", {"key": str(key)}) for key in (asked if isinstance(asked, list | tuple) else [asked])]
    if verb == "click_at":
        return [Action("move_abs", {"x": float(asked[0]), "y": float(asked[1])}), Action("single_click", {})]
    argument = _ARGUMENT_OF[verb]
    return [Action(verb, {argument: str(asked)} if argument else {})]


def _moved(environment: Environment, asked: Entry, within: str | None, patience: _Patience) -> Action:
    """Return the move to an element of the tree, to a text on the picture, or to a place in pixels."""
    if "at" in asked or is_screen_text(asked):
        x, y = _place(environment, asked, within, patience)
        return Action("move_abs", {"x": x, "y": y})
    return Action("move_id", {"id": _awaited(environment, asked, within, patience).number})


def _place(environment: Environment, asked: Any, within: str | None, patience: _Patience) -> tuple[float, float]:
    """Return a place on the screen as shares of it: as given, or the middle of an element."""
    if isinstance(asked, list | tuple):
        return float(asked[0]), float(asked[1])
    x, y = asked["at"] if "at" in asked else _awaited(environment, asked, within, patience).middle
    width, height = environment.desktop.screen
    return x / (width - 1), y / (height - 1)


def _awaited(environment: Environment, asked: Entry, within: str | None, patience: _Patience) -> Element:
    """Return an element when two observations in a row have it in the same place: then it has stopped moving."""
    seen = matching(environment.observation, asked, within)
    pause = _ASK_EVERY
    while True:
        observation = _looked(environment, asked)
        found = matching(observation, asked, within)
        if found is not None and seen is not None and found.box == seen.box:
            return found
        if found is None and patience.is_over():
            raise OracleStuck(f"no {described(asked, within)} came; there are {_there(observation, asked)}")
        seen = found
        if found is None:
            time.sleep(pause)
            pause = min(2 * pause, _ASK_AT_MOST_EVERY)


def _wait(environment: Environment, asked: Entry, within: str | None, patience: _Patience, gone: bool) -> None:
    pause = _ASK_EVERY
    while True:
        is_there = _is_there(environment, asked, within)
        if is_there != gone:
            environment.desktop.settle()
            return
        if patience.is_over():
            raise OracleStuck(f"{described(asked, within)} {'stayed' if gone else 'did not come'}")
        time.sleep(pause)
        pause = min(2 * pause, _ASK_AT_MOST_EVERY)


def _is_there(environment: Environment, asked: Entry, within: str | None) -> bool:
    desktop = environment.desktop
    if "still" in asked:
        desktop.settle(float(asked["still"]), _STILL_AT_MOST)
        return True  # a blinking cursor never stands still
    if "file" in asked:
        return desktop.client.file(desktop.place(asked["file"])) is not None
    if "window" in asked:
        return any(asked["window"] in window.title for window in desktop.windows())
    return matching(_looked(environment, asked), asked, within) is not None


def _looked(environment: Environment, asked: Entry) -> Observation:
    """Look again; where a text in the picture is asked for, the texts in the picture are the elements."""
    return with_screen_texts(environment.look("screenshot")) if is_screen_text(asked) else environment.look()


def matching(observation: Observation, asked: Entry, within: str | None) -> Element | None:
    """Return the element with that role and name: the nth if asked, else the last one, if possible in the front window: dialogs come last.

    The description of an element counts as its name where no element has the name.
    """
    return _matching(observation, asked, within, lambda one: one.name) or _matching(observation, asked, within, lambda one: one.label)


def _matching(observation: Observation, asked: Entry, within: str | None, name_of: Callable[[Element], str]) -> Element | None:
    roles = _MENU_ROLES if asked.get("role") == "menu" else {asked.get("role")}
    front = next((window.title for window in observation.windows if window.is_active), None)
    found = [
        element
        for element in observation.elements
        if element.role in roles
        and ("name" not in asked or name_of(element) == asked["name"])
        and ("text" not in asked or element.text == asked["text"])
        and ("containing" not in asked or asked["containing"] in name_of(element))
        and (within is None or within in element.window)
        and ("sensitive" in element.states or "enabled" in element.states or asked.get("disabled"))
    ]
    if not found:
        return None
    if "nth" in asked:
        return found[asked["nth"]] if len(found) > asked["nth"] else None
    in_front = [element for element in found if element.window == front]
    return (in_front or found)[-1]


def described(asked: Entry, within: str | None) -> str:
    """Return an element in words."""
    for key in ("window", "file", "still"):
        if key in asked:
            return f"{key} '{asked[key]}'"
    named = next((f"{key} '{asked[key]}'" for key in ("name", "containing", "text") if key in asked), "any name")
    return f"{asked.get('role')} with {named}" + (f" in '{within}'" if within else "")


def _there(observation: Observation, asked: Entry) -> str:
    roles = _MENU_ROLES if asked.get("role") == "menu" else {asked.get("role")}
    alike = [repr(element.name or element.text[:30]) for element in observation.elements if element.role in roles]
    windows = ", ".join(repr(window.title) for window in observation.windows)
    return f"{', '.join(alike[:40]) or 'none of that role'} in windows {windows or 'none'}"
