"""Questions to other programs over D-Bus, hundreds at a time: they are sent together, and their answers are collected until a deadline.

A tree takes thousands of questions. Writing and reading a message with the library's objects takes longer than the answer, so the parts
that many messages share are written once here. The format follows the D-Bus specification ("Type System", "Message Protocol"), little-endian
like all programs of one guest. The library does the connecting and signing on.
"""

import struct
import time
from collections.abc import Iterable
from functools import lru_cache
from struct import pack, unpack_from
from typing import Any

from jeepney.io.blocking import DBusConnection

Reference = tuple[str, str]  # the name of a program on the bus, and the path of one of its objects
Question = tuple[Reference, str, str, str, tuple[Any, ...]]  # whom to ask, interface, method, signature of the arguments, the arguments
Answer = tuple[Any, ...]
_TOGETHER, _LEFT = 256, 128  # the most open questions, and how many are open when more are sent
_LARGEST = 128 * 2**20  # bytes of a message, by the specification
_METHOD_RETURN, _ERROR = 2, 3
_PATH, _INTERFACE, _MEMBER, _REPLY_SERIAL, _DESTINATION, _SIGNATURE = 1, 2, 3, 5, 6, 8
_NUMBERS = {"y": "B", "b": "I", "n": "h", "q": "H", "i": "i", "u": "I", "h": "I", "x": "q", "t": "Q", "d": "d"}
_SIZES = {"B": 1, "h": 2, "H": 2, "i": 4, "I": 4, "q": 8, "Q": 8, "d": 8}


class Calls:
    """Asks over one connection until a deadline; a program that did not answer by then is not asked again."""

    def __init__(self, bus: DBusConnection, until: float) -> None:
        self._bus = bus
        self._until = until
        self._unread = bytearray()
        self.silent: set[str] = set()

    def all(self, questions: Iterable[Question]) -> list[Answer | None]:
        """Return the contents of the answers, in the order of the questions; None for an error or for no answer."""
        waiting: dict[int, tuple[int, str]] = {}
        answers: list[Answer | None] = []
        messages = bytearray()
        for place, ((name, path), interface, method, signature, arguments) in enumerate(questions):
            answers.append(None)
            if name in self.silent:
                continue
            serial = next(self._bus.outgoing_serial)
            messages += method_call(serial, name, path, interface, method, signature, arguments)
            waiting[serial] = (place, name)
            if len(waiting) >= _TOGETHER:
                self._exchange(messages, waiting, answers, _LEFT)
        self._exchange(messages, waiting, answers, 0)
        return answers

    def _exchange(self, messages: bytearray, waiting: dict[int, tuple[int, str]], answers: list[Answer | None], left: int) -> None:
        """Send all messages, and read answers until only `left` questions are open."""
        self._bus.sock.settimeout(max(0.001, self._until - time.monotonic()))
        try:
            self._bus.sock.sendall(messages)
            messages.clear()
            while len(waiting) > left:
                for message in self._received():
                    _take(message, waiting, answers)
        except TimeoutError:
            self.silent |= {name for _, name in waiting.values()}
            waiting.clear()
            messages.clear()

    def _received(self) -> list[bytes]:
        """Return the messages that have arrived completely; wait for more to come."""
        self._bus.sock.settimeout(max(0.001, self._until - time.monotonic()))
        more = self._bus.sock.recv(2**18)
        if not more:
            raise ConnectionError("the accessibility bus has ended")
        self._unread += more
        found, start = [], 0
        while len(self._unread) - start >= 16:
            body, _, fields = unpack_from("<III", self._unread, start + 4)
            size = 16 + _aligned(fields, 8) + body
            if size > _LARGEST:
                raise ConnectionError("the messages of the accessibility bus cannot be read")
            if len(self._unread) - start < size:
                break
            found.append(bytes(self._unread[start : start + size]))
            start += size
        del self._unread[:start]
        return found


def _take(message: bytes, waiting: dict[int, tuple[int, str]], answers: list[Answer | None]) -> None:
    """Put an answer in its place; skip a message that is not an answer or that nobody waits for."""
    kind = message[1]
    if kind not in (_METHOD_RETURN, _ERROR):
        return
    try:
        replied, signature, body = _reply(message)
        place, _ = waiting.pop(replied, (None, ""))
        if place is not None and kind == _METHOD_RETURN:
            answers[place] = contents(signature, body)
    except (struct.error, IndexError, KeyError, UnicodeDecodeError, RecursionError):
        return  # an answer that cannot be read counts as no answer


def method_call(serial: int, name: str, path: str, interface: str, method: str, signature: str, arguments: tuple[Any, ...]) -> bytes:
    """Return a message that calls a method."""
    body = _arguments(signature, arguments)
    fields = _shared_fields(name, interface, method, signature)
    own = _field(_PATH, "o", path)
    size = len(fields) + len(own)
    return pack("<BBBBIII", ord("l"), 1, 0, 1, len(body), serial, size) + fields + own + bytes(-size % 8) + body


