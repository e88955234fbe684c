"""Protects the questions over D-Bus: what is written and read is what the library writes and reads, and answers find their questions."""

import itertools
import socket
import struct
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from jeepney import DBusAddress, MessageType, new_error, new_method_call, new_method_return
from jeepney.low_level import HeaderFields, Message, Parser

from machines.guest.on_linux.dbus_calls import Calls
from machines.guest.on_linux.dbus_lines import Line, Lines
from machines.guest.on_linux.dbus_messages import contents, method_call

TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)
NUMBERS = st.integers(0, 2**32 - 1)
VALUES = {
    "s": TEXTS,
    "u": NUMBERS,
    "i": st.integers(-(2**31), 2**31 - 1),
    "d": st.floats(allow_nan=False),
    "b": st.booleans(),
    "y": st.integers(0, 255),
    "x": st.integers(-(2**63), 2**63 - 1),
    "q": st.integers(0, 2**16 - 1),
    "au": st.lists(NUMBERS, max_size=4),
    "as": st.lists(TEXTS, max_size=4),
    "a(so)": st.lists(st.tuples(TEXTS, st.just("/a/b")), max_size=3),
    "(so)": st.tuples(TEXTS, st.just("/org/a11y/7")),
    "(iiii)": st.tuples(*[st.integers(-9, 9)] * 4),
    "v": st.one_of(st.tuples(st.just("s"), TEXTS), st.tuples(st.just("i"), st.integers(-5, 5)), st.tuples(st.just("d"), st.floats(allow_nan=False))),
    "aax": st.lists(st.lists(st.integers(-3, 3), max_size=2), max_size=3),
    "a(yv)": st.lists(st.tuples(st.integers(0, 255), st.tuples(st.just("s"), TEXTS)), max_size=3),
}


def signed(kinds: list[str]) -> st.SearchStrategy[tuple[str, tuple[Any, ...]]]:
    """A signature of some of these types, with values of them."""
    chosen = st.lists(st.sampled_from(kinds), max_size=5)
    return chosen.flatmap(lambda some: st.tuples(st.just("".join(some)), st.tuples(*(VALUES[kind] for kind in some))))


ARGUMENTS, CONTENTS = signed(["s", "i", "u"]), signed(list(VALUES))
WORKS, RESTS = lambda: True, lambda: False  # whether any program of the machine works
WHERE = DBusAddress("/a/b", "org.example", "org.example.Thing")


def read_by_library(message: bytes) -> Message:
    parser = Parser()
    parser.add_data(message)
    (found,) = iter(parser.get_next_message, None)
    return found


@given(ARGUMENTS, st.integers(1, 2**31), st.sampled_from(["/", "/a", "/org/a11y/atspi/accessible/123"]))
def test_the_library_reads_what_is_written(arguments: tuple[str, tuple[Any, ...]], serial: int, path: str) -> None:
    signature, values = arguments
    found = read_by_library(method_call(serial, ":1.7", path, "org.example.Thing", "GetIt", signature, values))
    assert found.header.message_type is MessageType.method_call and found.header.serial == serial
    fields = found.header.fields
    assert fields[HeaderFields.path] == path and fields[HeaderFields.destination] == ":1.7"
    assert (fields[HeaderFields.interface], fields[HeaderFields.member]) == ("org.example.Thing", "GetIt")
    assert fields.get(HeaderFields.signature, "") == signature and found.body == values


@given(CONTENTS)
def test_what_the_library_writes_is_read(written: tuple[str, tuple[Any, ...]]) -> None:
    signature, values = written
    whole = new_method_call(WHERE, "Say", signature, values).serialise(serial=1)
    size = int.from_bytes(whole[4:8], "little")
    assert contents(signature, whole[len(whole) - size :]) == values


def told(question: Message, who: str) -> Message | None:
    """What the other side answers; nothing to what is called Nothing."""
    method, path = question.header.fields[HeaderFields.member], question.header.fields[HeaderFields.path]
    if method == "Nothing":
        return None
    return new_error(question, "org.example.No") if method == "Wrong" else new_method_return(question, "so", (who, path))


