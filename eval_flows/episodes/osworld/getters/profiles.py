"""Getters of the profiles of Chrome and Edge: their files say what was set, visited, kept and marked."""

import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from eval_flows.episodes.osworld.getters.files import directory
from eval_flows.episodes.osworld.getters.getter import Asked, Getter, Getters, Guest, TaskError, asked, at_home, fetched, json_of, run_python, text_of

_CHROME, _EDGE = "chrome", "edge"
_FOLDERS: Mapping[tuple[str, str], tuple[tuple[str, ...], ...]] = {
    (_CHROME, "Linux"): ((".config", "google-chrome"), (".config", "chromium"), ("snap", "chromium", "common", "chromium")),
    (_CHROME, "Windows"): (("AppData", "Local", "Google", "Chrome", "User Data"),),
    (_CHROME, "Darwin"): (("Library", "Application Support", "Google", "Chrome"),),
    (_EDGE, "Linux"): ((".config", "microsoft-edge"),),
    (_EDGE, "Windows"): (("AppData", "Local", "Microsoft", "Edge", "User Data"),),
    (_EDGE, "Darwin"): (("Library", "Application Support", "Microsoft Edge"),),
}
_FONT_SIZES = {"default_fixed_font_size": 13, "default_font_size": 16, "minimum_font_size": 13}
_SCHEMES = {1: "light", 2: "dark"}  # other numbers follow the desktop
_FRESH_START = 5  # what Chrome calls a new tab at its start
_ENGINE = "485bf7d3-0215-45af-87dc-5388680000"  # what the numbers of Edge's search engines begin with
_ENGINES = {
    f"{_ENGINE}{number}": name for number, name in (("01", "Bing"), ("02", "Yahoo!"), ("03", "Google"), ("92", "DuckDuckGo"), ("15", "Yandex"))
}
_DATA = ("browsing_history", "cache", "cookies", "download_history", "form_data", "passwords", "site_settings")
_CLEARED = {**dict.fromkeys(_DATA, True), "hosted_apps_data": False}
_SHORTCUTS = {"Windows": ".lnk", "Darwin": ".webloc", "Linux": ".desktop"}
_LINK = """
import json, struct, sys
raw = open(sys.argv[1], "rb").read()
flags, at = struct.unpack_from("<I", raw, 20)[0], 76
if flags & 1: at += 2 + struct.unpack_from("<H", raw, at)[0]
if flags & 2: at += struct.unpack_from("<I", raw, at)[0]
data = {}
for bit, name in ((4, "description"), (8, "relative_path"), (16, "working_directory"), (32, "command_line_arguments"), (64, "icon_location")):
    if flags & bit:
        count = struct.unpack_from("<H", raw, at)[0]
        size = count * (2 if flags & 128 else 1)
        data[name] = raw[at + 2 : at + 2 + size].decode("utf-16-le" if flags & 128 else "latin-1")
        at += 2 + size
print(json.dumps({"data": data}))
"""


def _paths(guest: Guest, browser: str, *parts: str) -> list[str]:
    """Return where a file of a browser's profile may be."""
    return [at_home(guest, *folder, *parts) for folder in _FOLDERS.get((browser, guest.platform), ())]


def _profile(guest: Guest, browser: str, *parts: str) -> Any:
    """Return a file of JSON in the profile of a browser; an empty mapping if there is none."""
    found = (json_of(guest, path) for path in _paths(guest, browser, *parts))
    return next((one for one in found if isinstance(one, dict)), {})


def _at(found: Any, *keys: str) -> Any:
    for key in keys:
        found = found.get(key) if isinstance(found, dict) else None
    return found


def preference(
    browser: str, what: str, *keys: str, shown: Callable[[Any], Any] = lambda value: value, file: tuple[str, ...] = ("Default", "Preferences")
) -> Getter:
    """Return the getter of a setting of a browser, by its path in a file of the profile."""

    def get(guest: Guest, wanted: Asked) -> Any:
        return shown(_at(_profile(guest, browser, *file), *keys))

    get.__doc__ = f"{what}, of the profile of {browser.capitalize()}."
    return get


def _true_false(value: Any) -> str:
    return "true" if value else "false"


def new_startup_page(guest: Guest, wanted: Asked) -> str:
    """`true` if Chrome begins with a new tab, else `false`."""
    session = _at(_profile(guest, _CHROME, "Default", "Preferences"), "session")
    return _true_false(session is None or _at(session, "restore_on_startup") == _FRESH_START)


