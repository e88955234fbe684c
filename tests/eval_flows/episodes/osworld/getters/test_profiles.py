"""Getters of profiles of browsers, and of shortcuts on the desktop."""

import json
import sqlite3
import struct
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from eval_flows.episodes.osworld.metrics import METRICS, TaskError
from tests.eval_flows.episodes.osworld.getters.guests import FolderGuest, ToldGuest, got

CHROME = ".config/google-chrome/Default"


_PREFERENCES = {
    "default_search_provider_data": {"template_url_data": {"short_name": "Bing"}},
    "profile": {"name": "Thomas", "default_content_setting_values": {"cookies": 4}},
    "webkit": {"webprefs": {"default_font_size": 20}},
    "enable_do_not_track": True,
    "safebrowsing": {"enhanced": True},
    "session": {"restore_on_startup": 5},
    "extensions": {"settings": {"a": {"path": "/home/user/ext", "manifest": {"name": "Mine"}}, "b": {}}},
}


def test_the_profile_of_chrome_says_what_was_set(guest: FolderGuest) -> None:
    guest.put(f"{CHROME}/Preferences", json.dumps(_PREFERENCES))
    guest.put(".config/google-chrome/Local State", json.dumps({"intl": {"app_locale": "de"}, "browser": {"enabled_labs_experiments": ["a@1"]}}))
    guest.put(f"{CHROME}/Bookmarks", json.dumps({"roots": {"bookmark_bar": {"children": []}}}))
    expected = {
        "default_search_engine": "Bing",
        "profile_name": "Thomas",
        "enable_do_not_track": "true",
        "enable_enhanced_safety_browsing": "true",
        "enable_safe_browsing": "true",
        "new_startup_page": "true",
        "data_delete_automacally": "true",
        "find_unpacked_extension_path": ["/home/user/ext"],
        "find_installed_extension_name": ["Mine"],
        "chrome_language": "de",
        "enabled_experiments": ["a@1"],
        "bookmarks": {"bookmark_bar": {"children": []}},
    }
    assert {name: got(guest, name) for name in expected} == expected
    assert got(guest, "chrome_font_size")["default_font_size"] == 20


def test_a_profile_that_is_missing_or_broken_is_as_chrome_comes(guest: FolderGuest) -> None:
    guest.put(f"{CHROME}/Preferences", "[broken")
    guest.put(f"{CHROME}/Bookmarks", "[]")
    expected: Mapping[str, Any] = {
        "default_search_engine": "Google",
        "profile_name": None,
        "enable_do_not_track": "false",
        "enable_enhanced_safety_browsing": "false",
        "enable_safe_browsing": "false",
        "new_startup_page": "true",
        "data_delete_automacally": "false",
        "find_unpacked_extension_path": [],
        "find_installed_extension_name": [],
        "chrome_language": "en-US",
        "enabled_experiments": [],
        "bookmarks": [],
        "favorites": [],
    }
    assert {name: got(guest, name) for name in expected} == expected
    assert got(guest, "chrome_font_size")["default_font_size"] == 16


@pytest.mark.parametrize(
    ("theme", "shown"),
    [
        ({"color_scheme": 1}, "light"),
        ({"color_scheme": 2}, "dark"),
        ({"color_scheme2": 2}, "dark"),
        ({"color_scheme": 0}, "system"),
        ({}, "system"),
        ("broken", "system"),
        ({"color_scheme": [1]}, "system"),
    ],
)
def test_the_profile_says_how_chrome_looks(guest: FolderGuest, theme: Any, shown: str) -> None:
    assert got(guest, "chrome_color_scheme") == "system", "without a profile"
    guest.put(f"{CHROME}/Preferences", json.dumps({"browser": {"theme": theme}}))
    assert got(guest, "chrome_color_scheme") == got(guest, "chrome_appearance_mode_ui") == shown


def test_extensions_in_the_profile_are_told_by_their_manifests(guest: FolderGuest) -> None:
    assert got(guest, "extensions_installed_from_shop") == []
    guest.put(f"{CHROME}/Extensions/abc/1.0_0/manifest.json", '{"name": "Speechify"}')
    guest.put(f"{CHROME}/Extensions/def/1.0_0/manifest.json", "broken")
    guest.put(f"{CHROME}/Extensions/Temp", "")
    assert got(guest, "extensions_installed_from_shop") == [{"name": "Speechify"}]


