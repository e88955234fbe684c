"""Windows as the window manager knows them: their titles, their places, which one is in front, and bringing one to the front."""

from typing import Any

from Xlib import X, Xatom, display, error
from Xlib.protocol import event

from machines.guest.on_linux.front import State
from machines.guest.on_linux.window_list import listed
from machines.guest.on_linux.x11 import Connection
from machines.guest.platform import Window

_DEEPEST = 10  # windows between one that has the focus and its top


class Windows:
    """Asks the window manager about windows."""

    def __init__(self) -> None:
        self._connection = Connection()

    def all(self) -> list[Window]:
        """Return the windows from the lowest to the highest."""
        return [Window(**one) for one in self._connection.use(listed)]

    def popups(self) -> list[tuple[int, int, int, int]]:
        """Return places (x, y, width, height) of things above the windows that are not windows: open menus, lists of choices; no tooltips."""
        return self._connection.use(_popups)

    def state(self) -> State:
        """Return what changes when a window comes, goes, or gets the focus."""
        return self._connection.use(_state)

    def dialog_in_front(self) -> int:
        """Return the number of the window in front if it is a dialog of another window, else 0."""
        return self._connection.use(_dialog_in_front)

    def activate(self, window: Window) -> None:
        """Ask the window manager to bring a window to the front."""
        self._connection.use(lambda screen: _ask(screen, window, "_NET_ACTIVE_WINDOW", [2, X.CurrentTime, 0, 0, 0]))

    def close(self, window: Window) -> None:
        """Ask the window manager to close a window, as a person would."""
        self._connection.use(lambda screen: _ask(screen, window, "_NET_CLOSE_WINDOW", [X.CurrentTime, 2, 0, 0, 0]))


def _ask(screen: display.Display, window: Window, message: str, data: list[int]) -> None:
    root = screen.screen().root
    target = screen.create_resource_object("window", window.identity)
    sent = event.ClientMessage(window=target, client_type=screen.get_atom(message), data=(32, data))
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
    kinds = window.get_full_property(screen.get_atom("_NET_WM_WINDOW_TYPE"), Xatom.ATOM)
    return bool(kinds) and screen.get_atom("_NET_WM_WINDOW_TYPE_TOOLTIP") in kinds.value


def _state(screen: display.Display) -> State:
    root = screen.screen().root
    listed = root.get_full_property(screen.get_atom("_NET_CLIENT_LIST_STACKING"), Xatom.WINDOW)
    windows, front = tuple(listed.value) if listed else (), _front(screen)
    focus = screen.get_input_focus().focus
    number = focus if isinstance(focus, int) else focus.id
    return State(windows, front, number, takes_keys=front != 0 and _is_in(screen, number, front))


def _front(screen: display.Display) -> int:
    active = screen.screen().root.get_full_property(screen.get_atom("_NET_ACTIVE_WINDOW"), Xatom.WINDOW)
    return int(active.value[0]) if active and len(active.value) else 0


def _is_in(screen: display.Display, number: int, top: int) -> bool:
    """Tell whether a window is another one, or is in it: toolkits give the focus to a window of their own in the one in front."""
    for _ in range(_DEEPEST):
        if number == top:
            return True
        if number in (X.NONE, X.PointerRoot, screen.screen().root.id):
            return False
        try:
            parent: Any = screen.create_resource_object("window", number).query_tree().parent
        except error.BadWindow:
            return False  # it has just closed
        number = parent if isinstance(parent, int) else parent.id
    return False


def _dialog_in_front(screen: display.Display) -> int:
    """Return the window in front if it is a dialog of another window, else 0."""
    front = _front(screen)
    if not front:
        return 0
    try:
        owner = screen.create_resource_object("window", front).get_full_property(Xatom.WM_TRANSIENT_FOR, Xatom.WINDOW)
    except error.BadWindow:
        return 0
    return front if owner else 0