def answer(theirs: socket.socket, who: str = "it is", ends_at: str = "") -> None:
    """Answer in pieces and out of order, with signals in between, until something asks for the path `ends_at`."""
    parser, numbers = Parser(), itertools.count(1)
    while more := theirs.recv(4096):
        parser.add_data(more)
        questions = list(iter(parser.get_next_message, None))
        if ends_at in [question.header.fields[HeaderFields.path] for question in questions]:
            break
        answers = [made.serialise(serial=next(numbers)) for question in reversed(questions) if (made := told(question, who))]
        signal = new_method_call(WHERE, "Signal")
        signal.header.message_type = MessageType.signal
        whole = b"".join([signal.serialise(serial=next(numbers)), *answers])
        for start in range(0, len(whole), 1000):
            theirs.sendall(whole[start : start + 1000])
    theirs.close()


def lines_of(connected: socket.socket) -> Lines:
    bus: Any = SimpleNamespace(sock=connected, outgoing_serial=itertools.count(1))
    return Lines(bus)


@pytest.fixture
def lines() -> Iterator[Lines]:
    """Only a bus, where somebody answers."""
    ours, theirs = socket.socketpair()
    threading.Thread(target=answer, args=(theirs,), daemon=True).start()
    made = lines_of(ours)
    yield made
    made.close()


def listening(place: Path, ends_at: str = "") -> str:
    """The address of a program that listens on a socket of its own, and lets one sign on."""
    server = socket.create_server(str(place), family=socket.AF_UNIX)

    def serve() -> None:
        theirs, _ = server.accept()
        server.close()
        said = b""
        while not said.endswith(b"BEGIN\r\n"):
            said += theirs.recv(1)
            if said.endswith(b"\r\n") and b"AUTH" in said and not said.endswith(b"BEGIN\r\n"):
                theirs.sendall(b"OK 1234deadbeef\r\n")
        answer(theirs, "on my own line", ends_at)

    threading.Thread(target=serve, daemon=True).start()
    return f"unix:path={place},guid=1"


def test_a_thousand_answers_find_their_questions(lines: Lines) -> None:
    calls = Calls(lines, time.monotonic() + 20, WORKS)
    found = calls.all(((":1.1", f"/n/{number}"), "org.example", "Wrong" if number % 7 == 0 else "Get", "s", ("x",)) for number in range(1000))
    assert found == [None if number % 7 == 0 else ("it is", f"/n/{number}") for number in range(1000)] and not calls.silent


def test_who_is_silent_is_named_and_not_asked_again(lines: Lines) -> None:
    calls = Calls(lines, time.monotonic() + 0.3, WORKS)
    assert calls.all([((":1.2", "/a"), "org.example", "Get", "", ()), ((":1.9", "/a"), "org.example", "Nothing", "", ())]) == [("it is", "/a"), None]
    assert calls.silent == {":1.9"}
    assert calls.all([((":1.9", "/b"), "org.example", "Get", "", ())]) == [None]


@pytest.mark.parametrize("is_anyone_busy", [WORKS, RESTS])
def test_one_that_hangs_does_not_take_the_time_of_the_others(lines: Lines, is_anyone_busy: Any) -> None:
    """Found by playing: a plug-in of GIMP hung, and the list of elements stayed empty for the rest of the episode."""
    calls = Calls(lines, time.monotonic() + 1.5, is_anyone_busy)
    assert calls.all([((":1.9", "/a"), "org.example", "Nothing", "", ())]) == [None]
    for number in range(5):
        assert calls.all([((":1.2", f"/{number}"), "org.example", "Get", "", ())] * 300) == [("it is", f"/{number}")] * 300
    assert calls.silent == {":1.9"}


def test_who_was_silent_before_is_left_out_unless_it_answers_now(lines: Lines) -> None:
    calls = Calls(lines, time.monotonic() + 20, RESTS)
    calls.leave_out_silent([":1.2"])
    assert not calls.silent and calls.all([((":1.2", "/a"), "org.example", "Get", "", ())]) == [("it is", "/a")]
    ours, theirs = socket.socketpair()  # nobody answers at the other end
    calls = Calls(lines_of(ours), time.monotonic() + 20, WORKS)
    calls.leave_out_silent([":1.9"])
    assert calls.silent == {":1.9"}
    ours.close()
    theirs.close()


