"""Getters of packet captures, pcap and pcapng in either byte order."""

import io
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import dpkt  # type: ignore[import-untyped]
from dpkt import pcapng

from eval_flows.episodes.checkers.checker import Checkers

_SECTION, _INTERFACE, _SIMPLE, _ENHANCED = 0x0A0D0D0A, 1, 3, 6
_IDENTIFICATION, _ADDRESSES = slice(18, 20), slice(26, 34)  # of IPv4 within an Ethernet frame


@dataclass
class Packet:
    """One packet: its bytes, its time, and its comment."""

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
    """Return a property of a capture: see checkers.yaml."""
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
    """Return the number of packets in a capture."""
    return len(read_capture(content).packets)


def _is_ipv4(packet: Packet) -> bool:
    return packet.frame[12:14] == b"\x08\x00"


def read_capture(content: bytes) -> Capture:
    """Return the content of a capture file; an error of dpkt, or `ValueError`, if it is not a capture."""
    if content[:4] == b"\x0a\x0d\x0d\x0a":
        return _of_blocks(content)
    return Capture("pcap", packets=[Packet(frame, float(time)) for time, frame in dpkt.pcap.Reader(io.BytesIO(content))])


def _of_blocks(content: bytes) -> Capture:
    """Read the blocks of a pcapng file one by one: dpkt's own reader skips comments, simple packets and all interfaces except one."""
    order = "<" if content[8:12] == b"\x4d\x3c\x2b\x1a" else ">"
    names = ("SectionHeaderBlock", "InterfaceDescriptionBlock", "EnhancedPacketBlock")
    section, interface, enhanced = (getattr(pcapng, name + "LE" * (order == "<")) for name in names)
    capture, parts, at = Capture("pcapng"), [], 0
    while at + 12 <= len(content):
        kind, length = struct.unpack_from(f"{order}II", content, at)
        if length < 12:
            raise ValueError("a block shorter than its frame")
        block = content[at : at + length]
        if kind == _SECTION:
            capture.comment = _comment(section(block))
        elif kind == _INTERFACE:
            parts.append(_parts_of_a_second(interface(block)))
        elif kind == _ENHANCED:
            packet = enhanced(block)
            time = ((packet.ts_high << 32) + packet.ts_low) / parts[packet.iface_id]
            capture.packets.append(Packet(packet.pkt_data, time, _comment(packet)))
        elif kind == _SIMPLE:
            capture.packets.append(Packet(block[12 : 12 + struct.unpack_from(f"{order}I", block, 8)[0]], 0.0))
        at += length
    return capture


def _parts_of_a_second(interface: Any) -> float:
    """Return how many time units of its packets make a second."""
    resolution = next((option.data[0] for option in interface.opts if option.code == pcapng.PCAPNG_OPT_IF_TSRESOL), 6)
    return 2.0 ** (resolution & 0x7F) if resolution & 0x80 else 10.0**resolution


def _comment(block: Any) -> str | None:
    """Return the comment of a block, several as lines; None if it has none."""
    return "\n".join(option.text for option in block.opts if option.code == pcapng.PCAPNG_OPT_COMMENT) or None


CHECKERS = Checkers(
    of_files={
        "packets": lambda content, _: packets(content),
        "capture": lambda content, asked: of_capture(content, asked["what"]),
    }
)
