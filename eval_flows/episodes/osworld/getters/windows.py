"""Getters that only a machine with Windows can answer: from its registry, its clock and its explorer."""

import re
from collections.abc import Sequence
from typing import Any

from eval_flows.episodes.osworld.getters.getter import Asked, Getters, Guest, asked, json_from_python, nodes, only_on

_NIGHT = (
    r"HKCU:\Software\Microsoft\Windows\CurrentVersion\CloudStore\Store\DefaultAccount\Current"
    r"\default$windows.data.bluelightreduction.settings\windows.data.bluelightreduction.settings"
)
_STORAGE = r"HKCU:\Software\Microsoft\Windows\CurrentVersion\StorageSense\Parameters\StoragePolicy"
_UPDATES = r"HKLM:\SOFTWARE\Microsoft\WindowsUpdate\UX\Settings"
_NOTES = """
import json, os, sqlite3
parts = (os.environ["LOCALAPPDATA"], "Packages", "Microsoft.MicrosoftStickyNotes_8wekyb3d8bbwe", "LocalState", "plum.sqlite")
path = os.path.join(*parts)
if not os.path.isfile(path):
    raise SystemExit("there are no notes")
with sqlite3.connect(path) as notes:
    print(json.dumps([text for (text,) in notes.execute("select Text from Note order by CreatedAt")]))
"""
_MARK = re.compile(r"^\\id=\S+ ?", re.MULTILINE)  # of a line of a note
_ON, _NO_SCHEDULE, _HAS_MINUTES = 24, 202, 46  # where the byte is that says whether night light is on; marks in the bytes after it


def _powershell(guest: Guest, command: str) -> str | None:
    """Return what PowerShell prints, without blank space at the ends; None if it failed."""
    only_on(guest, "Windows")
    ended = guest.execute(["powershell", "-NoProfile", "-Command", command])
    return None if ended.get("returncode") else str(ended.get("output") or "").strip()


def _registry(guest: Guest, path: str, name: str) -> str | None:
    return _powershell(guest, f"Get-ItemPropertyValue -Path '{path}' -Name '{name}'")


def _clock(hour: int, minute: int) -> str:
    return f"{hour if hour < 12 else hour - 12:02}:{minute:02} {'AM' if hour < 12 else 'PM'}"


def night_light_state(guest: Guest, wanted: Asked) -> Any:
    """Whether night light is set: False, [True], or [True, start, end] with times such as 07:00 PM."""
    only_on(guest, "Windows")
    try:
        found = [int(line) for line in (_registry(guest, _NIGHT, "Data") or "").split()]
        if found[_ON] != 1:
            return False
        if found[_ON + 4] == _NO_SCHEDULE:
            return [True]
        start, after = _time(found, _ON + 4)
        end, _ = _time(found, after + 3)
    except (IndexError, ValueError):
        return False
    return [True, start, end]


def _time(found: Sequence[int], at: int) -> tuple[str, int]:
    """Return the time at a place in the bytes, and the place after it: minutes follow a mark."""
    has_minutes = found[at + 1] == _HAS_MINUTES
    return _clock(found[at], found[at + 2] if has_minutes else 0), at + (4 if has_minutes else 2)


def default_browser(guest: Guest, wanted: Asked) -> str:
    """The program of addresses (ProgId), such as MSEdgeHTM."""
    return _registry(guest, r"HKCU:Software\Microsoft\Windows\Shell\Associations\UrlAssociations\http\UserChoice", "ProgId") or "Error"


def storage_sense_run_frequency(guest: Guest, wanted: Asked) -> str | None:
    """How often Storage Sense runs (days, as a text); None if it is off."""
    return _registry(guest, _STORAGE, "2048") if _registry(guest, _STORAGE, "01") == "1" else None


def active_hours(guest: Guest, wanted: Asked) -> list[str] | None:
    """The hours in which Windows does not restart: [start, end], such as 08:00 AM; None if they are not set."""
    found = [_registry(guest, _UPDATES, f"ActiveHours{end}") for end in ("Start", "End")]
    return [_clock(int(one), 0) for one in found if one] if all(one and one.isdigit() for one in found) else None


def system_timezone(guest: Guest, wanted: Asked) -> str:
    """The name of the time zone, such as (UTC-08:00) Pacific Time (US & Canada)."""
    return _powershell(guest, "(Get-TimeZone).DisplayName") or "Unable to get time zone"


def desktop_background(guest: Guest, wanted: Asked) -> str:
    """`True` if the background of the desktop is one colour, without a picture, else `False`."""
    return str(_registry(guest, r"HKCU:Control Panel\Desktop", "WallPaper") == "")


