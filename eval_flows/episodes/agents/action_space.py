"""Action spaces: each is a language in which a model writes its actions. What they mean on a machine is in `machines.actions`.

A new one is one module, and one line in `ACTION_SPACES` or an entry point `deskmill.actions` of any package.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

from machines.actions import Action
from machines.plugins import Registry


class ActionSpace(Protocol):
    """Reads actions strictly; code of a model is never run."""

    language: str  # of the fenced block that holds the actions, as in ```python
    example: str  # actions that click into element 12, replace its text by 250, and confirm

    def told(self, programs: Sequence[str]) -> str:
        """Return the actions as a model is told them; `programs` are the handles of the machine's programs."""
        ...

    def read(self, code: str) -> list[Action]:
        """Return the actions in a block, in order; `MalformedAction` says to the model what is wrong."""
        ...


ACTION_SPACES: Registry[Callable[[], ActionSpace]] = Registry(
    "action space",
    "deskmill.actions",
    {
        "computer": "eval_flows.episodes.agents.action_spaces.computer:Computer",
    },
)