def enable_safe_browsing(guest: Guest, wanted: Asked) -> str:
    """`true` if Chrome's Safe Browsing is on, standard or enhanced, else `false`."""
    found = _at(_profile(guest, _CHROME, "Default", "Preferences"), "safebrowsing")
    return _true_false(_at(found, "enhanced") or _at(found, "enabled"))


def _extensions(guest: Guest) -> list[Any]:
    files = (("Default", "Preferences"), ("Default", "Secure Preferences"))
    found = [_at(_profile(guest, _CHROME, *file), "extensions", "settings") for file in files]
    return [one for settings in found if isinstance(settings, dict) for one in settings.values() if isinstance(one, dict)]


def find_unpacked_extension_path(guest: Guest, wanted: Asked) -> list[str]:
    """The folders of all extensions of Chrome."""
    return [one["path"] for one in _extensions(guest) if "path" in one]


def find_installed_extension_name(guest: Guest, wanted: Asked) -> list[str]:
    """The names of all extensions of Chrome."""
    return [name for one in _extensions(guest) if isinstance(name := _at(one, "manifest", "name"), str)]


def colour_scheme(guest: Guest, wanted: Asked) -> str:
    """How Chrome looks, as its settings keep it: `light`, `dark`, or `system` if it follows the desktop."""
    theme = _at(_profile(guest, _CHROME, "Default", "Preferences"), "browser", "theme")
    kept = next((value for key in ("color_scheme", "color_scheme2") if (value := _at(theme, key)) is not None), None)
    return _SCHEMES.get(kept, "system") if isinstance(kept, int) else "system"


def extensions_installed_from_shop(guest: Guest, wanted: Asked) -> list[Any]:
    """What the extensions of Chrome that lie in its profile say of themselves: their manifests."""
    found = []
    for folder in _paths(guest, _CHROME, "Default", "Extensions"):
        kind = PureWindowsPath if guest.platform == "Windows" else PurePosixPath
        for extension in _folders(directory(guest, folder)):
            found += [json_of(guest, str(kind(folder, extension["name"], one["name"], "manifest.json"))) for one in _folders(extension)]
    return [one for one in found if one is not None]


def _folders(tree: Any) -> list[Any]:
    return [one for one in (tree or {}).get("children", []) if one["type"] == "directory"]


def _bookmarks(browser: str) -> Getter:
    def get(guest: Guest, wanted: Asked) -> Any:
        return _at(_profile(guest, browser, "Default", "Bookmarks"), "roots") or []

    get.__doc__ = f"The bookmarks of {browser.capitalize()}: `bookmark_bar` and others, with `children`; an empty list if there are none."
    return get


def _table(browser: str, query: str, files: tuple[tuple[str, ...], ...], what: str) -> Getter:
    def get(guest: Guest, wanted: Asked) -> list[tuple[Any, ...]] | None:
        places = (fetched(guest, path, asked(wanted, "dest")) for file in files for path in _paths(guest, browser, *file))
        place = next((one for one in places if one is not None), None)
        try:
            if place is None:
                return None
            with closing(sqlite3.connect(f"{place.as_uri()}?mode=ro&immutable=1", uri=True)) as database:
                return database.execute(query).fetchall()
        except sqlite3.Error:
            return None

    get.__doc__ = f"{what} of {browser.capitalize()}, its database fetched to `dest`: rows; None if there is none."
    return get


_COOKIES, _HISTORY = "select * from cookies", "select url, title, last_visit_time from urls"
_COOKIE_FILES, _HISTORY_FILES = (("Default", "Network", "Cookies"), ("Default", "Cookies")), (("Default", "History"),)


def shortcuts_on_desktop(guest: Guest, wanted: Asked) -> Mapping[str, str]:
    """The shortcuts on the desktop: names, and what they say; of Windows (.lnk), JSON whose `data` has the `description`."""
    if guest.platform not in _SHORTCUTS:
        raise TaskError(f"the desktop of {guest.platform} is not known")
    return _on_desktop(guest, _SHORTCUTS[guest.platform])


def url_shortcuts_on_desktop(guest: Guest, wanted: Asked) -> Mapping[str, str]:
    """The shortcuts to addresses (.url) on the desktop: names, and what they say."""
    return _on_desktop(guest, ".url")


