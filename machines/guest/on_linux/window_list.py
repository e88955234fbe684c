"""The windows that the window manager of an X server knows, from the lowest to the highest.

It needs nothing but python-xlib, so that it can also be sent to a machine that runs another guest server: as a program it writes the list as JSON.
"""

import json
from typing import Any

from Xlib import X, Xatom, display, error


def listed(screen: display.Display) -> list[dict[str, Any]]:
    """Return the windows; the place is that of the content, in pixels. Minimized ones are the lowest: they keep their place in the manager's list,
    with windows below them that they do not cover.
    """
    root = screen.screen().root
    known = root.get_full_property(screen.get_atom("_NET_CLIENT_LIST_STACKING"), Xatom.WINDOW)
    active = root.get_full_property(screen.get_atom("_NET_ACTIVE_WINDOW"), Xatom.WINDOW)
    front = active.value[0] if active and len(active.value) else 0
    lowest_first = sorted(known.value if known else (), key=lambda identity: not _is_minimized(screen, identity))
    found = (_window(screen, root, identity, identity == front) for identity in lowest_first)
    return [window for window in found if window is not None]


def _is_minimized(screen: display.Display, identity: int) -> bool:
    """Tell whether a window is hidden, as the window manager says of one that is minimized (EWMH, _NET_WM_STATE)."""
    try:
        states = screen.create_resource_object("window", identity).get_full_property(screen.get_atom("_NET_WM_STATE"), Xatom.ATOM)
    except (error.BadWindow, error.BadDrawable):
        return False  # the window has just closed
    return states is not None and screen.get_atom("_NET_WM_STATE_HIDDEN") in states.value


def _window(screen: display.Display, root: Any, identity: int, is_active: bool) -> dict[str, Any] | None:
    one = screen.create_resource_object("window", identity)
    try:
        size, place = one.get_geometry(), one.translate_coords(root, 0, 0)
        name = one.get_full_property(screen.get_atom("_NET_WM_NAME"), screen.get_atom("UTF8_STRING")) or one.get_full_property(
            Xatom.WM_NAME, X.AnyPropertyType
        )
        process = one.get_full_property(screen.get_atom("_NET_WM_PID"), Xatom.CARDINAL)
        window_class = one.get_wm_class()
    except (error.BadWindow, error.BadDrawable):
        return None  # the window has just closed
    title = name.value.decode(errors="replace") if name and isinstance(name.value, bytes) else str(name.value) if name else ""
    return {
        "identity": identity,
        "title": title,
        "window_class": window_class[1] if window_class else "",
        "process": process.value[0] if process else None,
        "x": -place.x,
        "y": -place.y,
        "width": size.width,
        "height": size.height,
        "is_active": is_active,
    }


if __name__ == "__main__":
    print(json.dumps(listed(display.Display())))
