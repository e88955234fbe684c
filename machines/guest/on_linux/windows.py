"""Windows as the window manager knows them: their titles, their places, which one is in front, and bringing one to the front."""

from typing import Any

from Xlib import X, Xatom, display, error
from Xlib.protocol import event

from machines.guest.on_linux.x11 import Connection
from machines.guest.platform import Window


class Windows:
    """Asks the window manager about windows."""

    def __init__(self) -> None:
        self._connection = Connection()

    def all(self) -> list[Window]:
        """Return the windows from the lowest to the highest."""
        return self._connection.use(_all)

    def popups(self) -> list[tuple[int, int, int, int]]:
        """Return places (x, y, width, height) of things above the windows that are not windows: open menus, tooltips, lists of choices."""
        return self._connection.use(_popups)

    def activate(self, window: Window) -> None:
        """Ask the window manager to bring a window to the front."""
        self._connection.use(lambda screen: _ask(screen, window, "_NET_ACTIVE_WINDOW", [2, X.CurrentTime, 0, 0, 0]))

    def close(self, window: Window) -> None:
        """Ask the window manager to close a window, as a person would."""
        self._connection.use(lambda screen: _ask(screen, window, "_NET_CLOSE_WINDOW", [X.CurrentTime, 2, 0, 0, 0]))


def _ask(screen: display.Display, window: Window, message: str, data: list[int]) -> None:
    root = screen.screen().root
    target = screen.create_resource_object("window", window.identity)
    sent = event.ClientMessage(window=target, client_type=screen.intern_atom(message), data=(32, data))
    root.send_event(sent, event_mask=X.SubstructureRedirectMask | X.SubstructureNotifyMask)
    screen.sync()


def _all(screen: display.Display) -> list[Window]:
    root = screen.screen().root
    listed = root.get_full_property(screen.intern_atom("_NET_CLIENT_LIST_STACKING"), Xatom.WINDOW)
    active = root.get_full_property(screen.intern_atom("_NET_ACTIVE_WINDOW"), Xatom.WINDOW)
    front = active.value[0] if active and len(active.value) else 0
    found = (_window(screen, root, identity, identity == front) for identity in (listed.value if listed else ()))
    return [window for window in found if window is not None]


def _popups(screen: display.Display) -> list[tuple[int, int, int, int]]:
    found = []
    for child in screen.screen().root.query_tree().children:
        try:
            known = child.get_attributes()
            if known.override_redirect and known.map_state == X.IsViewable:
                box = child.get_geometry()
                found.append((box.x, box.y, box.width, box.height))
        except (error.BadWindow, error.BadDrawable):
            continue  # the window has just closed
    return found


def _window(screen: display.Display, root: Any, identity: int, is_active: bool) -> Window | None:
    one = screen.create_resource_object("window", identity)
    try:
        size, place = one.get_geometry(), one.translate_coords(root, 0, 0)
        name = one.get_full_property(screen.intern_atom("_NET_WM_NAME"), screen.intern_atom("UTF8_STRING")) or one.get_full_property(
            Xatom.WM_NAME, X.AnyPropertyType
        )
        process = one.get_full_property(screen.intern_atom("_NET_WM_PID"), Xatom.CARDINAL)
        window_class = one.get_wm_class()
    except (error.BadWindow, error.BadDrawable):
        return None
    title = name.value.decode(errors="replace") if name and isinstance(name.value, bytes) else str(name.value) if name else ""
    at = -place.x, -place.y
    return Window(
        identity, title, window_class[1] if window_class else "", process.value[0] if process else None, *at, size.width, size.height, is_active
    )