def system_notifications(guest: Guest, wanted: Asked) -> str:
    """`True` if notifications are turned off, else `False`."""
    return str(_registry(guest, r"HKCU:Software\Microsoft\Windows\CurrentVersion\PushNotifications", "ToastEnabled") == "0")


def _quoted(text: Any) -> str:
    return "'" + str(text).replace("'", "''") + "'"


def is_directory_read_only_for_user(guest: Guest, wanted: Asked) -> bool:
    """Whether a `user` may read a `directory`, and not write into it."""
    directory, user = _quoted(asked(wanted, "directory")), _quoted(f"*{asked(wanted, 'user')}")
    command = f"(Get-Acl {directory}).Access | Where-Object {{ $_.IdentityReference -like {user} }}"
    rights = _lines(guest, f'{command} | ForEach-Object {{ "$($_.AccessControlType) $($_.FileSystemRights)" }}')
    allowed = {right.strip() for line in rights if line.startswith("Allow ") for right in line.removeprefix("Allow ").split(",")}
    return bool(allowed) and allowed <= {"Read", "ReadAndExecute", "Synchronize"}


def _lines(guest: Guest, command: str) -> list[str]:
    return [line.strip() for line in (_powershell(guest, command) or "").splitlines() if line.strip()]


def library_folders(guest: Guest, wanted: Asked) -> list[str]:
    """The folders of a library (`library_name`) of the explorer."""
    name = _quoted(f"{asked(wanted, 'library_name')}.library-ms")
    place = f"[IO.Path]::Combine($env:APPDATA, 'Microsoft', 'Windows', 'Libraries', {name})"
    return _lines(guest, f"([xml](Get-Content ({place}))).SelectNodes(\"//*[local-name()='url']\") | ForEach-Object {{ $_.InnerText }}")


def all_images_tagged(guest: Guest, wanted: Asked) -> bool:
    """Whether every picture in a `directory`, of which there is one, has the `tag`."""
    found = _lines(
        guest,
        f"$f = (New-Object -ComObject Shell.Application).NameSpace({_quoted(asked(wanted, 'directory'))}); "
        "$f.Items() | Where-Object { $_.Name -match '\\.(png|jpe?g|bmp|gif)$' } | ForEach-Object { '|' + $f.GetDetailsOf($_, 18) }",
    )
    return bool(found) and all(asked(wanted, "tag") in [one.strip() for one in line.removeprefix("|").split(";")] for line in found)


def sticky_notes_content(guest: Guest, wanted: Asked) -> str | None:
    """What the notes of Sticky Notes say, without the marks before their lines, one note after the other; None if they cannot be read."""
    only_on(guest, "Windows")
    found = json_from_python(guest, _NOTES)
    return None if found is None else "\n".join(_MARK.sub("", str(text)) for text in found if text)


# --- by the tree of UI Automation


def _named(guest: Guest) -> list[str]:
    """Return the names of all elements on the screen."""
    only_on(guest, "Windows")
    return [str(node.get("name") or "") for node in nodes(guest)]


def timer_started(guest: Guest, wanted: Asked) -> str:
    """`True` if the clock shows a timer of so many `hours`, `minutes` and `seconds` that runs, else `False`."""
    counts = {unit: int(asked(wanted, unit)) for unit in ("hours", "minutes", "seconds")}
    told = " ".join(f"{count} {unit if count != 1 else unit[:-1]}" for unit, count in counts.items() if count)
    names = [name.lower() for name in _named(guest)]
    return str(any(told in name for name in names) and any("timer running" in name for name in names))


def world_clock_exists(guest: Guest, wanted: Asked) -> str:
    """`True` if the clock shows the time of a `city` in a `country`, else `False`."""
    city, country = str(asked(wanted, "city")).lower(), str(asked(wanted, "country")).lower()
    return str(any(city in name and country in name for name in map(str.lower, _named(guest))))


GETTERS: Getters = {
    "night_light_state": night_light_state,
    "default_browser": default_browser,
    "storage_sense_run_frequency": storage_sense_run_frequency,
    "active_hours_of_user_to_not_interrupt_for_windows_updates": active_hours,
    "system_timezone": system_timezone,
    "desktop_background": desktop_background,
    "system_notifications": system_notifications,
    "is_directory_read_only_for_user": is_directory_read_only_for_user,
    "sticky_notes_content": sticky_notes_content,
    "vm_library_folders": library_folders,
    "are_all_images_tagged": all_images_tagged,
    "check_if_timer_started": timer_started,
    "check_if_world_clock_exists": world_clock_exists,
}
