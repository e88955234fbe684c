"""The action space `code`: free Python with `computer` and pyautogui (Windows Agent Arena, section 3.2 and A.2; OSWorld has the same).

It runs on the machine as the agent's user. Here it is only read, so that a mistake of syntax is told before anything is done.
"""

import ast
from collections.abc import Sequence
from pathlib import Path

from language_models.prompts import prompt_templates
from machines.actions import RUN_CODE, Action, MalformedAction

_TEMPLATES = prompt_templates(Path(__file__).parent)


class Code:
    """Reads a program in Python as one action."""

    needs = frozenset({RUN_CODE})
    about = (
        "With COMMAND, a block with Python code. It runs on this computer as its user, for at most 20 seconds; nothing of it is left for the next "
        "code. What it prints and its errors are told to you with the next step. Places of pyautogui are pixels of the screen, which has {width} x "
        "{height}, whatever the size of a picture. There are, without an import:"
    )
    language = "python"
    example = "\n".join((
        "computer.mouse.triple_click(id=12)",
        "pyautogui.write(str(50 * 5))",
        'pyautogui.press("enter")',
    ))  # fmt: skip

    def told(self, programs: Sequence[str]) -> str:
        """Return the functions, one a line."""
        return _TEMPLATES.get_template("code.j2").render(programs=programs).strip()

    def read(self, code: str) -> list[Action]:
        """Return the action that runs the code; `MalformedAction` if it is empty or no Python."""
        try:
            body = ast.parse(code).body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise MalformedAction(f"the code cannot be read: {error}") from None
        if not body:
            raise MalformedAction("the code holds nothing to do")
        return [Action(RUN_CODE, {"code": code})]
