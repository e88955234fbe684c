"""The action space `native`: what computer-use tools of models emit, as JSON. OpenAI's actions have a `type`, Anthropic's an `action`.

The agents `openai_computer` and `anthropic_computer` get these as calls of tools, with places in pixels of their picture. A model that writes them as
text gives places from 0 to 1000 in both directions, whatever the size of the screen.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from eval_flows.episodes.agents.native.anthropic_actions import ANTHROPIC_ACTION
from eval_flows.episodes.agents.native.openai_actions import OPENAI_ACTION
from eval_flows.episodes.agents.native.places import THOUSANDTHS, Places
from language_models.prompts import prompt_templates
from machines.actions import Action, MalformedAction
from machines.hands import HANDS

_TEMPLATES = prompt_templates(Path(__file__).parent)
_MOST_AT_ONCE = 50


class Native:
    """Reads objects of JSON, one a line or in a list."""

    needs = HANDS
    about = (
        "With COMMAND, a block with the actions, each an object of JSON on a line of its own. Places are numbers from 0 (left, top) to 1000 (right, "
        "bottom) of the whole screen. Only these are understood; anything else is refused:"
    )
    language = "json"
    example = "\n".join((
        '{"action": "triple_click", "coordinate": [500, 250]}',
        '{"type": "type", "text": "250"}',
        '{"type": "keypress", "keys": ["ENTER"]}',
    ))  # fmt: skip

    def told(self, programs: Sequence[str]) -> str:
        """Return the actions, one a line."""
        return _TEMPLATES.get_template("native.j2").render().strip()

    def read(self, code: str) -> list[Action]:
        """Return the actions that the objects stand for."""
        given = _objects(code)
        if not 1 <= len(given) <= _MOST_AT_ONCE:
            raise MalformedAction(f"the block holds {len(given)} actions; write 1 to {_MOST_AT_ONCE}")
        return [action for one in given for action in native_actions(one, THOUSANDTHS)]


def native_actions(given: Any, places: Places) -> list[Action]:
    """Return the actions of a machine for one of a tool; `MalformedAction` says to the model what is wrong."""
    if not isinstance(given, dict):
        raise MalformedAction(f"{json.dumps(given)[:80]} is no action: an action is an object with a `type` or an `action`")
    form: TypeAdapter[Any] = ANTHROPIC_ACTION if "action" in given else OPENAI_ACTION
    try:
        return list(form.validate_python(given).actions(places))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        name = given.get("action", given.get("type", "an action"))
        where = ".".join(str(part) for part in first["loc"] if part != name)
        raise MalformedAction(f"{str(name)[:40]}: {where + ': ' if where else ''}{first['msg']}") from None


def _objects(code: str) -> list[Any]:
    """Return the objects of a block: one on each line, or a list, or one object over several lines."""
    try:
        found = json.loads(code)
        return found if isinstance(found, list) else [found]
    except (ValueError, RecursionError):
        pass
    found = []
    for number, line in enumerate(code.splitlines(), start=1):
        if line.strip():
            try:
                found.append(json.loads(line))
            except (ValueError, RecursionError) as error:
                raise MalformedAction(f"line {number} is no JSON: {error}") from None
    return found
