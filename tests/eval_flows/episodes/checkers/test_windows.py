"""Protects the getters of Windows: each reads what Windows writes in its forms, and nothing that only looks like it."""

import json
from typing import Any, cast

import pytest

from eval_flows.episodes.checkers.getters import get
from eval_flows.episodes.checkers.windows import registry_value
from eval_flows.episodes.environment.desktop import Desktop
from machines.observation import Element
from tests.eval_flows.episodes.desktops import Files, Json, Screen, desktop
from tests.eval_flows.episodes.simulated_windows.shortcut import shortcut
from tests.eval_flows.episodes.tasks.examples import got

KEY = "HKCU\\Software\\Example"


class Commands(Files):
    """A client whose commands say what the test tells."""

    told: Json

    def execute(self, command: list[str] | str, shell: bool = False) -> Json:
        self.asked = command
        return self.told


def commands(output: str, code: int = 0) -> tuple[Desktop, Commands]:
    client = Commands()
    client.told = {"output": output, "error": "", "returncode": code}
    return cast("Desktop", Screen(client)), client


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("    AppsUseLightTheme    REG_DWORD    0x0", 0),
        ("    AppsUseLightTheme    REG_DWORD    0x8c", 140),
        ("    appsuselighttheme    REG_QWORD    0x10", 16),
        ("    AppsUseLightTheme    REG_DWORD    (damaged)", "(damaged)"),
        ("    AppsUseLightTheme    REG_SZ    0x0", "0x0"),
        ("    AppsUseLightTheme    REG_SZ    two words    and more", "two words    and more"),
        ("    AppsUseLightTheme    REG_SZ    ", ""),
        ("    AppsUseLightThemeToo    REG_DWORD    0x0", None),
        ("HKEY_CURRENT_USER\\Software\\AppsUseLightTheme", None),
    ],
)
def test_a_value_is_read_from_what_reg_query_says(line: str, value: object) -> None:
    assert registry_value(f"\r\nHKEY_CURRENT_USER\\Software\\Example\r\n{line}\r\n\r\n", "AppsUseLightTheme") == value


def test_a_value_that_is_not_there_is_nothing() -> None:
    machine, client = commands("ERROR: The system was unable to find the specified registry key or value.", 1)
    assert get(machine, "registry", {"key": KEY, "name": "Flags"}) is None
    assert client.asked == ["reg.exe", "query", KEY, "/v", "Flags"]


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("A                    {place}", ["archive"]),
        ("A   R                {place}", ["archive", "read-only"]),
        ("     HR              {place}", ["hidden", "read-only"]),
        ("A  SH                {place}", ["archive", "hidden", "system"]),
        ("                     {place}", []),
        ("File not found - {other}", None),
    ],
)
def test_attributes_are_the_letters_before_the_path(said: str, words: list[str] | None) -> None:
    machine, _ = commands(said.format(place="\\home\\agent\\Documents\\SHARE.xlsx", other="C:\\HARD"))
    assert get(machine, "attributes", "Documents/SHARE.xlsx") == words


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("gré".encode(), "UTF-8"),
        (b"plain", "UTF-8"),
        (b"", "UTF-8"),
        (b"\xef\xbb\xbf" + "gré".encode(), "UTF-8 with BOM"),
        (b"\xff\xfe" + "gré".encode("utf-16-le"), "UTF-16 LE"),
        (b"\xfe\xff" + "gré".encode("utf-16-be"), "UTF-16 BE"),
        ("gré".encode("cp1252"), "ANSI"),
    ],
)
def test_the_encodings_of_notepad_are_told_apart_and_read(content: bytes, name: str) -> None:
    assert got("encoding", content) == name
    if b"gr" in content.replace(b"\0", b""):
        assert got("written_lines", content) == ["gré"]


@pytest.mark.parametrize("has_list", [False, True])
@pytest.mark.parametrize("is_wide", [False, True])
def test_a_shortcut_tells_where_it_leads(has_list: bool, is_wide: bool) -> None:
    target = "C:\\Users\\Docker\\Documents\\Cover letter.docx"
    assert got("shortcut", shortcut(target, has_list, is_wide)) == target


def test_what_is_no_shortcut_leads_nowhere() -> None:
    whole = shortcut("C:\\a.txt")
    assert got("shortcut", b"PK\x03\x04 a document under another name" * 9) is None
    assert got("shortcut", whole[:60]) is None
    assert got("shortcut", whole[:80]) is None


def test_favorites_are_told_with_their_folders() -> None:
    page = {"type": "url", "name": "News", "url": "https://example.org/"}
    bar = {"type": "folder", "children": [page, {"type": "folder", "name": "Read", "children": [{**page, "url": "https://example.com/"}]}]}
    content = json.dumps({"roots": {"bookmark_bar": bar, "other": {"children": []}, "sync_transaction_version": "1"}}).encode()
    assert got("favorites", content) == ["bookmark_bar: https://example.org/", "bookmark_bar/Read: https://example.com/"]
    assert got("favorites", b"{}") is None


def element(role: str, name: str, text: str = "", window: str = "Calculator") -> Element:
    return Element(1, role, name, text, None, frozenset(), (0, 0, 10, 10), window, "app")


@pytest.mark.parametrize(
    ("getter", "elements", "value"),
    [
        ("windows_display", [element("label", "Standard"), element("label", "Display is 1,950")], "1,950"),
        ("windows_display", [element("label", "Display is 3", window="Other")], None),
        ("windows_display", [element("label", "1,950")], None),
        ("editor_text", [element("document frame", "Text editor", "one\rtwo\r")], "one\ntwo"),
        ("editor_text", [element("text", "Text editor", "one")], "one"),
        ("editor_text", [element("label", "one", "one")], None),
    ],
)
def test_what_a_program_shows_is_read_from_the_tree(getter: str, elements: list[Element], value: Any) -> None:
    assert get(desktop(elements=elements), getter, {"within": "Calculator"}) == value
