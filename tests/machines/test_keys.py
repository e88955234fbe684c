"""Protects the one table of keys: each name presses its key on a real machine, and agents, oracles, prompts and documents use these names alone."""

import re
import string
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomic_tasks.catalog import Catalog
from eval_flows.episodes.agents import clicker
from machines.actions import Action, MalformedAction, for_guest
from machines.guest.keys import NAMES, UnknownKey, combination
from machines.sandbox import Sandbox
from tests.conftest import REPOSITORY

SHOWN = [names[0] for names in NAMES.values()]
SIGNS = "".join(sorted({character.lower() for character in string.printable if character.isprintable()}))

# Runs in the machine: takes every key for itself, and writes a line for each that goes down.
_RECORDER = """
import sys
from Xlib import X, XK, display
named = [(name[3:], number) for name, number in vars(XK).items() if name.startswith("XK_")]
screen = display.Display()
root = screen.screen().root
assert root.grab_keyboard(True, X.GrabModeAsync, X.GrabModeAsync, X.CurrentTime) == 0
screen.sync()
print("ready", flush=True)
while True:
    event = screen.next_event()
    if event.type == X.MappingNotify:
        screen.refresh_keyboard_mapping(event)
    if event.type == X.KeyPress:
        number = screen.keycode_to_keysym(event.detail, 1 if event.state & X.ShiftMask else 0)
        if number == XK.XK_F12:
            sys.exit(print("end"))
        print(*[name for name, own in named if own == number] if number > 255 else chr(number), flush=True)
"""


def recorded(machine: Sandbox, actions: list[Action]) -> list[str]:
    """What the machine's keyboard did, key by key."""
    machine.client.upload("/tmp/recorder.py", _RECORDER.encode())
    machine.client.upload("/tmp/keys", b"")
    machine.client.launch(["sh", "-c", "python3 /tmp/recorder.py > /tmp/keys 2>&1"])
    _wait(machine, "ready")
    for action in [*actions, Action("press", {"key": "f12"})]:
        machine.client.act(for_guest(action, [], (1280, 800))[0])
    return _wait(machine, "end")[1:-1]


def _wait(machine: Sandbox, last: str) -> list[str]:
    """The lines of the recorder as soon as the last one is that one."""
    until = time.monotonic() + 20
    while True:
        lines = (machine.client.file("/tmp/keys") or b"").decode().splitlines()
        if lines[-1:] == [last]:
            return lines
        assert time.monotonic() < until, lines
        time.sleep(0.02)


def test_every_name_of_the_table_presses_its_key(machine: Sandbox) -> None:
    pressed = [(symbol, name) for symbol, names in NAMES.items() for name in names if name != "f12"]
    found = recorded(machine, [Action("press", {"key": name}) for _, name in pressed])
    wanted = [key for symbol, _ in pressed for key in (["Shift_L"] if symbol in "+*" else []) + [" " if symbol == "space" else symbol]]
    assert len(found) == len(wanted) and [names for names, key in zip(found, wanted, strict=True) if key != names and key not in names.split()] == []


def test_every_sign_is_pressed_and_written(machine: Sandbox) -> None:
    pressed = recorded(machine, [Action("press", {"key": sign}) for sign in SIGNS])
    written = recorded(machine, [Action("write", {"text": SIGNS})])
    for keys in (pressed, written):
        assert "".join(key for key in keys if key != "Shift_L") == SIGNS


@pytest.mark.parametrize("key", ["ctrl++", "ctrl+plus", "ctrl+shift++", "Ctrl + +"])
def test_plus_is_pressed_in_a_combination_with_the_shift_that_it_needs(machine: Sandbox, key: str) -> None:
    assert recorded(machine, [Action("press", {"key": key})]) == ["Control_L", "Shift_L", "+"]


def test_a_combination_is_read_with_its_plus() -> None:
    assert combination("+") == combination("plus") == combination(" + ") == ["+"]
    assert combination("ctrl++") == combination("CTRL+Plus") == ["Control_L", "+"]
    assert combination("ctrl+shift+S") == ["Control_L", "Shift_L", "s"]
    assert combination("\n") == ["Return"] and combination(" ") == ["space"] and combination("page down") == ["Page_Down"]


@pytest.mark.parametrize("key", ["", "++", "ctrl+", "+s", "ctrl+++", "hyper9", "ctrl+hyper9", "\x07", "x" * 5000])
def test_what_is_no_key_is_malformed_before_it_reaches_a_machine(key: str) -> None:
    with pytest.raises(MalformedAction, match="press: .{,200}$"):
        for_guest(Action("press", {"key": key}), [], (1280, 800))
    with pytest.raises(MalformedAction, match="is on no keyboard"):
        for_guest(Action("write", {"text": "a\x07b"}), [], (1280, 800))


@given(st.lists(st.sampled_from([*SHOWN, *SIGNS.strip()]), min_size=1, max_size=4))
def test_keys_joined_by_plus_are_read_as_they_were(keys: list[str]) -> None:
    one_by_one = [key for name in keys for key in combination(name)]
    if "+" in keys[:-1]:
        with pytest.raises(UnknownKey):
            combination("+".join(keys))
    else:
        assert combination("+".join(keys)) == one_by_one


@given(st.text(max_size=20))
def test_any_text_is_keys_or_is_refused(text: str) -> None:
    try:
        assert combination(text)
    except UnknownKey as error:
        assert len(str(error)) < 200


def test_no_name_stands_for_two_keys() -> None:
    names = [name for of_one in NAMES.values() for name in of_one]
    assert len(names) == len(set(names)) and all(len(name) > 1 and name == name.lower() for name in names)


def test_what_prompts_and_oracles_press_are_keys(catalog: Catalog) -> None:
    prompts = "".join(path.read_text() for path in (REPOSITORY / "eval_flows/episodes/agents").rglob("*.j2"))
    shown = re.findall(r'press\(key="([^"]+)"\)', prompts)
    of_oracles = [line["press"] for task in catalog.tasks.values() for line in task.oracle or () if "press" in line]
    assert shown and len(of_oracles) > 300
    for key in [*shown, *clicker._KEYS, *(key for key in of_oracles if "{" not in key)]:
        assert combination(key)


def test_the_documents_list_every_key() -> None:
    text = (REPOSITORY / "docs/episodes.md").read_text()
    listed = text.split("<!-- keys -->")[1]
    assert re.findall(r"`([^`]+)`", listed) == [name for name in SHOWN if not re.fullmatch(r"f\d+", name)]
