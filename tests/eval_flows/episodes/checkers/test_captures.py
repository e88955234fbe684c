"""Protects captures: pcap and pcapng are read in both byte orders with comments and every resolution of time, and made byte for byte the same."""

import hashlib
import struct
from typing import Any

import pytest

from eval_flows.episodes.checkers.captures import Packet, read_capture
from tests.eval_flows.episodes.tasks.examples import got, made

FRAMES = [b"\2" * 12 + b"\x08\x00" + bytes([0x45, *range(19)]), b"odd"]


def _block(order: str, kind: int, body: bytes) -> bytes:
    length = struct.pack(f"{order}I", len(body) + 12)
    return struct.pack(f"{order}I", kind) + length + body + length


def _option(order: str, kind: int, value: bytes) -> bytes:
    return struct.pack(f"{order}HH", kind, len(value)) + value + b"\0" * (-len(value) % 4)


def _packet(order: str, interface: int, time: int, frame: bytes, options: bytes) -> bytes:
    head = struct.pack(f"{order}IIIII", interface, time >> 32, time & 0xFFFFFFFF, len(frame), len(frame))
    return _block(order, 6, head + frame + b"\0" * (-len(frame) % 4) + options)


def _pcapng(order: str) -> bytes:
    """A commented file with an interface that counts microseconds, one that counts nanoseconds, and one that counts 1/1024 of a second."""
    end = _option(order, 0, b"")
    section = struct.pack(f"{order}IHHq", 0x1A2B3C4D, 1, 0, -1) + _option(order, 4, b"dumpcap") + _option(order, 1, "Prüfung ✓".encode()) + end
    interface = struct.pack(f"{order}HHI", 1, 0, 65535)
    return (
        _block(order, 0x0A0D0D0A, section)
        + _block(order, 1, interface)
        + _block(order, 1, interface + _option(order, 9, b"\x09") + end)
        + _block(order, 1, interface + _option(order, 9, b"\x8a") + end)
        + _packet(order, 0, 1_500_000, FRAMES[0], _option(order, 1, b"look here") + end)
        + _block(order, 4, b"\0" * 8)  # names, which are passed over
        + _packet(order, 1, 2_500_000_000, FRAMES[1], b"")
        + _packet(order, 2, 3 * 1024 + 512, FRAMES[0], _option(order, 2, b"\0" * 4) + end)
        + _block(order, 3, struct.pack(f"{order}I", 3) + b"odd\0")  # a simple packet has no time
    )


def _pcap(order: str, magic: int, parts: int) -> bytes:
    packets = [struct.pack(f"{order}IIII", second, parts // 2, len(frame), len(frame)) + frame for second, frame in zip((1, 2), FRAMES, strict=True)]
    return struct.pack(f"{order}IHHiIII", magic, 2, 4, 0, 0, 65535, 1) + b"".join(packets)


@pytest.mark.parametrize("order", "<>")
def test_a_pcapng_file_is_read_with_comments_and_each_interfaces_time(order: str) -> None:
    capture = read_capture(_pcapng(order))
    assert (capture.format, capture.comment) == ("pcapng", "Prüfung ✓")
    assert capture.packets == [
        Packet(FRAMES[0], 1.5, "look here"), Packet(FRAMES[1], 2.5), Packet(FRAMES[0], 3.5), Packet(b"odd", 0.0),
    ]  # fmt: skip
    asked: dict[str, Any] = {"comment": "Prüfung ✓", "comments": ["look here"], "comment.1": "look here", "comment.2": None, "comment.9": None}
    assert {what: got("capture", _pcapng(order), what=what) for what in asked} == asked


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize(("magic", "parts"), [(0xA1B2C3D4, 10**6), (0xA1B23C4D, 10**9)])
def test_a_pcap_file_is_read_in_microseconds_and_nanoseconds(order: str, magic: int, parts: int) -> None:
    capture = read_capture(_pcap(order, magic, parts))
    assert (capture.format, capture.comment) == ("pcap", None)
    assert capture.packets == [Packet(FRAMES[0], 1.5), Packet(FRAMES[1], 2.5)]


def test_several_comments_are_all_told() -> None:
    twice = _option("<", 1, b"first") + _option("<", 1, b"second") + _option("<", 0, b"")
    section = _block("<", 0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1) + twice)
    content = section + _block("<", 1, struct.pack("<HHI", 1, 0, 65535)) + _packet("<", 0, 1, FRAMES[0], twice) + _packet("<", 0, 2, FRAMES[0], b"")
    assert [got("capture", content, what=what) for what in ("comment", "comment.1", "comment.2")] == ["first\nsecond"] * 2 + [None]
    assert got("capture", content, what="comments") == ["first\nsecond"]


def test_made_captures_keep_their_bytes() -> None:
    """Also with another version of dpkt: proofs of what was made before would not hold otherwise."""
    found = {path: hashlib.sha256(made("capture", path=path)).hexdigest()[:16] for path in ("a.pcap", "a.pcapng")}
    assert found == {"a.pcap": "11413f1acab144c6", "a.pcapng": "7e7b9582fddb0e82"}
