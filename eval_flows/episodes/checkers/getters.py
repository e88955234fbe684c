"""Getting what a check looks at, by the getter's name. The result is None if there is nothing to get, or if it cannot be read.

A getter that a family declares as `apart` reads in a process of its own: see `apart.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eval_flows.episodes.checkers.apart import read_apart
from eval_flows.episodes.checkers.care import within
from eval_flows.episodes.checkers.checker import CHECKERS, Checkers, known
from machines.errors import MachineError

if TYPE_CHECKING:
    from eval_flows.episodes.environment.desktop import Desktop
    from machines.plugins import Plugin

_READING_SECONDS = 10.0


def get(desktop: Desktop, name: str, asked: Any) -> Any:
    """Return the result of a getter. An unreadable file is the agent's doing, and counts as nothing.

    `LeftUnreadable` if what is there ends, or holds up, who reads it: then nobody can tell whether a check holds.
    """
    checkers = known().checkers
    if name in checkers.of_desktop:
        return checkers.of_desktop[name](desktop, asked)
    content = desktop.client.file(desktop.place(path_of(asked)))
    if content is None:
        return None
    try:
        if name in checkers.apart:
            return read_apart(_READING_SECONDS, _read, CHECKERS.plugin(known().family[name]), name, content, asked)
        return within(_READING_SECONDS, lambda: checkers.of_files[name](content, asked))
    except MachineError:
        raise
    except Exception:  # a dozen parsers raise as many kinds of errors for content that they cannot read
        return None


def _read(plugin: Plugin, name: str, content: bytes, asked: Any) -> Any:
    family: Checkers = plugin.load()
    return family.of_files[name](content, asked)


def path_of(asked: Any) -> str:
    """Return the path that a getter of a file or a folder reads, as it is declared."""
    return str(asked if isinstance(asked, str) else asked["path"])


def beside(asked: Any, key: str, otherwise: Any) -> Any:
    """Return an argument of a getter besides the path; a plain text is only a path."""
    return otherwise if isinstance(asked, str) else asked.get(key, otherwise)