@pytest.mark.parametrize("said", [b"", b"l\2\0\1" + b"\xff" * 12])
def test_a_bus_that_ends_or_babbles_is_an_error_of_the_connection(said: bytes) -> None:
    ours, theirs = socket.socketpair()
    theirs.sendall(said)
    theirs.shutdown(socket.SHUT_WR)
    with pytest.raises(ConnectionError):
        Calls(lines_of(ours), time.monotonic() + 5, WORKS).all([((":1.1", "/a"), "o.e", "Get", "", ())])
    ours.close()
    theirs.close()


def test_a_program_with_a_line_of_its_own_is_asked_there(lines: Lines, tmp_path: Path) -> None:
    assert lines.unknown([":1.1", ":1.2"]) == [":1.1", ":1.2"]
    lines.add(":1.1", listening(tmp_path / "own"))
    lines.add(":1.2", "")
    assert lines.unknown([":1.1", ":1.2", ":1.3"]) == [":1.3"]
    asked = [((f":1.{1 + number % 2}", f"/{number}"), "org.example", "Get", "", ()) for number in range(600)]
    found = Calls(lines, time.monotonic() + 20, WORKS).all(asked)
    assert found == [("it is" if number % 2 else "on my own line", f"/{number}") for number in range(600)]


def test_a_line_that_ends_leaves_its_program_unanswered_and_later_the_bus_tells(lines: Lines, tmp_path: Path) -> None:
    lines.unknown([":1.1"])
    lines.add(":1.1", listening(tmp_path / "own", ends_at="/end"))
    asked = [((":1.1", "/end"), "org.example", "Get", "", ()), ((":1.2", "/b"), "org.example", "Get", "", ())]
    calls = Calls(lines, time.monotonic() + 20, WORKS)
    assert calls.all(asked) == [None, ("it is", "/b")] and not calls.silent
    assert calls.all(asked[:1]) == [("it is", "/end")]


def test_a_program_answers_for_itself_alone(lines: Lines, tmp_path: Path) -> None:
    """The numbers of questions can be guessed by an agent's program, which could answer those to others first."""
    theirs, ours = socket.socketpair()
    lines.unknown([":1.1"])
    lines._own[":1.1"] = Line(ours)
    forged = new_method_return(new_method_call(WHERE, "Get"), "so", ("forged", "/f"))
    forged.header.fields[HeaderFields.reply_serial] = 2
    theirs.sendall(forged.serialise(serial=1))
    asked = [((":1.1", "/a"), "org.example", "Get", "", ()), ((":1.2", "/b"), "org.example", "Get", "", ())]
    calls = Calls(lines, time.monotonic() + 0.5, WORKS)
    assert calls.all(asked) == [None, ("it is", "/b")] and calls.silent == {":1.1"}
    theirs.close()


def test_a_program_that_says_other_things_all_the_time_is_not_heard_for_ever(lines: Lines) -> None:
    theirs, ours = socket.socketpair()
    lines.unknown([":1.1"])
    lines._own[":1.1"] = Line(ours)
    is_over = threading.Event()

    def chatter() -> None:
        while not is_over.wait(0.02):
            signal = new_method_call(WHERE, "Signal")
            signal.header.message_type = MessageType.signal
            theirs.sendall(signal.serialise(serial=7))

    talking = threading.Thread(target=chatter)
    talking.start()
    calls = Calls(lines, time.monotonic() + 0.5, WORKS)
    assert calls.all([((":1.1", "/a"), "org.example", "Get", "", ())]) == [None] and calls.silent == {":1.1"}
    is_over.set()
    talking.join()
    theirs.close()


@pytest.mark.parametrize("address", ["", "tcp:host=127.0.0.1,port=1", "unix:path=/nowhere/at/all"])
def test_a_program_whose_line_cannot_be_opened_is_asked_over_the_bus(lines: Lines, address: str) -> None:
    lines.unknown([":1.1"])
    lines.add(":1.1", address)
    assert lines.of(":1.1") is lines.bus and lines.unknown([":1.1"]) == []


@given(CONTENTS, st.binary(max_size=40))
@example(("a()", ()), b"\4\0\0\0\0\0\0\0\0\0\0\0")
@example(("v", ()), b"\1v\0" * 5000)
def test_an_answer_that_is_cut_off_or_wrong_is_no_answer(written: tuple[str, tuple[Any, ...]], body: bytes) -> None:
    """The other side may be an agent's program."""
    try:
        contents(written[0], body)
    except (struct.error, IndexError, KeyError, UnicodeDecodeError, RecursionError):
        return
