"""A kept request in words, for readers of reports: its messages by role, whatever API it was written for."""

import json
from typing import Any

_PICTURES = {"image", "image_url", "input_image", "computer_screenshot"}
_HOLDS = ("text", "content", "tool_calls", "output")
_SECRET = {"encrypted_content", "signature", "data"}  # long, and in no words


def told_messages(request: dict[str, Any]) -> list[dict[str, str]]:
    """Return the messages of a request, each with `role` and `content`; a picture is told as such."""
    if "prompt" in request:
        return [{"role": "user", "content": request["prompt"]}]
    system = [{"role": "system", "content": request["system"]}] if request.get("system") else []
    items = [*system, *(request.get("messages") or request.get("input") or ())]
    return [{"role": str(item.get("role") or item.get("type")), "content": _words(item)} for item in items]


def _words(part: Any) -> str:
    if isinstance(part, list):
        return "\n".join(words for inner in part if (words := _words(inner)))
    if not isinstance(part, dict):
        return str(part or "")
    if part.get("type") in _PICTURES:
        return "[picture]"
    inner = [part[name] for name in _HOLDS if name in part]
    if inner:
        return _words(inner)
    return json.dumps({name: value for name, value in part.items() if name not in _SECRET}, ensure_ascii=False)
