"""`computer` as Windows Agent Arena's agents call it (Table 5): `computer.mouse.move_id(id=3)`. Names and arguments are checked where calls are
carried out, as in the action space `computer`.
"""

from dataclasses import dataclass
from typing import Any

from machines.guest.code.calling import call


@dataclass(frozen=True)
class Computer:
    """Any name of it is a part of it, and calling a part is an action."""

    _name: str = "computer"

    def __getattr__(self, name: str) -> "Computer":
        if name.startswith("__"):
            raise AttributeError(name)
        return Computer(f"{self._name}.{name}")

    def __call__(self, *given: Any, **named: Any) -> None:
        """Carry out the action."""
        call(self._name, *given, **named)


computer = Computer()
