"""Getters of the settings and the state of programs."""

from pathlib import Path

import pytest

from eval_flows.episodes.osworld.metrics import TaskError
from tests.eval_flows.episodes.osworld.getters.guests import FolderGuest, ToldGuest, got


def test_settings_of_programs_are_fetched(guest: FolderGuest) -> None:
    guest.put(".config/vlc/vlcrc", "qt-bgcone=0")
    guest.put(".config/GIMP/3.0/gimprc", "(theme x)")
    assert got(guest, "vlc_config", dest="vlcrc").read_text() == "qt-bgcone=0"
    assert got(guest, "gimp_config_file", file_name="gimprc", dest="gimprc").read_text() == "(theme x)"
    assert got(guest, "gimp_config_file", file_name="none", dest="n") is None
    guest.platform = "Plan9"
    with pytest.raises(TaskError, match="Plan9 is not known"):
        got(guest, "vlc_config", dest="vlcrc")


def test_what_vlc_plays_is_asked_inside_the_machine(tmp_path: Path) -> None:
    told = ToldGuest(tmp_path, answers={"requests/status.xml": "<root><state>playing</state></root>"})
    assert got(told, "vlc_playing_info", dest="status.xml").read_text().startswith("<root>")
    assert got(ToldGuest(tmp_path), "vlc_playing_info", dest="status.xml") is None


def test_other_programs_are_asked(tmp_path: Path) -> None:
    told = ToldGuest(
        tmp_path,
        answers={"video/mp4": "vlc.desktop\n", "video/webm": "totem.desktop\n", "video/ogg": "vlc.desktop\n", "pyautogui": ""},
        files={"/tmp/out": b"conf", "/tmp/c.csv": b"a,b,c\n1,2,Bonn\n3,4,Rome\n"},
    )
    assert got(told, "default_video_player") == "vlc.desktop\n"
    assert got(ToldGuest(tmp_path), "default_video_player") == "unknown"
    assert got(told, "vscode_config", vscode_extension_command="x", path="/tmp/out", dest="out").read_bytes() == b"conf"
    assert got(told, "conference_city_in_order", csv_path="/tmp/c.csv") == ["Bonn", "Rome"]
    with pytest.raises(TaskError, match="is for Linux"):
        got(ToldGuest(tmp_path, platform="Windows"), "default_video_player")
