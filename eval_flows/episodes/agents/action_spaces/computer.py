"""The action space `computer`: calls of ProSoftArena's unified actions (Table 8), as Windows Agent Arena writes them."""

from collections.abc import Sequence
from pathlib import Path

from language_models.prompts import prompt_templates
from machines.actions import Action, read_actions

_TEMPLATES = prompt_templates(Path(__file__).parent)


class Computer:
    """Reads calls such as `computer.mouse.move_id(id=12)`."""

    language = "python"
    example = "\n".join((
        "computer.mouse.triple_click(id=12)",
        'computer.keyboard.write(text="250")',
        'computer.keyboard.press(key="enter")',
    ))  # fmt: skip

    def told(self, programs: Sequence[str]) -> str:
        """Return the calls, one a line."""
        return _TEMPLATES.get_template("computer.j2").render(programs=programs).strip()

    def read(self, code: str) -> list[Action]:
        """Return the actions that the calls stand for."""
        return read_actions(code)