@lru_cache(maxsize=1024)
def _shared_fields(name: str, interface: str, method: str, signature: str) -> bytes:
    """Return the header's fields that many messages share, each padded to the start of the next one."""
    fields = [_field(_DESTINATION, "s", name), _field(_INTERFACE, "s", interface), _field(_MEMBER, "s", method)]
    if signature:
        fields.append(_field(_SIGNATURE, "g", signature))
    return b"".join(field + bytes(-len(field) % 8) for field in fields)


def _field(code: int, kind: str, value: str) -> bytes:
    text = value.encode()
    return bytes((code, 1, ord(kind), 0)) + pack("<B" if kind == "g" else "<I", len(text)) + text + b"\0"


@lru_cache(maxsize=1024)
def _arguments(signature: str, values: tuple[Any, ...]) -> bytes:
    """Return texts and whole numbers as bytes; questions have no other arguments."""
    made = bytearray()
    for kind, value in zip(signature, values, strict=True):
        made += bytes(-len(made) % 4)
        if kind == "s":
            text = value.encode()
            made += pack("<I", len(text)) + text + b"\0"
        else:
            made += pack("<" + _NUMBERS[kind], value)
    return bytes(made)


def _reply(message: bytes) -> tuple[int, str, bytes]:
    """Return the number of the question that a message answers, the signature of its content, and the content."""
    ((fields_size,), replied, signature) = unpack_from("<I", message, 12), 0, ""
    at, end = 16, 16 + fields_size
    while at < end:
        code, kind = message[at], message[at + 2]
        if kind == ord("u"):
            (value,) = unpack_from("<I", message, at + 4)
            replied = value if code == _REPLY_SERIAL else replied
            at += 8
        elif kind == ord("g"):
            size = message[at + 4]
            signature = message[at + 5 : at + 5 + size].decode() if code == _SIGNATURE else signature
            at += size + 6
        else:
            (size,) = unpack_from("<I", message, at + 4)
            at += size + 9
        at = _aligned(at, 8)
    return replied, signature, message[_aligned(end, 8) :]


def contents(signature: str, body: bytes) -> Answer:
    """Return the values of a message; a variant is its signature and its value."""
    values, at, place = [], 0, 0
    while place < len(signature):
        value, at, place = _value(body, at, signature, place)
        values.append(value)
    return tuple(values)


def _value(body: bytes, at: int, signature: str, place: int) -> tuple[Any, int, int]:
    """Return the value of the type at `place` of the signature, where it ends in the body, and where its type ends in the signature."""
    kind = signature[place]
    if number := _NUMBERS.get(kind):
        at = _aligned(at, _SIZES[number])
        return unpack_from("<" + number, body, at)[0], at + _SIZES[number], place + 1
    if kind in "so":
        at = _aligned(at, 4)
        end = at + 4 + unpack_from("<I", body, at)[0]
        return body[at + 4 : end].decode(), end + 1, place + 1
    if kind in "gv":
        end = at + 1 + body[at]
        text = body[at + 1 : end].decode()
        if kind == "g":
            return text, end + 1, place + 1
        value, at, _ = _value(body, end + 1, text, 0)
        return (text, value), at, place + 1
    if kind == "a":
        return _array(body, at, signature, place + 1)
    return _structure(body, _aligned(at, 8), signature, place + 1)


def _array(body: bytes, at: int, signature: str, element: int) -> tuple[list[Any], int, int]:
    at = _aligned(at, 4)
    (size,) = unpack_from("<I", body, at)
    at = _aligned(at + 4, 8) if signature[element] in "({xtd" else at + 4
    end, after = at + size, _after(signature, element)
    if end > len(body):
        raise IndexError("an array beyond the end")
    values = []
    while at < end:
        value, then, _ = _value(body, at, signature, element)
        if then == at:
            raise IndexError("an element of no size")
        values.append(value)
        at = then
    return values, end, after


def _structure(body: bytes, at: int, signature: str, place: int) -> tuple[tuple[Any, ...], int, int]:
    values = []
    while signature[place] not in ")}":
        value, at, place = _value(body, at, signature, place)
        values.append(value)
    return tuple(values), at, place + 1


def _after(signature: str, place: int) -> int:
    """Return where the type that starts at `place` of a signature ends."""
    while signature[place] == "a":
        place += 1
    depth = 0
    while True:
        depth += (signature[place] in "({") - (signature[place] in ")}")
        place += 1
        if depth == 0:
            return place


def _aligned(at: int, size: int) -> int:
    return at + -at % size
