"""Action spaces: each is a language in which a model writes its actions. What they mean on a machine is in `machines.actions`.

Code of a model runs on a machine and nowhere else: reading it never runs it.

A new one is one module, and one line in `ACTION_SPACES` or an entry point `deskmill.actions` of any package.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

from machines.actions import Action
from machines.plugins import Registry


class ActionSpace(Protocol):
    """Reads actions strictly.

    A space may have two more attributes: `needs`, the actions that a machine has to offer for it beside those that every suite needs, and `about`,
    what a prompt says before the actions, in which {width} and {height} stand for those of the screen in pixels.
    """

    language: str  # of the fenced block that holds the actions, as in ```python
    example: str  # actions that click into element 12, replace its text by 250, and confirm

    def told(self, programs: Sequence[str]) -> str:
        """Return the actions as a model is told them; `programs` are the handles of the machine's programs."""
        ...

    def read(self, code: str) -> list[Action]:
        """Return the actions in a block, in order; `MalformedAction` says to the model what is wrong."""
        ...


_ABOUT = (
    "With COMMAND, a block with the actions, each on a line of its own. Only these, with literal values, are understood; anything else is refused:"
)


def about(space: ActionSpace, screen: tuple[int, int]) -> str:
    """Return what a prompt says before the actions, on a screen of that width and height."""
    return str(getattr(space, "about", _ABOUT)).format(width=screen[0], height=screen[1])


def needs(space: ActionSpace) -> frozenset[str]:
    """Return the actions that a machine has to offer for the space, beside those that every suite needs."""
    return frozenset(getattr(space, "needs", ()))


ACTION_SPACES: Registry[Callable[[], ActionSpace]] = Registry(
    "action space",
    "deskmill.actions",
    {
        "computer": "eval_flows.episodes.agents.action_spaces.computer:Computer",
        "code": "eval_flows.episodes.agents.action_spaces.code:Code",
        "native": "eval_flows.episodes.agents.action_spaces.native:Native",
    },
)