def _on_desktop(guest: Guest, suffix: str) -> Mapping[str, str]:
    folder = at_home(guest, "Desktop")
    names = [one["name"] for one in (directory(guest, folder) or {}).get("children", []) if one["name"].endswith(suffix)]
    kind = PureWindowsPath if guest.platform == "Windows" else PurePosixPath
    read = (lambda guest, path: run_python(guest, _LINK, path)) if suffix == ".lnk" else text_of
    found = {name: read(guest, str(kind(folder, name))) for name in names}
    return {name: said for name, said in found.items() if said is not None}


GETTERS: Getters = {
    "default_search_engine": preference(
        _CHROME,
        "The name of the search engine",
        "default_search_provider_data",
        "template_url_data",
        "short_name",
        shown=lambda name: name or "Google",
    ),
    "profile_name": preference(_CHROME, "The name of the person", "profile", "name"),
    "chrome_font_size": preference(_CHROME, "The font sizes", "webkit", "webprefs", shown=lambda sizes: {**_FONT_SIZES, **(sizes or {})}),
    "chrome_language": preference(_CHROME, "The language", "intl", "app_locale", shown=lambda name: name or "en-US", file=("Local State",)),
    "enabled_experiments": preference(
        _CHROME, "The experiments that are on", "browser", "enabled_labs_experiments", shown=lambda names: names or [], file=("Local State",)
    ),
    "enable_do_not_track": preference(_CHROME, "Whether Do Not Track is on (`true`, `false`)", "enable_do_not_track", shown=_true_false),
    "enable_enhanced_safety_browsing": preference(
        _CHROME, "Whether enhanced Safe Browsing is on (`true`, `false`)", "safebrowsing", "enhanced", shown=_true_false
    ),
    "data_delete_automacally": preference(
        _CHROME,
        "Whether data of sites is deleted at the end (`true`, `false`)",
        "profile",
        "default_content_setting_values",
        shown=lambda value: _true_false(value is not None),
    ),
    "enable_safe_browsing": enable_safe_browsing,
    "new_startup_page": new_startup_page,
    "chrome_color_scheme": colour_scheme,
    "chrome_appearance_mode_ui": colour_scheme,
    "extensions_installed_from_shop": extensions_installed_from_shop,
    "find_unpacked_extension_path": find_unpacked_extension_path,
    "find_installed_extension_name": find_installed_extension_name,
    "bookmarks": _bookmarks(_CHROME),
    "favorites": _bookmarks(_EDGE),
    "cookie_data": _table(_CHROME, _COOKIES, _COOKIE_FILES, "The cookies"),
    "cookie_data_for_edge": _table(_EDGE, _COOKIES, _COOKIE_FILES, "The cookies"),
    "history": _table(_CHROME, _HISTORY, _HISTORY_FILES, "The visited pages (address, title, time)"),
    "history_for_edge": _table(_EDGE, _HISTORY, _HISTORY_FILES, "The visited pages (address, title, time)"),
    "shortcuts_on_desktop": shortcuts_on_desktop,
    "url_shortcuts_on_desktop": url_shortcuts_on_desktop,
    "profile_name_from_edge": preference(_EDGE, "The name of the person", "profile", "name"),
    "edge_font_size": preference(_EDGE, "The font sizes", "webkit", "webprefs", shown=lambda sizes: {**_FONT_SIZES, **(sizes or {})}),
    "default_search_engine_from_edge": preference(
        _EDGE, "The name of the search engine", "default_search_provider", "synced_guid", shown=lambda guid: _ENGINES.get(guid, "Unknown")
    ),
    "enable_do_not_track_from_edge": preference(_EDGE, "1 if Do Not Track is on, else 0", "enable_do_not_track", shown=lambda on: float(bool(on))),
    "enable_enhanced_safety_browsing_from_edge": preference(
        _EDGE, "1 if enhanced security is on, else 0", "edge", "super_duper_secure_mode", "enabled", shown=lambda on: float(bool(on))
    ),
    "data_delete_automacally_from_edge": preference(
        _EDGE,
        "1 if all data but that of apps is deleted at the end, else 0",
        "browser",
        "clear_data_on_exit",
        shown=lambda what: float(what == _CLEARED),
    ),
    "edge_home_page": preference(
        _EDGE,
        "The page at home without scheme and slashes (`False` if there is none)",
        "homepage",
        shown=lambda page: page.replace("https://", "").replace("http://", "").replace("/", "") if page else "False",
        file=("Default", "Secure Preferences"),
    ),
    "edge_default_download_folder": preference(_EDGE, "The folder of downloads", "download", "default_directory"),
}
