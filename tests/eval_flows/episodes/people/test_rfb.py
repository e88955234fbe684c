"""Protects the way from a viewer to a machine: whole messages of mouse and keys pass, and what else could change the machine does not."""

import struct

import pytest

from eval_flows.episodes.people.rfb import FromViewer, Key, Pointer, WrongMessage, key_message, pointer_message

GREETING = b"RFB 003.008\n\x01\x01"
UPDATE = struct.pack(">BBHHHH", 3, 1, 0, 0, 1280, 800)


def test_messages_pass_whole_however_they_are_cut() -> None:
    sent = GREETING + UPDATE + key_message(0x61, True) + pointer_message(1, 20, 30)
    for size in (1, 3, 7, len(sent)):
        viewer = FromViewer()
        passed = [one for start in range(0, len(sent), size) for one in viewer.read(sent[start : start + size])]
        assert b"".join(one.content for one in passed) == sent
        assert [one.event for one in passed if one.event] == [Key(True, 0x61), Pointer(1, 20, 30)]


@pytest.mark.parametrize(
    "message",
    [
        struct.pack(">BxxxI", 6, 5) + b"hello",
        struct.pack(">Bxxxi", 6, -5) + b"hello",
        struct.pack(">BxHHBx", 251, 640, 480, 1) + bytes(16),
        struct.pack(">BxBB", 250, 1, 2),
        struct.pack(">BxxxIB", 248, 1, 3) + b"abc",
    ],
    ids=["clipboard", "extended clipboard", "size", "power", "fence"],
)
def test_what_changes_the_machine_otherwise_is_dropped(message: bytes) -> None:
    passed = list(FromViewer().read(GREETING + message + UPDATE))
    assert [one.content for one in passed] == [GREETING, UPDATE]


def test_extensions_are_not_offered_to_the_server() -> None:
    offered = [7, -260, -258, -312, -313, -308, 0xC0A1E5CE - 2**32, -223]
    (_, passed) = FromViewer().read(GREETING + struct.pack(f">BxH{len(offered)}i", 2, len(offered), *offered))
    assert struct.unpack(">BxH3i", passed.content) == (2, 3, 7, -260, -223)


def test_an_unknown_message_and_one_without_end_are_refused() -> None:
    with pytest.raises(WrongMessage, match="99"):
        list(FromViewer().read(GREETING + b"\x63"))
    with pytest.raises(WrongMessage, match="bytes"):
        list(FromViewer().read(GREETING + struct.pack(">BxxxI", 6, 2**30)))
