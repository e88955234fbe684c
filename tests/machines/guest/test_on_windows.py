"""Protects the parts of the guest on Windows that can be tried without Windows: events, structures, pictures, the clipboard, windows, and the folder."""

import ast
import ctypes
import re
import subprocess
import sys
from pathlib import Path
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
from machines.guest.on_windows.platform import Windows
from machines.guest.platform import ActionError, Platform, Screen
from tests.conftest import REPOSITORY

FOLDER = REPOSITORY / "machines/guest/on_windows"
SCREEN = Screen(1440, 900)


class Function:
    """A function of a library: keeps the calls, and answers what the test wants."""

    def __init__(self, answer: Any = 1) -> None:
        self.answer = answer
        self.calls: list[tuple[Any, ...]] = []

    def __call__(self, *arguments: Any) -> Any:
        self.calls.append(arguments)
        return self.answer(*arguments) if callable(self.answer) else self.answer


class Library:
    """A library in which every function answers 1, but for those that the test gives."""

    def __init__(self, **answers: Any) -> None:
        self.functions = {name: Function(answer) for name, answer in answers.items()}

    def __getattr__(self, name: str) -> Function:
        if name.startswith("_"):
            raise AttributeError(name)
        return self.functions.setdefault(name, Function())


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
    hand.drag(10, 20)
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
    picture = screen.taken(api.Api(lambda _: library), Screen(3, 2))
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


def of_windows(home: Path, **answers: Any) -> tuple[Library, Windows]:
    library = Library(**answers)
    return library, Windows(home, lambda _: library)


def test_the_platform_keeps_the_protocol_and_runs_commands(tmp_path: Path) -> None:
    library, made = of_windows(tmp_path, GetSystemMetrics=lambda which: (1440, 900)[which])
    platform: Platform = made
    assert platform.screen == SCREEN and len(library.SetProcessDpiAwarenessContext.calls) == 1
    assert platform.command(["echo", "a b"], shell=True) == 'cmd.exe /d /s /c "echo "a b""'
    assert platform.command("echo %PATH%", shell=True) == 'cmd.exe /d /s /c "echo %PATH%"'
    assert platform.command(r'"C:\Program Files\x.exe" /q', shell=False) == r'"C:\Program Files\x.exe" /q'
    wrong: list[object] = ["", " ", [], None, 3]
    for given_command in wrong:
        with pytest.raises(ActionError, match="command"):
            platform.command(given_command, shell=False)


def test_a_command_runs_to_its_end_or_is_ended_with_all_that_it_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = subprocess.Popen

    def popen(command: Any, **options: Any) -> Any:
        """As on Windows, where this option is known, and where `taskkill` ends a process."""
        assert options.pop("creationflags") in (0x08000000, 0x200)
        return made(["kill", "-9", command[-1]] if command[0] == "taskkill" else command, **options)

    monkeypatch.setattr(subprocess, "Popen", popen)
    _, platform = of_windows(tmp_path)
    done = platform.run(["sh", "-c", "pwd; echo wrong >&2; exit 3"], 20)
    assert (done.stdout.decode().strip(), done.stderr, done.returncode) == (str(tmp_path), b"wrong\n", 3)
    with pytest.raises(subprocess.TimeoutExpired):
        platform.run(["sleep", "60"], 0.2)
    assert platform.start(["true"]) > 0


def test_a_program_that_only_the_shell_knows_is_started_by_the_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: Any, **__: Any) -> None:
        raise FileNotFoundError

    library, platform = of_windows(tmp_path, ShellExecuteW=42)
    monkeypatch.setattr(subprocess, "Popen", missing)
    assert platform.start(["winword", "/n", "my notes.docx"]) == 0 and platform.start("winword /n") == 0
    assert [call[2:4] for call in library.ShellExecuteW.calls] == [("winword", '/n "my notes.docx"'), ("winword", "/n")]
    library.ShellExecuteW.answer = 2
    with pytest.raises(FileNotFoundError, match="finds no program"):
        platform.start(["nothing"])


def test_a_window_comes_to_the_front_or_it_is_said(tmp_path: Path) -> None:
    window = window_of(3)
    library, platform = of_windows(tmp_path, SendInput=lambda count, *_: count)
    platform.activate(window)
    assert library.ShowWindow.calls == [(3, 9)] and library.SetForegroundWindow.calls == [(3,)]
    library.SetForegroundWindow.answer = 0
    with pytest.raises(ActionError, match="does not let the window 'Editor'"):
        platform.activate(window)


