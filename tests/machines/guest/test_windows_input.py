"""Protects what the guest on Windows sends and shows, as far as it can be tried without Windows: structures, events, pictures, the clipboard, and windows."""

import ctypes
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from machines.guest.keys import NAMES, combination
from machines.guest.on_windows import api, clipboard, screen, window_list
from machines.guest.on_windows import input as on_windows_input
from machines.guest.on_windows.input import ABSOLUTE, KEY_UP, MOVE, UNICODE, Key, Mouse, clicked, moved, packed, pressed, turned, written
from machines.guest.on_windows.key_codes import CODES, EXTENDED
from machines.guest.platform import ActionError, Screen
from tests.machines.guest.windows_library import Library

SCREEN = Screen(1440, 900)


def of_layout(code: int) -> int:
    """A keyboard of the United States, as far as the tests press it."""
    character = chr(code)
    return {"+": 0x1BB, "=": 0xBB, "€": -1}.get(character, ord(character.upper()) | (0x100 if character.isupper() else 0))


def test_structures_have_the_sizes_and_places_of_64_bit_windows() -> None:
    assert [
        ctypes.sizeof(one) for one in (api.Input, api.MouseInput, api.KeyInput, api.CursorInfo, api.IconInfo, api.BitmapHeader, api.FileOperation)
    ] == [40, 32, 24, 24, 32, 40, 56]
    assert (
        api.Input.of.offset,
        api.MouseInput.flags.offset,
        api.MouseInput.extra.offset,
        api.KeyInput.flags.offset,
        api.CursorInfo.cursor.offset,
    ) == (8, 12, 24, 4, 8)
    assert (
        api.IconInfo.mask.offset,
        api.FileOperation.source.offset,
        api.FileOperation.flags.offset,
        api.FileOperation.aborted.offset,
        api.FileOperation.names.offset,
    ) == (16, 16, 32, 36, 40)


@given(st.integers(320, 7680), st.data())
def test_the_pointer_lands_on_the_pixel_that_was_meant(width: int, data: st.DataObject) -> None:
    x = data.draw(st.integers(0, width - 1))
    event = moved(x, 0, Screen(width, 900))
    assert event.flags == MOVE | ABSOLUTE and event.x * width // 65536 == x and 0 <= event.x < 65536


def test_buttons_and_the_wheel() -> None:
    assert clicked("left") == [Mouse(2), Mouse(4)] and clicked("right") == [Mouse(8), Mouse(16)]
    assert [turned(way) for way in ("up", "down", "left", "right")] == [
        Mouse(0x800, data=120),
        Mouse(0x800, data=-120),
        Mouse(0x1000, data=-120),
        Mouse(0x1000, data=120),
    ]
    (one,) = packed([turned("down")], lambda *_: 0)
    assert (one.kind, one.of.mouse.data, one.of.mouse.flags) == (0, 2**32 - 120, 0x800)


def test_keys_are_held_around_the_clicks_and_let_go_if_a_click_is_refused() -> None:
    sent: list[tuple[int, int]] = []

    def send(count: int, events: Any, _: int) -> int:
        sent.extend((one.of.mouse.flags, 0) if one.kind == 0 else (one.of.keys.key, one.of.keys.flags) for one in events)
        return 0 if refuses and events[0].kind == 0 else count

    library, refuses = Library(SendInput=send), False
    hand = on_windows_input.Input(api.Api(lambda _: library), SCREEN)
    hand.click(times=2, keys="ctrl+shift")
    assert sent == [(0xA2, 0), (0xA0, 0), (2, 0), (4, 0), (2, 0), (4, 0), (0xA0, KEY_UP), (0xA2, KEY_UP)]
    refuses = True
    sent.clear()
    with pytest.raises(ActionError):
        hand.click("right", keys="alt")
    assert sent[-1] == (0xA4, KEY_UP)


def test_every_name_of_a_key_has_a_code() -> None:
    named = {symbol for symbol in NAMES if len(symbol) > 1}
    assert named == set(CODES)
    assert {"Home", "Up", "Super_L", "Control_R"} <= {symbol for symbol, code in CODES.items() if code in EXTENDED} and CODES["F12"] == 0x7B


def test_keys_go_down_in_order_and_up_in_reverse_with_shift_where_it_is_needed() -> None:
    assert pressed(combination("ctrl+shift+s"), of_layout) == [
        Key(0xA2),
        Key(0xA0),
        Key(0x53),
        Key(0x53, KEY_UP),
        Key(0xA0, KEY_UP),
        Key(0xA2, KEY_UP),
    ]
    assert pressed(combination("ctrl++"), of_layout)[:3] == [Key(0xA2), Key(0xA0), Key(0xBB)]
    assert pressed(["Delete"], of_layout) == [Key(0x2E, 1), Key(0x2E, 1 | KEY_UP)]
    with pytest.raises(ActionError, match="on no key of this keyboard"):
        pressed(["€"], of_layout)


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"], exclude_characters=" "), min_size=1, max_size=1))
def test_any_character_is_typed_as_its_units_of_utf_16(character: str) -> None:
    events = [event for event in written(character) if isinstance(event, Key)]
    units = [event.scan for event in events if not event.flags & KEY_UP]
    assert b"".join(unit.to_bytes(2, "little") for unit in units).decode("utf-16-le") == character
    assert all(event.flags & UNICODE and event.code == 0 for event in events) and len(events) == 2 * len(units)


