"""Getters of what programs keep and say: VLC, GIMP, VS Code."""

import csv
from collections import Counter
from io import StringIO
from pathlib import Path

from eval_flows.episodes.osworld.getters.files import vm_file
from eval_flows.episodes.osworld.getters.getter import Asked, Getters, Guest, TaskError, asked, at_home, cached, fetched, only_on, run_python, text_of
from eval_flows.episodes.osworld.metrics.reading import text

_VLCRC = {
    "Linux": (".config", "vlc", "vlcrc"),
    "Darwin": ("Library", "Preferences", "org.videolan.vlc", "vlcrc"),
    "Windows": ("AppData", "Roaming", "vlc", "vlcrc"),
}
_VLC_STATUS = """
import base64, sys, time, urllib.request
request = urllib.request.Request("http://127.0.0.1:8080/requests/status.xml")
request.add_header("Authorization", "Basic " + base64.b64encode(b":password").decode())
for left in range(4, -1, -1):
    try:
        sys.stdout.buffer.write(urllib.request.urlopen(request, timeout=10).read())
        break
    except OSError:
        if not left: raise
        time.sleep(1)
"""
_GIMP = ((".config", "GIMP", "2.10"), (".config", "GIMP", "3.0"))
_FILMS = ("mp4", "x-matroska", "webm", "mpeg", "quicktime", "x-msvideo", "ogg", "x-flv", "3gpp")
_COMMAND = """
import sys, time, pyautogui
pyautogui.hotkey("ctrl", "shift", "p")
time.sleep(1)
pyautogui.typewrite(sys.argv[1])
pyautogui.press("enter")
time.sleep(1)
"""


def vlc_config(guest: Guest, wanted: Asked) -> Path | None:
    """The settings of VLC (vlcrc), fetched to `dest`: the path of the file, or None."""
    if guest.platform not in _VLCRC:
        raise TaskError(f"where VLC keeps its settings on {guest.platform} is not known")
    return fetched(guest, at_home(guest, *_VLCRC[guest.platform]), asked(wanted, "dest"))


def vlc_playing_info(guest: Guest, wanted: Asked) -> Path | None:
    """What VLC plays (status.xml of its web interface at port 8080, password `password`), at `dest`: the path of the file, or None."""
    said, place = run_python(guest, _VLC_STATUS), cached(guest, asked(wanted, "dest"))
    if not said:
        place.unlink(missing_ok=True)
        return None
    place.write_text(said)
    return place


def default_video_player(guest: Guest, wanted: Asked) -> str:
    """The desktop file that most kinds of films are opened with (Linux); `unknown` if there is none."""
    only_on(guest, "Linux")
    answers = (guest.execute(["xdg-mime", "query", "default", f"video/{kind}"]).get("output") for kind in _FILMS)
    found = Counter(str(one) for one in answers if one and str(one).strip())
    return found.most_common(1)[0][0] if found else "unknown"


def gimp_config_file(guest: Guest, wanted: Asked) -> Path | None:
    """A file of settings (`file_name`) of GIMP, fetched to `dest`: its path, or None."""
    only_on(guest, "Linux")
    name = asked(wanted, "file_name")
    places = (fetched(guest, at_home(guest, *folder, name), asked(wanted, "dest")) for folder in _GIMP)
    return next((place for place in places if place is not None), None)


def vscode_config(guest: Guest, wanted: Asked) -> Path | None:
    """What VS Code writes into a file (`path`) when its command `vscode_extension_command` is called, fetched to `dest`: the path, or None."""
    run_python(guest, _COMMAND, asked(wanted, "vscode_extension_command"))
    found = vm_file(guest, {"path": asked(wanted, "path"), "dest": asked(wanted, "dest")})
    return found if isinstance(found, Path) else None


def conference_city_in_order(guest: Guest, wanted: Asked) -> list[str]:
    """The third column of a CSV file (`csv_path`) in the cache of the task, or in the machine, without its header."""
    path = asked(wanted, "csv_path")
    place = cached(guest, Path(path).name)
    said = text(place) if place.is_file() else text_of(guest, path)
    return [row[2] for row in list(csv.reader(StringIO(said or "")))[1:] if len(row) > 2]


GETTERS: Getters = {
    "vlc_config": vlc_config,
    "vlc_playing_info": vlc_playing_info,
    "default_video_player": default_video_player,
    "gimp_config_file": gimp_config_file,
    "vscode_config": vscode_config,
    "conference_city_in_order": conference_city_in_order,
}
