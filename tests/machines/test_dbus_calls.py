"""Protects the questions over D-Bus: what is written and read is what the library writes and reads, and answers find their questions."""

import itertools
import socket
import struct
import threading
import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from jeepney import DBusAddress, MessageType, new_error, new_method_call, new_method_return
from jeepney.low_level import HeaderFields, Message, Parser

from machines.guest.on_linux.dbus_calls import Calls, contents, method_call

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


def told(question: Message) -> Message | None:
    """What the other side answers; nothing to what is called Nothing."""
    method, path = question.header.fields[HeaderFields.member], question.header.fields[HeaderFields.path]
    if method == "Nothing":
        return None
    return new_error(question, "org.example.No") if method == "Wrong" else new_method_return(question, "so", ("it is", path))


@pytest.fixture
def bus() -> Iterator[Any]:
    """A connection to one who answers in pieces and out of order, with signals in between."""
    ours, theirs = socket.socketpair()

    def answer() -> None:
        parser, numbers = Parser(), itertools.count(1)
        while more := theirs.recv(4096):
            parser.add_data(more)
            questions = list(iter(parser.get_next_message, None))
            answers = [made.serialise(serial=next(numbers)) for question in reversed(questions) if (made := told(question))]
            signal = new_method_call(WHERE, "Signal")
            signal.header.message_type = MessageType.signal
            whole = b"".join([signal.serialise(serial=next(numbers)), *answers])
            for start in range(0, len(whole), 1000):
                theirs.sendall(whole[start : start + 1000])

    threading.Thread(target=answer, daemon=True).start()
    yield SimpleNamespace(sock=ours, outgoing_serial=itertools.count(1))
    ours.close()


def test_a_thousand_answers_find_their_questions(bus: Any) -> None:
    calls = Calls(bus, time.monotonic() + 20)
    found = calls.all(((":1.1", f"/n/{number}"), "org.example", "Wrong" if number % 7 == 0 else "Get", "s", ("x",)) for number in range(1000))
    assert found == [None if number % 7 == 0 else ("it is", f"/n/{number}") for number in range(1000)] and not calls.silent


def test_who_is_silent_is_named_and_not_asked_again(bus: Any) -> None:
    calls = Calls(bus, time.monotonic() + 0.3)
    assert calls.all([((":1.2", "/a"), "org.example", "Get", "", ()), ((":1.9", "/a"), "org.example", "Nothing", "", ())]) == [("it is", "/a"), None]
    assert calls.silent == {":1.9"}
    assert calls.all([((":1.9", "/b"), "org.example", "Get", "", ())]) == [None]


@pytest.mark.parametrize("said", [b"", b"l\2\0\1" + b"\xff" * 12])
def test_a_bus_that_ends_or_babbles_is_an_error_of_the_connection(said: bytes) -> None:
    ours, theirs = socket.socketpair()
    theirs.sendall(said)
    theirs.shutdown(socket.SHUT_WR)
    with pytest.raises(ConnectionError):
        Calls(SimpleNamespace(sock=ours, outgoing_serial=itertools.count(1)), time.monotonic() + 5).all([((":1.1", "/a"), "o.e", "Get", "", ())])
    ours.close()
    theirs.close()


@given(CONTENTS, st.binary(max_size=40))
@example(("a()", ()), b"\4\0\0\0\0\0\0\0\0\0\0\0")
@example(("v", ()), b"\1v\0" * 5000)
def test_an_answer_that_is_cut_off_or_wrong_is_no_answer(written: tuple[str, tuple[Any, ...]], body: bytes) -> None:
    """The other side may be an agent's program."""
    try:
        contents(written[0], body)
    except (struct.error, IndexError, KeyError, UnicodeDecodeError, RecursionError):
        return
