"""Protects that windows which their program lists nowhere are told: file dialogs of Chromium were missing among the elements."""

from collections import deque
from typing import Any

from jeepney import DBusAddress, HeaderFields, Message, new_signal

from machines.guest.on_linux import accessibility
from machines.guest.on_linux.accessibility import Accessibility
from machines.guest.on_linux.activated_windows import ActivatedWindows
from machines.guest.on_linux.node import STATES

PROGRAM, OTHER = ":1.7", ":1.9"
PAGE, DIALOG, CLOSED = "/org/a11y/page", "/org/a11y/dialog", "/org/a11y/closed"


def activated(program: str, path: str, event: str = "Activate") -> Message:
    message = new_signal(DBusAddress(path, interface="org.a11y.atspi.Event.Window"), event, "s", ("",))
    message.header.fields[HeaderFields.sender] = program
    return message


class Bus:
    """A connection on which these signals have arrived."""

    sock, outgoing_serial = None, iter(())

    def __init__(self, *signals: Message) -> None:
        self.signals = deque(signals)
        self.asked: list[Message] = []

    def send_and_get_reply(self, message: Message) -> None:
        self.asked.append(message)

    def receive(self, timeout: float) -> Message:
        assert timeout == 0
        if not self.signals:
            raise TimeoutError
        return self.signals.popleft()

    def close(self) -> None:
        """Nothing to close."""


def test_windows_are_heard_once_and_the_last_one_last() -> None:
    bus = Bus(
        activated(PROGRAM, "/a"), activated(PROGRAM, "/b"), activated(OTHER, "/a"), activated(PROGRAM, "/a"), activated(PROGRAM, "/c", "Create")
    )
    windows = ActivatedWindows(bus)
    assert [message.body[0] for message in bus.asked][1] == "Window:Activate", "nothing is told unless somebody registers for it"
    assert windows.heard() == [(PROGRAM, "/b"), (OTHER, "/a"), (PROGRAM, "/a")]
    assert windows.heard() == [(PROGRAM, "/b"), (OTHER, "/a"), (PROGRAM, "/a")]


def test_a_program_that_opens_windows_without_end_is_forgotten_from_its_beginning() -> None:
    bus = Bus(*(activated(PROGRAM, f"/{number}") for number in range(1000)))
    heard = ActivatedWindows(bus).heard()
    assert heard[-1] == (PROGRAM, "/999") and len(heard) < 100


def answer(question: Any) -> Any:
    """A program with one page in its list, whose dialog is not in it; another window has been closed."""
    (_, path), _, method, _, arguments = question
    if path == CLOSED:
        return None
    if method == "GetChildren":
        return ([(PROGRAM, "/program")] if path.endswith("root") else [(PROGRAM, PAGE)] if path == "/program" else [],)
    found = {
        "GetState": ([1 << STATES.index("showing"), 0],),
        "GetRoleName": ("application" if path == "/program" else "frame" if path == PAGE else "file chooser",),
        "Get": (("s", path) if arguments[-1:] == ("Name",) else ("i", int(path == "/program")),),
        "GetInterfaces": ([],),
        "GetExtents": ((1, 2, 30, 40),),
    }
    return found.get(method)


def test_a_dialog_that_no_list_holds_is_in_the_tree_and_a_closed_one_is_not(monkeypatch: Any) -> None:
    class Calls:
        silent: frozenset[str] = frozenset()

        def __init__(self, *_: Any) -> None:
            pass

        def all(self, questions: Any) -> list[Any]:
            return [answer(question) for question in questions]

    bus = Bus(activated(PROGRAM, PAGE), activated(PROGRAM, DIALOG), activated(PROGRAM, CLOSED), activated(OTHER, DIALOG))
    monkeypatch.setattr(accessibility, "wake_accessibility", lambda session: "address")
    monkeypatch.setattr(accessibility, "open_dbus_connection", lambda address: bus)
    monkeypatch.setattr(accessibility, "Calls", Calls)
    (program,), _, _ = Accessibility("session", lambda: []).tree(1, [])
    assert [(child.role, child.name) for child in program.children] == [("frame", PAGE), ("file chooser", DIALOG)]