def test_new_lines_and_tabs_are_keys() -> None:
    assert written("\n") == [Key(0x0D), Key(0x0D, KEY_UP)] and written("\t")[0] == Key(0x09)


def test_input_that_windows_refuses_is_said() -> None:
    library = Library(SendInput=lambda count, *_: count)
    hand = on_windows_input.Input(api.Api(lambda _: library), SCREEN)
    hand.write("é" * 100)
    hand.press("ctrl+a")
    hand.drag_along([(1, 1), (10, 20)])
    assert [call[0] for call in library.SendInput.calls[:3]] == [128, 72, 4] and {call[2] for call in library.SendInput.calls} == {40}
    library.SendInput.answer = 0
    with pytest.raises(ActionError, match="refuses mouse and keyboard"):
        hand.click()


def test_a_picture_is_what_the_screen_holds_and_nothing_is_left() -> None:
    def pixels(_: Any, __: Any, ___: int, lines: int, buffer: Any, header: Any, ____: int) -> int:
        assert (header._obj.size, header._obj.width, header._obj.height, header._obj.bits) == (40, 3, -2, 32)
        buffer[:] = bytes([10, 20, 30, 0]) * 6
        return lines

    library = Library(GetDIBits=pixels, GetCursorInfo=0, CreateCompatibleBitmap=77, CreateCompatibleDC=78)
    picture = screen.taken(api.Api(lambda _: library), Screen(3, 2)).picture()
    assert len(library.GetCursorInfo.calls) == 1, "the pointer is looked for, to be drawn"
    assert picture.size == (3, 2) and picture.getpixel((2, 1)) == (30, 20, 10)
    assert library.DeleteObject.calls == [(77,)] and library.DeleteDC.calls == [(78,)] and len(library.ReleaseDC.calls) == 1
    screen.taken(api.Api(lambda _: library), Screen(3, 2), with_pointer=False)
    assert len(library.GetCursorInfo.calls) == 1, "and left out"
    library.BitBlt.answer = 0
    with pytest.raises(ActionError, match="no picture of the screen"):
        screen.taken(api.Api(lambda _: library), Screen(3, 2))


def test_the_clipboard_holds_texts_and_pictures() -> None:
    memory: dict[int, Any] = {}

    def allocate(_: int, size: int) -> int:
        memory[5] = ctypes.create_string_buffer(size)
        return 5

    library = Library(
        GlobalAlloc=allocate,
        GlobalLock=lambda held: ctypes.addressof(memory[held]),
        GlobalSize=lambda held: len(memory[held]),
        GetClipboardData=5,
        CreateWindowExW=9,
    )
    functions = api.Api(lambda _: library)
    clipboard.copy_text(functions, "Zoë ✓ 😀")
    assert clipboard.text(functions) == "Zoë ✓ 😀" and library.SetClipboardData.calls == [(13, 5)] and library.OpenClipboard.calls[0] == (9,)
    assert len(library.CloseClipboard.calls) == len(library.OpenClipboard.calls) == 2 and library.DestroyWindow.calls == [(9,)]
    clipboard.copy_picture(functions, Image.new("RGB", (2, 2), "red"))
    assert int.from_bytes(memory[5].raw[:4], "little") == 40, "a bitmap without the header of its file"
    library.GetClipboardData.answer = 0
    assert clipboard.text(functions) == ""


def test_windows_are_listed_from_the_lowest_without_those_that_are_no_windows_of_a_person() -> None:
    titles = {1: "Editor", 2: "Hidden", 3: "", 4: "Asleep", 5: "Program Manager", 6: "Explorer"}

    def fill(texts: dict[int, str]) -> Any:
        def write(window: Any, buffer: Any, _: int) -> None:
            buffer.value = texts[window.value]

        return write

    def cloaked(window: Any, _: int, value: Any, __: int) -> None:
        value._obj.value = int(window.value == 4)

    def place(_: Any, point: Any) -> None:
        point._obj.x, point._obj.y = 10, 20

    def size(_: Any, rectangle: Any) -> None:
        rectangle._obj.right, rectangle._obj.bottom = 300, 200

    user = Library(
        EnumWindows=lambda take, _: [take(window, None) for window in titles],
        IsWindowVisible=lambda window: window.value != 2,
        GetWindowTextW=fill(titles),
        GetClassNameW=fill({number: "Progman" if number == 5 else f"Class{number}" for number in titles}),
        GetWindowLongPtrW=0,
        GetForegroundWindow=1,
        ClientToScreen=place,
        GetClientRect=size,
    )
    found = window_list.listed(user, Library(DwmGetWindowAttribute=cloaked))
    assert [(one["title"], one["window_class"], one["is_active"]) for one in found] == [("Explorer", "Class6", False), ("Editor", "Class1", True)]
    assert (found[0]["x"], found[0]["y"], found[0]["width"], found[0]["height"]) == (10, 20, 300, 200)
