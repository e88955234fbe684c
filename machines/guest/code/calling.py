"""How code calls an action: a line of JSON over the loopback to the guest server, and a line back.

Each call has a connection of its own, so that threads and forks of the code may call too. On both sides a line is JSON and nothing else: what code
sends is never run by the server.
"""

import json
import socket
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]
LONGEST = 2**20  # bytes of a line


class ActionError(Exception):
    """An action that was not carried out; the text says why."""


@dataclass
class _Line:
    """Where the server listens, and the word by which it knows its code."""

    port: int = 0
    word: str = ""


_line = _Line()


def connect(port: int, word: str) -> None:
    """Say where the server listens."""
    _line.port, _line.word = port, word


def call(name: str, *given: Any, **named: Any) -> Any:
    """Have an action carried out and return what it gives, mostly nothing; `ActionError` if it was refused."""
    try:
        asked = json.dumps({"word": _line.word, "name": name, "given": given, "named": named}).encode() + b"\n"
    except TypeError:
        raise ActionError(f"{name} takes texts and numbers") from None
    if len(asked) > LONGEST:
        raise ActionError(f"{name} takes at most {LONGEST} bytes")
    with socket.create_connection(("127.0.0.1", _line.port)) as connection:
        connection.sendall(asked)
        answer = json.loads(connection.makefile("rb").readline() or b"{}")
    if "value" not in answer:
        raise ActionError(answer.get("refused", "the time of the code is over"))
    return answer["value"]
