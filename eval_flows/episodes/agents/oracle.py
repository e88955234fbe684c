"""The oracle: it does the steps of a task as the catalog says, in the same actions as every agent.

Each element is found by its role and name when it appears; the oracle may look again while it waits for one.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cached_property, partial
from itertools import pairwise
from typing import Any

from eval_flows.episodes.agents.awaited import Entry, OracleStuck, Patience, awaited, wait_for
from eval_flows.episodes.agents.screen_texts import is_screen_text
from eval_flows.episodes.environment import Environment
from eval_flows.episodes.environment.desktop import Desktop
from eval_flows.episodes.environment.shell import script_command
from eval_flows.episodes.tasks.makers.maker import make
from eval_flows.episodes.tasks.task import TaskStep
from machines.actions import Action
from machines.errors import MachineError

ELEMENT_SECONDS = 12.0
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
_CONSOLE = "PowerShell"  # in the title of its window, in each of the consoles that Windows may open for it
_WAITING, _SCRIPTED, _NAMING = ("wait_for", "wait_gone"), ("run", "make"), ("step",)
VERBS = frozenset({*_CLICKS, *_ARGUMENT_OF, *_WAITING, *_SCRIPTED, *_NAMING, "tick", "write_over", "menu", "click_at", "drag", "powershell"})


def expanded(entries: Sequence[Entry]) -> Iterator[Entry]:
    """Yield the steps, with menus spelt out as clicks, and a script of PowerShell as what is typed."""
    for entry in entries:
        if "powershell" in entry:
            yield from _typed_into_console(str(entry["powershell"]))
            continue
        if "menu" in entry:
            for name in entry["menu"]:
                yield {"click": {"role": "menu", "name": name}, **{key: value for key, value in entry.items() if key != "menu"}}
        else:
            yield entry


def _typed_into_console(script: str) -> Iterator[Entry]:
    """Yield the steps that start PowerShell by the Run dialog, type a script there, and end it; each line of the script ends with Enter."""
    yield {"press": "super+r"}
    yield {"wait_for": {"window": "Run"}}
    yield {"write": "powershell -NoProfile\n"}
    yield {"wait_for": {"window": _CONSOLE}}
    yield {"write": f"{script.strip()}\n"}
    yield {"write": "exit\n"}
    yield {"wait_gone": {"window": _CONSOLE}}


class Line:
    """One line of an oracle, in words, and the actions that do it. They are looked for when they are first asked for."""

    def __init__(self, words: str, find: Callable[[], Sequence[Action]]) -> None:
        self.words = words
        self._find = find
        self.is_left_out = True  # until its actions are asked for

    @cached_property
    def actions(self) -> Sequence[Action]:
        """Return its actions once its elements are there; `OracleStuck` if one does not come in time."""
        self.is_left_out = False
        return self._find()


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
    """Yield the lines that do a step; carry one out before you take the next. A line whose actions nobody asks for is left out, without a look.

    The numbers of elements in a line's actions are those of the environment's last observation. `left_out` are the numbers of lines that are not
    even yielded. The first line brings the program up if the step needs that. `OracleStuck` if what the oracle waits for does not come in time.
    """
    if not _begins_by_itself(step) and step.program in environment.desktop.offers.programs:  # what an imported task does may belong to none
        yield from _brought_up(environment, step.program)
    kept = [entry for number, entry in enumerate(step.oracle) if number not in left_out]
    for entry in expanded(kept):
        if is_immediate(entry):
            planned(environment, entry, seconds)
        else:
            yield Line(f"{step.task}: {entry}", partial(planned, environment, entry, seconds))


def planned(environment: Environment, entry: Entry, seconds: float = ELEMENT_SECONDS) -> list[Action]:
    """Return the actions of one line, once the elements that it names are there; none for a line that waits, or that a script does."""
    ((verb, asked),) = [(key, value) for key, value in entry.items() if key not in _BESIDE]
    within, patience = entry.get("within"), Patience(environment, seconds)
    if verb in _NAMING:
        return []
    if verb in _SCRIPTED:
        carry_out_script(environment.desktop, verb, asked)
        return []
    if verb in _WAITING:
        wait_for(environment, asked, within, patience, gone=verb == "wait_gone")
        return []
    return _actions(environment, entry, verb, asked, patience)


def carry_out_script(desktop: Desktop, verb: str, asked: Any) -> None:
    """Run a script on the machine, or make a file there; `OracleStuck` with what a script said if it fails."""
    if verb == "make":
        make(desktop, asked)
        return
    done = desktop.client.execute(script_command(desktop, asked))
    if done["returncode"] != 0:
        raise OracleStuck(f"the script ended with {done['returncode']}: {str(done['error'] or done['output'])[-1500:]}")


def _begins_by_itself(step: TaskStep) -> bool:
    return not step.oracle or any(verb in step.oracle[0] for verb in ("open_program", *_SCRIPTED))


def _brought_up(environment: Environment, program: str) -> Iterator[Line]:
    """Open the program, or bring its window to the front, unless the window is in front already."""
    mine = environment.desktop.windows_of(program)
    if not mine:
        opening = Line(f"open {program}", lambda: [Action("open_program", {"program": program})])
        yield opening
        if opening.is_left_out:
            return
        try:
            environment.desktop.wait_until_ready(program)
        except MachineError as error:
            raise OracleStuck(str(error)) from error
    elif not any(window.is_active for window in mine):
        yield Line(f"bring {program} to the front", lambda: [Action("switch_to_app", {"window": mine[-1].title})])


def is_immediate(entry: Entry) -> bool:
    """Tell whether a line has no action of an agent: it waits, names a part, or is a script of a proof."""
    return any(verb in entry for verb in (*_WAITING, *_SCRIPTED, *_NAMING))


def _actions(environment: Environment, entry: Entry, verb: str, asked: Any, patience: Patience) -> list[Action]:
    within = entry.get("within")
    if verb in _CLICKS:
        click, held = _CLICKS[verb], {"keys": entry["holding"]} if "holding" in entry else {}
        return [_moved(environment, asked, within, patience), *([Action(click, held)] if click else [])]
    if verb == "tick":
        element = awaited(environment, asked, within, patience)
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


def _moved(environment: Environment, asked: Entry, within: str | None, patience: Patience) -> Action:
    """Return the move to an element of the tree, to a text on the picture, or to a place in pixels."""
    if "at" in asked or is_screen_text(asked):
        x, y = _place(environment, asked, within, patience)
        return Action("move_abs", {"x": x, "y": y})
    return Action("move_id", {"id": awaited(environment, asked, within, patience).number})


def _place(environment: Environment, asked: Any, within: str | None, patience: Patience) -> tuple[float, float]:
    """Return a place on the screen as shares of it: as given, or the middle of an element."""
    if isinstance(asked, list | tuple):
        return float(asked[0]), float(asked[1])
    x, y = asked["at"] if "at" in asked else awaited(environment, asked, within, patience).middle
    width, height = environment.desktop.screen
    return x / (width - 1), y / (height - 1)
