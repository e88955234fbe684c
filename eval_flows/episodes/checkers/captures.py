"""Getters of packet captures, pcap and pcapng in either byte order, read here from their bytes."""

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

_SECTION, _INTERFACE, _SIMPLE, _ENHANCED = 0x0A0D0D0A, 1, 3, 6
_COMMENT, _RESOLUTION = 1, 9  # options
_IDENTIFICATION, _ADDRESSES = slice(18, 20), slice(26, 34)  # of IPv4 within an Ethernet frame


@dataclass
class Packet:
    """One packet: its bytes, when it was seen, and what somebody wrote to it."""

    frame: bytes
    time: float
    comment: str | None = None


@dataclass
class Capture:
    """A capture file."""

    format: str
    comment: str | None = None
    packets: list[Packet] = field(default_factory=list)


def of_capture(content: bytes, what: str) -> Any:
    """A property of a capture: see checkers.yaml."""
    capture = read_capture(content)
    packets = capture.packets
    if what.startswith("comment."):
        return packets[int(what.partition(".")[2]) - 1].comment
    ways: Mapping[str, Callable[[], Any]] = {
        "format": lambda: capture.format,
        "comment": lambda: capture.comment,
        "comments": lambda: [packet.comment for packet in packets if packet.comment is not None],
        "sources": lambda: _addresses(packets, 0),
        "targets": lambda: _addresses(packets, 4),
        "identifications": lambda: [int.from_bytes(packet.frame[_IDENTIFICATION]) for packet in packets if _is_ipv4(packet)],
        "begins": lambda: _moment(packets[0]),
        "ends": lambda: _moment(packets[-1]),
        "frames": lambda: [packet.frame.hex() for packet in packets],
    }
    return ways[what]()


def _addresses(packets: Sequence[Packet], start: int) -> list[str]:
    found = (packet.frame[_ADDRESSES][start : start + 4] for packet in packets if _is_ipv4(packet))
    return sorted({".".join(map(str, address)) for address in found})


def _moment(packet: Packet) -> str:
    return datetime.fromtimestamp(packet.time, UTC).isoformat(timespec="seconds")


def packets(content: bytes) -> int:
    """How many packets a capture holds."""
    return len(read_capture(content).packets)


def _is_ipv4(packet: Packet) -> bool:
    return packet.frame[12:14] == b"\x08\x00"


def read_capture(content: bytes) -> Capture:
    """What a capture file holds; `ValueError` where it is none."""
    if content[:4] == b"\x0a\x0d\x0d\x0a":
        return _of_blocks(content)
    magics = {b"\xd4\xc3\xb2\xa1": ("<", 1e6), b"\xa1\xb2\xc3\xd4": (">", 1e6), b"\x4d\x3c\xb2\xa1": ("<", 1e9), b"\xa1\xb2\x3c\x4d": (">", 1e9)}
    if content[:4] not in magics:
        raise ValueError("neither pcap nor pcapng")
    order, parts = magics[content[:4]]
    capture, at = Capture("pcap"), 24
    while at + 16 <= len(content):
        seconds, part, length = struct.unpack_from(f"{order}III", content, at)
        capture.packets.append(Packet(content[at + 16 : at + 16 + length], seconds + part / parts))
        at += 16 + length
    return capture


def _of_blocks(content: bytes) -> Capture:
    order = "<" if content[8:12] == b"\x4d\x3c\x2b\x1a" else ">"
    capture, parts, at = Capture("pcapng"), [], 0
    while at + 12 <= len(content):
        kind, length = struct.unpack_from(f"{order}II", content, at)
        if length < 12:
            raise ValueError("a block shorter than its frame")
        body = content[at + 8 : at + length - 4]
        if kind == _SECTION:
            capture.comment = _text(order, body[16:])
        elif kind == _INTERFACE:
            resolution = dict(_options(order, body[8:])).get(_RESOLUTION, b"\x06")[0]
            parts.append(2.0 ** (resolution & 0x7F) if resolution & 0x80 else 10.0**resolution)
        elif kind == _ENHANCED:
            interface, high, low, held, _ = struct.unpack_from(f"{order}IIIII", body)
            rest = 20 + held + -held % 4
            capture.packets.append(Packet(body[20 : 20 + held], ((high << 32) + low) / parts[interface], _text(order, body[rest:])))
        elif kind == _SIMPLE:
            capture.packets.append(Packet(body[4 : 4 + struct.unpack_from(f"{order}I", body)[0]], 0.0))
        at += length
    return capture


def _text(order: str, options: bytes) -> str | None:
    return next((value.decode(errors="replace") for kind, value in _options(order, options) if kind == _COMMENT), None)


def _options(order: str, options: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at + 4 <= len(options):
        kind, length = struct.unpack_from(f"{order}HH", options, at)
        if kind == 0:
            return
        yield kind, options[at + 4 : at + 4 + length]
        at += 4 + length + -length % 4
