"""Asking a person for help: the action, and the function for models that act by tools, which stands beside the tool of their API."""

from typing import Any

from eval_flows.episodes.agents.prompts import rendered
from eval_flows.episodes.environment import ASK
from language_models.chat import Tool
from machines.actions import Action, MalformedAction

ASK_PERSON = "ask_person"
_WORDS = {
    "reason": "why you ask: what you tried, and what came of it",
    "request": "what the person is to do, or to tell you",
}


def ask_person() -> Tool:
    """Return the function by which a model asks."""
    parameters = {name: {"type": "string", "description": told} for name, told in _WORDS.items()}
    schema = {"type": "object", "properties": parameters, "required": list(_WORDS), "additionalProperties": False}
    return Tool(ASK_PERSON, rendered("ask_person").strip(), schema)


def question(reason: Any, request: Any) -> Action:
    """Return the action that asks; `MalformedAction` if a text is none, or if nothing is requested."""
    if not isinstance(reason, str) or not isinstance(request, str) or not request.strip():
        raise MalformedAction(f"{ASK} needs a text `request`: {_WORDS['request']}; and a text `reason`: {_WORDS['reason']}")
    return Action(ASK, {"reason": reason.strip(), "request": request.strip()})
