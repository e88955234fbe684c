"""Getters of what commands print, and of the screen: windows, accessibility tree, wallpaper."""

import ast
import io
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit

from PIL import Image

from eval_flows.episodes.osworld.getters.getter import Asked, Getters, Guest, asked, at_home, cached, fetched, nodes

_WALLPAPER = ["gsettings", "get", "org.gnome.desktop.background", "picture-uri"]


def vm_command_line(guest: Guest, wanted: Asked) -> str | None:
    """What a `command` (with `shell` or without) prints in the machine; None if it cannot be run."""
    return _said(guest, wanted, "output")


def vm_command_error(guest: Guest, wanted: Asked) -> str | None:
    """What a `command` (with `shell` or without) prints as errors in the machine; None if it cannot be run."""
    return _said(guest, wanted, "error")


def _said(guest: Guest, wanted: Asked, what: str) -> str | None:
    found = guest.execute(asked(wanted, "command"), shell=str(wanted.get("shell", False)).lower() == "true").get(what)
    return None if found is None else str(found)


def vm_terminal_output(guest: Guest, wanted: Asked) -> str | None:
    """The text of the terminal on the screen, as the accessibility tree has it; None if there is no terminal."""
    texts = [node.text for node in nodes(guest, "terminal") if node.text and node.text.strip()]
    return texts[-1].rstrip() if texts else None


def accessibility_tree(guest: Guest, wanted: Asked) -> str:
    """The accessibility tree of the screen, as XML."""
    return guest.tree()


def vm_screen_size(guest: Guest, wanted: Asked) -> Mapping[str, int]:
    """The `width` and `height` of the screen in pixels."""
    with Image.open(io.BytesIO(guest.screenshot())) as screen:
        return {"width": screen.width, "height": screen.height}


def vm_window_size(guest: Guest, wanted: Asked) -> Mapping[str, int] | None:
    """The `width` and `height` of the largest window of a program (`app_class_name`) in pixels; None if it has no window."""
    name = str(asked(wanted, "app_class_name")).lower()
    found = [window for window in guest.windows() if name in window.window_class.lower().split(".")]
    largest = max(found, key=lambda window: window.width * window.height, default=None)
    return None if largest is None else {"width": largest.width, "height": largest.height}


def vm_active_window_title(guest: Guest, wanted: Asked) -> str | None:
    """The title of the window in front; None if there is none."""
    return next((window.title for window in guest.windows() if window.is_active), None)


def vm_wallpaper(guest: Guest, wanted: Asked) -> Path | None:
    """The picture behind the desktop, fetched to `dest`: its path, or None."""
    dest = asked(wanted, "dest")
    if guest.platform == "Windows":
        return fetched(guest, at_home(guest, "AppData", "Roaming", "Microsoft", "Windows", "Themes", "TranscodedWallpaper"), dest)
    try:
        address = ast.literal_eval(str(guest.execute(_WALLPAPER).get("output") or "").strip())
    except (ValueError, SyntaxError):
        address = ""
    if not address:
        cached(guest, dest).unlink(missing_ok=True)
        return None
    return fetched(guest, unquote(urlsplit(address).path), dest)


GETTERS: Getters = {
    "vm_command_line": vm_command_line,
    "vm_command_error": vm_command_error,
    "vm_terminal_output": vm_terminal_output,
    "accessibility_tree": accessibility_tree,
    "vm_screen_size": vm_screen_size,
    "vm_window_size": vm_window_size,
    "vm_active_window_title": vm_active_window_title,
    "vm_wallpaper": vm_wallpaper,
}
