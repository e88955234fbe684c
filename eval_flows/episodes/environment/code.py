"""Code of an agent on a desktop: it runs on the machine, and each action that it calls is carried out as the same action of any agent is."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from eval_flows.episodes.environment.desktop import Desktop
from machines.actions import MalformedAction, called
from machines.errors import RefusedAction
from machines.observation import Element


@dataclass(frozen=True)
class Ran:
    """What came of an action: what code printed, why code did not run to its end, if so, and where the mouse acted last, in pixels."""

    printed: str = ""
    why: str = ""
    pointer: tuple[int, int] | None = None


def run_code(desktop: Desktop, code: str, elements: Sequence[Element]) -> Ran:
    """Run code and return what came of it. The numbers of elements are those of `elements`: code is written before it changes the screen."""
    pointer: tuple[int, int] | None = None

    def carry_out(name: str, given: list[Any], named: dict[str, Any]) -> str:
        nonlocal pointer
        try:
            pointer = desktop.do(called(name, given, named), elements) or pointer
        except (MalformedAction, RefusedAction) as error:
            return str(error)
        return ""

    end = desktop.client.run_code(code, carry_out)
    desktop.settle()
    return Ran(end.said, end.why, pointer)
