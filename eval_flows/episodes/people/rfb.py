"""What a viewer sends to a VNC server (RFB, RFC 6143, section 7.5), read message by message, so that only what may pass passes.

Everything that changes the machine otherwise than by pointer and keys is dropped: clipboards, sizes, power. So are offers of extensions that would
bring other messages.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

_GREETING = 14  # bytes: version (12), security type, whether others may look too
_LENGTHS = {0: 20, 3: 10, 4: 8, 5: 6, 150: 10, 250: 4, 255: 12}  # of messages that always have the same
_SET_ENCODINGS, _KEY, _POINTER, _CUT_TEXT, _FENCE, _SET_SIZE = 2, 4, 5, 6, 248, 251
_PASSES = {0, _SET_ENCODINGS, 3, _KEY, _POINTER}
_ENCODINGS = {*range(17), *range(-32, -21), *range(-256, -246), -223, -224, -239, -260}  # pictures, their quality, the last part, size, pointer
_LONGEST = 1_000_000  # bytes


class WrongMessage(ValueError):
    """The viewer sent what is no message of the protocol."""


@dataclass(frozen=True)
class Key:
    """A key that goes down or up, by its number in X (keysym)."""

    is_down: bool
    symbol: int


@dataclass(frozen=True)
class Pointer:
    """The place of the pointer in pixels, and the buttons that are down: bit 0 left, 1 middle, 2 right, 3 to 6 the wheel."""

    buttons: int
    x: int
    y: int


@dataclass(frozen=True)
class Message:
    """A message as it is sent on; `event` is what the person did, if anything."""

    content: bytes
    event: Key | Pointer | None = None


class FromViewer:
    """Reads what one viewer sends, in parts of any size."""

    def __init__(self) -> None:
        self._held = b""
        self._greeted = 0

    def read(self, part: bytes) -> Iterator[Message]:
        """Yield the whole messages that may pass, those of the greeting first; `WrongMessage` if it is something else."""
        self._held += part
        if left := min(_GREETING - self._greeted, len(self._held)):
            self._greeted += left
            yield Message(self._taken(left))
        while self._held and (length := self._length()) <= len(self._held):
            message = self._passed(self._taken(length))
            if message is not None:
                yield message

    def _taken(self, length: int) -> bytes:
        taken, self._held = self._held[:length], self._held[length:]
        return taken

    def _length(self) -> int:
        """Return the length of the message that begins what is held, or more than there is if that is not known yet."""
        kind, held = self._held[0], self._held
        if kind in _LENGTHS:
            return _LENGTHS[kind]
        for known, at, form, unit, head in (
            (_SET_ENCODINGS, 2, ">H", 4, 4),
            (_CUT_TEXT, 4, ">i", 1, 8),
            (_FENCE, 8, ">B", 1, 9),
            (_SET_SIZE, 6, ">B", 16, 8),
        ):
            if kind == known:
                if len(held) < head:
                    return head
                length = head + unit * abs(struct.unpack_from(form, held, at)[0])
                if length > _LONGEST:
                    raise WrongMessage(f"a message of {length} bytes")
                return int(length)
        raise WrongMessage(f"a message of the unknown kind {kind}")

    def _passed(self, content: bytes) -> Message | None:
        kind = content[0]
        if kind not in _PASSES:
            return None
        if kind == _KEY:
            _, is_down, _, symbol = struct.unpack(">BBHI", content)
            return Message(content, Key(bool(is_down), symbol))
        if kind == _POINTER:
            _, buttons, x, y = struct.unpack(">BBHH", content)
            return Message(content, Pointer(buttons, x, y))
        if kind == _SET_ENCODINGS:
            known = [one for one in struct.unpack(f">{(len(content) - 4) // 4}i", content[4:]) if one in _ENCODINGS]
            return Message(struct.pack(f">BBH{len(known)}i", kind, 0, len(known), *known))
        return Message(content)


def key_message(symbol: int, is_down: bool) -> bytes:
    """Return the message of a key."""
    return struct.pack(">BBHI", _KEY, is_down, 0, symbol)


def pointer_message(buttons: int, x: int, y: int) -> bytes:
    """Return the message of the pointer."""
    return struct.pack(">BBHH", _POINTER, buttons, x, y)
