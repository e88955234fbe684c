"""Element sources: each is one way to find what can be used on a screen, such as the accessibility tree or reading the picture.

The observation source `marks` shows any mixture of them. A new one is one module, and one line in `ELEMENTS` or an entry point `deskmill.elements`
of any package.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from eval_flows.episodes.agents.agent import Situation
from machines.observation import Element
from machines.plugins import Registry
from machines.trees.elements import Box


@dataclass(frozen=True)
class Found:
    """What a source found: its box (x, y, width, height in pixels), its text or label, and its kind, a role of `machines/trees/roles.yaml`.

    `source` is the name of the source and `confidence` how sure it is, from 0 to 1. `is_usable` tells whether it is worth a box on the picture.
    `element` is the element of the tree that it is, whose number and states it keeps.
    """

    box: Box
    text: str
    kind: str
    source: str
    confidence: float = 1.0
    is_usable: bool = True
    element: Element | None = None


class ElementSource(Protocol):
    """Finds elements in a situation. A run sends it to its workers, so it has to pickle."""

    @property
    def wants(self) -> frozenset[str]:
        """Return what observations have to hold for it besides elements and windows: `screenshot`, `clipboard`, `dom`."""
        ...

    @property
    def content(self) -> str:
        """Return what decides its result besides its code and the situation, such as the version of a program: part of the identity of a run."""
        ...

    def find(self, situation: Situation) -> Sequence[Found]:
        """Return what it finds; `MachineError` if what it needs has failed."""
        ...


ELEMENTS: Registry[Callable[[], ElementSource]] = Registry(
    "element source",
    "deskmill.elements",
    {  # in the order of trust: of two that see the same, the first is kept
        "tree": "eval_flows.episodes.agents.elements.tree:Tree",
        "dom": "eval_flows.episodes.agents.elements.dom:Dom",
        "ocr": "eval_flows.episodes.agents.elements.ocr:ocr",
        "icons": "eval_flows.episodes.agents.elements.icons:Icons",
        "detector": "eval_flows.episodes.agents.elements.detector:detector",
    },
)
