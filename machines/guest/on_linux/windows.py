"""Windows as the window manager knows them: their titles, their places, which one is in front, and bringing one to the front."""

from typing import Any

from Xlib import X, Xatom, display, error
from Xlib.protocol import event

from machines.guest.on_linux.window_list import listed
from machines.guest.on_linux.x11 import Connection
from machines.guest.platform import Window


class Windows:
    """Asks the window manager about windows."""

    def __init__(self) -> None:
        self._connection = Connection()

    def all(self) -> list[Window]:
        """Return the windows from the lowest to the highest."""
        return [Window(**one) for one in self._connection.use(listed)]

    def places(self) -> list[tuple[str, tuple[int, int, int, int]]]:
        """Return the title of each window and the place (x, y, width, height) of its content."""
        return [(one.title, (one.x, one.y, one.width, one.height)) for one in self.all()]

    def popups(self) -> list[tuple[int, int, int, int]]:
        """Return places (x, y, width, height) of things above the windows that are not windows: open menus, lists of choices; no tooltips."""
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


def _popups(screen: display.Display) -> list[tuple[int, int, int, int]]:
    found = []
    for child in screen.screen().root.query_tree().children:
        try:
            known = child.get_attributes()
            if known.override_redirect and known.map_state == X.IsViewable and not _is_tooltip(screen, child):
                box = child.get_geometry()
                found.append((box.x, box.y, box.width, box.height))
        except (error.BadWindow, error.BadDrawable):
            continue  # the window has just closed
    return found


def _is_tooltip(screen: display.Display, window: Any) -> bool:
    kinds = window.get_full_property(screen.intern_atom("_NET_WM_WINDOW_TYPE"), Xatom.ATOM)
    return bool(kinds) and screen.intern_atom("_NET_WM_WINDOW_TYPE_TOOLTIP") in kinds.value
