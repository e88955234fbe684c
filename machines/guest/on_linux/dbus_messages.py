"""Messages of D-Bus as bytes: questions are written, and answers are read, thousands for each tree.

Writing and reading a message with the library's objects takes longer than the answer, so the parts that many messages share are written once. The
format follows the D-Bus specification ("Type System", "Message Protocol"), little-endian like all programs of one guest.
"""

from functools import lru_cache
from struct import pack, unpack_from
from typing import Any

Answer = tuple[Any, ...]
METHOD_RETURN, ERROR = 2, 3  # kinds of messages
_PATH, _INTERFACE, _MEMBER, _REPLY_SERIAL, _DESTINATION, _SIGNATURE = 1, 2, 3, 5, 6, 8
_SHORT = 512  # bytes
_NUMBERS = {"y": "B", "b": "I", "n": "h", "q": "H", "i": "i", "u": "I", "h": "I", "x": "q", "t": "Q", "d": "d"}
_SIZES = {"B": 1, "h": 2, "H": 2, "i": 4, "I": 4, "q": 8, "Q": 8, "d": 8}


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


def reply_of(message: bytes) -> tuple[int, str, bytes]:
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
        at = aligned(at, 8)
    return replied, signature, message[aligned(end, 8) :]


def contents(signature: str, body: bytes) -> Answer:
    """Return the values of a message, not to be changed; a variant is its signature and its value."""
    return _read_before(signature, body) if len(body) <= _SHORT else _read(signature, body)


def _read(signature: str, body: bytes) -> Answer:
    values, at, place = [], 0, 0
    while place < len(signature):
        value, at, place = _value(body, at, signature, place)
        values.append(value)
    return tuple(values)


_read_before = lru_cache(maxsize=2048)(_read)  # most answers of a tree are those of the tree before


def _value(body: bytes, at: int, signature: str, place: int) -> tuple[Any, int, int]:
    """Return the value of the type at `place` of the signature, where it ends in the body, and where its type ends in the signature."""
    kind = signature[place]
    if number := _NUMBERS.get(kind):
        at = aligned(at, _SIZES[number])
        return unpack_from("<" + number, body, at)[0], at + _SIZES[number], place + 1
    if kind in "so":
        at = aligned(at, 4)
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
    return _structure(body, aligned(at, 8), signature, place + 1)


def _array(body: bytes, at: int, signature: str, element: int) -> tuple[list[Any], int, int]:
    at = aligned(at, 4)
    (size,) = unpack_from("<I", body, at)
    at = aligned(at + 4, 8) if signature[element] in "({xtd" else at + 4
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


def aligned(at: int, size: int) -> int:
    """Return the next place that is a multiple of a size."""
    return at + -at % size
