"""Getters of folders: what is in them, and what an entry of a folder is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eval_flows.episodes.checkers.checker import Checkers
from eval_flows.episodes.checkers.getters import path_of

if TYPE_CHECKING:
    from eval_flows.episodes.environment.desktop import Desktop

Json = dict[str, Any]


def _names(desktop: Desktop, asked: Any) -> list[str] | None:
    found = desktop.client.listing(desktop.place(path_of(asked)))
    return None if found is None else sorted(entry["name"] for entry in found)


def _entry(desktop: Desktop, asked: Any) -> Json | None:
    """Return the entry of a path in the folder that it is in; None if there is none."""
    folder, _, last = desktop.place(path_of(asked)).rstrip("/").rpartition("/")
    return next((entry for entry in desktop.client.listing(folder or "/") or () if entry["name"] == last), None)


CHECKERS = Checkers(
    of_desktop={
        "names": _names,
        "exists": lambda desktop, asked: _entry(desktop, asked) is not None,
        "permissions": lambda desktop, asked: (_entry(desktop, asked) or {}).get("mode"),
        "link": lambda desktop, asked: (_entry(desktop, asked) or {}).get("target"),
    }
)
