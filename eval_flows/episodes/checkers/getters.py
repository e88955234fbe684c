"""Getting what a check looks at, by the getter's name. The result is None if there is nothing to get, or if it cannot be read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eval_flows.episodes.checkers.care import within
from eval_flows.episodes.checkers.checker import known

if TYPE_CHECKING:
    from eval_flows.episodes.environment.desktop import Desktop

_READING_SECONDS = 10.0


def get(desktop: Desktop, name: str, asked: Any) -> Any:
    """Return the result of a getter. An unreadable file is the agent's doing, and counts as nothing."""
    checkers = known().checkers
    if name in checkers.of_desktop:
        return checkers.of_desktop[name](desktop, asked)
    content = desktop.client.file(desktop.place(path_of(asked)))
    if content is None:
        return None
    try:
        return within(_READING_SECONDS, lambda: checkers.of_files[name](content, asked))
    except Exception:  # a dozen parsers raise as many kinds of errors for content that they cannot read
        return None


def path_of(asked: Any) -> str:
    """Return the path that a getter of a file or a folder reads, as it is declared."""
    return str(asked if isinstance(asked, str) else asked["path"])


def beside(asked: Any, key: str, otherwise: Any) -> Any:
    """Return an argument of a getter besides the path; a plain text is only a path."""
    return otherwise if isinstance(asked, str) else asked.get(key, otherwise)
