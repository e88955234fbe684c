"""Windows that their program lists nowhere: file dialogs of GTK in a program with a tree of its own, such as Chromium.

They are in no list of children, but each tells that it is activated, if somebody listens.
"""

from collections.abc import Iterator

from jeepney import DBusAddress, HeaderFields, MatchRule, message_bus, new_method_call
from jeepney.io.blocking import DBusConnection

from machines.guest.on_linux.dbus_calls import Reference

_REGISTRY = DBusAddress("/org/a11y/atspi/registry", "org.a11y.atspi.Registry", "org.a11y.atspi.Registry")
_EVENTS, _EVENT = "org.a11y.atspi.Event.Window", "Activate"
_MANY = 50  # windows: programs that open more leave the oldest to be forgotten


class ActivatedWindows:
    """Listens from now on, over a connection to the accessibility bus that nothing else uses."""

    def __init__(self, bus: DBusConnection) -> None:
        self._heard: dict[Reference, None] = {}
        self._bus = bus
        self._bus.send_and_get_reply(message_bus.AddMatch(MatchRule(type="signal", interface=_EVENTS, member=_EVENT)))
        self._bus.send_and_get_reply(new_method_call(_REGISTRY, "RegisterEvent", "sass", (f"Window:{_EVENT}", [], "")))

    def close(self) -> None:
        """Close the connection."""
        self._bus.close()

    def heard(self) -> list[Reference]:
        """Return the windows that were activated so far, the last one last; some may be gone."""
        for window in _waiting(self._bus):
            self._heard.pop(window, None)
            self._heard[window] = None
        self._heard = dict.fromkeys(list(self._heard)[-_MANY:])
        return list(self._heard)


def _waiting(bus: DBusConnection) -> Iterator[Reference]:
    """Take the signals that have arrived."""
    while True:
        try:
            fields = bus.receive(timeout=0).header.fields
        except TimeoutError:
            return
        if fields.get(HeaderFields.member) == _EVENT:
            yield fields[HeaderFields.sender], fields[HeaderFields.path]
