"""Getters of commands, the terminal, windows and the screen."""

from pathlib import Path

from eval_flows.episodes.osworld.metrics import METRICS
from machines.client import Window
from tests.eval_flows.episodes.osworld.getters.guests import FolderGuest, ToldGuest, got


def test_commands_print(guest: FolderGuest) -> None:
    assert got(guest, "vm_command_line", command="echo a; echo b >&2", shell=True) == "a\n"
    assert got(guest, "vm_command_error", command="echo a; echo b >&2", shell="true") == "b\n"
    assert got(guest, "vm_command_line", command=["echo", "x"]) == "x\n"
    assert got(guest, "vm_command_line", command=["/none"]) == ""


def test_the_terminal_is_read_from_the_tree(guest: FolderGuest, tmp_path: Path) -> None:
    assert got(guest, "vm_terminal_output") == "user@host:~$ ls\n54"
    assert got(ToldGuest(tmp_path), "vm_terminal_output") is None
    assert got(guest, "accessibility_tree") == guest.tree()


def test_windows_and_the_screen_have_sizes(guest: FolderGuest) -> None:
    guest.seen = [
        Window("small", "vlc.vlc", 1, 0, 0, 10, 10, False),
        Window("VLC", "vlc.vlc", 1, 0, 0, 1920, 1080, False),
        Window("x", "other.Other", 2, 0, 0, 5, 5, True),
    ]
    assert got(guest, "vm_screen_size") == got(guest, "vm_window_size", app_class_name="vlc") == {"width": 1920, "height": 1080}
    assert got(guest, "vm_window_size", app_class_name="gimp") is None
    assert got(guest, "vm_active_window_title") == "x"
    assert METRICS["is_vlc_fullscreen"](got(guest, "vm_screen_size"), got(guest, "vm_window_size", app_class_name="vlc")) == 1.0


def test_the_wallpaper_is_fetched(tmp_path: Path) -> None:
    linux = ToldGuest(tmp_path, answers={"picture-uri": "'file:///home/user/my%20wall.png'\n"}, files={"/home/user/my wall.png": b"w"})
    assert got(linux, "vm_wallpaper", dest="w.png").read_bytes() == b"w"
    theme = "C:\\Users\\Docker\\AppData\\Roaming\\Microsoft\\Windows\\Themes\\TranscodedWallpaper"
    assert got(ToldGuest(tmp_path, platform="Windows", files={theme: b"t"}), "vm_wallpaper", dest="w.png").read_bytes() == b"t"
    assert got(ToldGuest(tmp_path, answers={"picture-uri": "''"}), "vm_wallpaper", dest="w.png") is None
    assert got(ToldGuest(tmp_path), "vm_wallpaper", dest="w.png") is None
