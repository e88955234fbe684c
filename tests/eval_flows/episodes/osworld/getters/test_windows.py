"""Getters of Windows Agent Arena that ask Windows."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from eval_flows.episodes.osworld.getters import OF_WINDOWS
from eval_flows.episodes.osworld.metrics import TaskError
from tests.eval_flows.episodes.osworld.getters.guests import FolderGuest, ToldGuest, got


def _night(*schedule: int) -> str:
    return "\n".join(map(str, [0] * 24 + [1, 0, 0, 0, *schedule]))


@pytest.mark.parametrize(
    ("name", "asked", "answers", "found"),
    [
        ("night_light_state", {}, {"bluelight": _night(19, 0, 0, 202, 20, 7, 0, 0)}, [True, "07:00 PM", "07:00 AM"]),
        ("night_light_state", {}, {"bluelight": _night(19, 46, 30, 0, 202, 20, 0, 7, 46, 15, 0)}, [True, "07:30 PM", "07:15 AM"]),
        ("night_light_state", {}, {"bluelight": _night(202)}, [True]),
        ("night_light_state", {}, {"bluelight": "\n".join("0" * 40)}, False),
        ("night_light_state", {}, {}, False),
        ("default_browser", {}, {"UserChoice": "MSEdgeHTM\n"}, "MSEdgeHTM"),
        ("default_browser", {}, {}, "Error"),
        ("sticky_notes_content", {}, {"plum.sqlite": '["\\\\id=1-a Buy milk\\n\\\\id=2-b Call", null, "bare"]'}, "Buy milk\nCall\nbare"),
        ("sticky_notes_content", {}, {}, None),
        ("storage_sense_run_frequency", {}, {"'01'": "1\n", "'2048'": "30\n"}, "30"),
        ("storage_sense_run_frequency", {}, {"'01'": "0\n"}, None),
        (
            "active_hours_of_user_to_not_interrupt_for_windows_updates",
            {},
            {"ActiveHoursStart": "8\n", "ActiveHoursEnd": "17\n"},
            ["08:00 AM", "05:00 PM"],
        ),
        ("active_hours_of_user_to_not_interrupt_for_windows_updates", {}, {}, None),
        ("system_timezone", {}, {"Get-TimeZone": "(UTC) London\n"}, "(UTC) London"),
        ("desktop_background", {}, {"WallPaper": "\n"}, "True"),
        ("desktop_background", {}, {"WallPaper": "C:\\a.jpg\n"}, "False"),
        ("system_notifications", {}, {"ToastEnabled": "0\n"}, "True"),
        ("system_notifications", {}, {}, "False"),
        (
            "is_directory_read_only_for_user",
            {"directory": "C:\\it's", "user": "Bob"},
            {"C:\\it''s": "Allow ReadAndExecute, Synchronize\nDeny Write\n"},
            True,
        ),
        ("is_directory_read_only_for_user", {"directory": "C:\\d", "user": "Bob"}, {"C:\\d": "Allow FullControl\n"}, False),
        ("is_directory_read_only_for_user", {"directory": "C:\\d", "user": "Bob"}, {}, False),
        ("vm_library_folders", {"library_name": "Documents"}, {"Documents.library-ms": "C:\\a\nC:\\b\n"}, ["C:\\a", "C:\\b"]),
        ("are_all_images_tagged", {"directory": "C:\\p", "tag": "2023"}, {"C:\\p": "|2023; trip\n|2023\n"}, True),
        ("are_all_images_tagged", {"directory": "C:\\p", "tag": "2023"}, {"C:\\p": "|2023\n|\n"}, False),
        ("are_all_images_tagged", {"directory": "C:\\p", "tag": "2023"}, {"C:\\p": ""}, False),
    ],
)
def test_windows_answers_by_its_registry(name: str, asked: Mapping[str, Any], answers: Mapping[str, str], found: Any, tmp_path: Path) -> None:
    assert got(ToldGuest(tmp_path, platform="Windows", answers=answers), name, **asked) == found


_CLOCK = '<desktop><window name="Clock"><item name="Munich, Germany, Saturday"/><group name="3 hours 20 minutes"><button name="Timer running, Pause"/></group></window></desktop>'


def test_the_clock_of_windows_is_read_from_its_tree(tmp_path: Path) -> None:
    told = ToldGuest(tmp_path, platform="Windows", shown=_CLOCK)
    assert got(told, "check_if_world_clock_exists", city="Munich", country="Germany") == "True"
    assert got(told, "check_if_world_clock_exists", city="Kyoto", country="Japan") == "False"
    assert got(told, "check_if_timer_started", hours="3", minutes="20", seconds="0") == "True"
    assert got(told, "check_if_timer_started", hours="3", minutes="21", seconds="0") == "False"


@pytest.mark.parametrize("name", sorted(OF_WINDOWS))
def test_what_only_windows_can_answer_is_asked_of_nobody_else(name: str, guest: FolderGuest) -> None:
    asked = {"directory": "d", "user": "u", "tag": "t", "library_name": "l", "hours": 1, "minutes": 1, "seconds": 1, "city": "c", "country": "c"}
    with pytest.raises(TaskError, match="is for Windows"):
        got(guest, name, **asked)