def window_of(identity: int) -> Any:
    from machines.guest.platform import Window

    return Window(identity, "Editor", "Class", 1, 0, 0, 10, 10, False)


def test_a_file_goes_to_the_bin_by_a_name_that_ends_with_two_zeros(tmp_path: Path) -> None:
    def remove(operation: Any) -> int:
        found = operation._obj
        assert found.function == 3 and found.flags == 0x454
        assert ctypes.string_at(found.source, len(str(path)) * 2 + 4).decode("utf-16-le") == f"{path}\0\0"
        return 0

    path = tmp_path / "notes.txt"
    library, platform = of_windows(tmp_path, SHFileOperationW=remove)
    platform.recycle(path)
    library.SHFileOperationW.answer = 2
    with pytest.raises(OSError, match="error 2"):
        platform.recycle(path)


def test_every_function_that_is_called_is_declared_with_its_types_and_the_other_way_round() -> None:
    declared = {name for functions in api.FUNCTIONS.values() for name in functions}
    called = {
        match
        for path in FOLDER.glob("*.py")
        if path.name not in ("api.py", "window_list.py")
        for match in re.findall(r"api\.([A-Z]\w+)", path.read_text())
    }
    assert called == declared


def test_everything_imports_without_windows_and_without_what_linux_needs() -> None:
    """In an interpreter of its own: no X11, no D-Bus, no procfs module comes along, and nothing of ours outside the folder."""
    modules = [f"machines.guest.on_windows.{path.stem}" for path in FOLDER.glob("[!_]*.py")] + ["machines.guest.on_windows.__main__"]
    code = f"import importlib, sys; [importlib.import_module(name) for name in {modules}]; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=REPOSITORY).stdout.split()
    ours = {name for name in loaded if name.split(".")[0] == "machines"}
    assert not {name for name in ours if name not in ("machines", "machines.guest") and not name.startswith("machines.guest.")} and len(modules) > 8
    assert not {name for name in loaded if "on_linux" in name or name.split(".")[0] in ("Xlib", "jeepney", "comtypes")}


def _imported(path: Path) -> set[str]:
    nodes = list(ast.walk(ast.parse(path.read_text())))
    return {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)} | {
        one.name for node in nodes if isinstance(node, ast.Import) for one in node.names
    }


def test_the_folder_says_what_it_needs_and_the_script_installs_that() -> None:
    names = {line.partition("==")[0] for line in (FOLDER / "requirements.txt").read_text().splitlines() if "==" in line}
    standard = set(sys.stdlib_module_names) | {"machines"}
    paths = [*FOLDER.glob("*.py"), *(path for path in FOLDER.parent.glob("*.py") if path.name != "__main__.py")]
    imported = {name.split(".")[0] for path in paths for name in _imported(path)} - standard
    assert {{"PIL": "pillow"}.get(name, name) for name in imported} == names
    pins = dict(line.split("==") for line in (REPOSITORY / "constraints.txt").read_text().splitlines() if "==" in line)
    assert {name: pins.get(name) for name in names - {"comtypes"}} == dict(
        line.split("==") for line in (FOLDER / "requirements.txt").read_text().splitlines() if "==" in line and "comtypes" not in line
    )
    script = (FOLDER / "install.ps1").read_text() + (FOLDER / "on-logon.ps1").read_text()
    assert all(
        (FOLDER / name).is_file() for name in re.findall(r"on_windows\\([\w.-]+\.ps1)|PSScriptRoot \"([\w.]+)\"", script) for name in name if name
    )
    assert "machines.guest.on_windows" in script and script.count("{") == script.count("}") and script.count("(") == script.count(")")


def test_a_list_of_windows_runs_as_a_program_of_its_own() -> None:
    """It is sent to machines with other guest servers, so it imports nothing but Python's own modules."""
    names = _imported(FOLDER / "window_list.py")
    assert names == {"ctypes", "json", "typing"} and "__main__" in (FOLDER / "window_list.py").read_text()
    assert (FOLDER / "window_list.py").read_text().isascii()