def _edge(guid: str) -> Mapping[str, Any]:
    cleared = dict.fromkeys(("browsing_history", "cache", "cookies", "download_history", "form_data", "passwords", "site_settings"), True)
    return {
        "profile": {"name": "Ann"},
        "enable_do_not_track": True,
        "default_search_provider": {"synced_guid": guid},
        "edge": {"super_duper_secure_mode": {"enabled": True}},
        "browser": {"clear_data_on_exit": {**cleared, "hosted_apps_data": False}},
        "download": {"default_directory": "C:\\d"},
    }


def test_the_profile_of_edge_says_what_was_set(tmp_path: Path) -> None:
    folder = "C:\\Users\\Docker\\AppData\\Local\\Microsoft\\Edge\\User Data\\Default\\"
    files = {
        f"{folder}Preferences": json.dumps(_edge("485bf7d3-0215-45af-87dc-538868000092")).encode(),
        f"{folder}Secure Preferences": b'{"homepage": "https://www.bing.com/"}',
        f"{folder}Bookmarks": b'{"roots": {"bookmark_bar": {}}}',
    }
    told = ToldGuest(tmp_path, platform="Windows", files=files)
    expected = {
        "profile_name_from_edge": "Ann",
        "enable_do_not_track_from_edge": 1.0,
        "enable_enhanced_safety_browsing_from_edge": 1.0,
        "default_search_engine_from_edge": "DuckDuckGo",
        "data_delete_automacally_from_edge": 1.0,
        "edge_home_page": "www.bing.com",
        "edge_default_download_folder": "C:\\d",
        "favorites": {"bookmark_bar": {}},
    }
    assert {name: got(told, name) for name in expected} == expected
    assert got(told, "edge_font_size")["default_font_size"] == 16
    empty = ToldGuest(tmp_path, platform="Windows")
    assert [got(empty, name) for name in ("edge_home_page", "default_search_engine_from_edge", "enable_do_not_track_from_edge")] == [
        "False",
        "Unknown",
        0.0,
    ]


def _database(place: Path, *statements: str) -> bytes:
    with closing(sqlite3.connect(place)) as made:
        for statement in statements:
            made.execute(statement)
        made.commit()
    return place.read_bytes()


def test_cookies_and_history_are_rows(guest: FolderGuest, tmp_path: Path) -> None:
    cookies = _database(tmp_path / "c", "create table cookies (a, host_key)", "insert into cookies values (1, '.amazon.com')")
    history = _database(tmp_path / "h", "create table urls (url, title, last_visit_time)", "insert into urls values ('https://a', 'A', 5)")
    guest.put(f"{CHROME}/Cookies", cookies)
    guest.put(f"{CHROME}/History", history)
    guest.put(".config/microsoft-edge/Default/Network/Cookies", cookies)
    guest.put(".config/microsoft-edge/Default/History", b"broken")
    assert got(guest, "cookie_data", dest="Cookies") == got(guest, "cookie_data_for_edge", dest="EdgeCookies") == [(1, ".amazon.com")]
    assert got(guest, "history", dest="History") == [("https://a", "A", 5)]
    assert got(guest, "history_for_edge", dest="h") is None


def _link(description: str) -> bytes:
    """Return a shortcut of Windows with a description ([MS-SHLLINK])."""
    return struct.pack("<I16sI52x", 76, b"", 4 | 128) + struct.pack("<H", len(description)) + description.encode("utf-16-le")


def test_shortcuts_on_the_desktop_are_read(guest: FolderGuest) -> None:
    guest.put("Desktop/a.desktop", "[Desktop Entry]\nName=2048\n")
    guest.put("Desktop/b.url", "URL=https://a/")
    guest.put("Desktop/c.lnk", _link("Play Puzzle Game 2048."))
    guest.put("Desktop/d.lnk", "broken")
    assert got(guest, "shortcuts_on_desktop") == {"a.desktop": "[Desktop Entry]\nName=2048\n"}
    assert got(guest, "url_shortcuts_on_desktop") == {"b.url": "URL=https://a/"}
    guest.platform = "Windows"
    found = got(guest, "shortcuts_on_desktop") if "\\" in str(Path("a") / "b") else _as_on_windows(guest)
    assert METRICS["is_shortcut_on_desktop"](found, {"type": "description", "description": "Play Puzzle Game 2048."}) == 1.0
    guest.platform = "Plan9"
    with pytest.raises(TaskError, match="Plan9"):
        got(guest, "shortcuts_on_desktop")


def _as_on_windows(guest: FolderGuest) -> Any:
    """Read the links of the desktop with the paths of this host."""
    from eval_flows.episodes.osworld.getters import profiles

    guest.platform = "Linux"
    return profiles._on_desktop(guest, ".lnk")
