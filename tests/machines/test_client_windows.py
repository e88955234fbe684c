"""Protects what the client asks of windows, files and commands: the guest server, on a platform that is told, does just that."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from machines.client import GuestClient
from machines.errors import MachineError
from tests.machines.guest.fake import FakePlatform, app_of, guest, serving


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[FakePlatform, GuestClient]]:
    platform, one = guest(tmp_path)
    with serving(app_of(one)) as address, httpx.Client(base_url=address, headers={"Authorization": "Bearer secret"}) as http:
        yield platform, GuestClient(http)


def test_a_window_is_found_by_a_part_of_its_title_or_by_its_class(served: tuple[FakePlatform, GuestClient]) -> None:
    platform, client = served
    assert client.activate_window("NOTES") and client.activate_window("Notepad", by_class=True) and platform.activated == ["notes.txt"] * 2
    assert not client.activate_window("notes", strict=True) and not client.close_window("nowhere")
    assert client.close_window("notes.txt", strict=True) and platform.open_windows == []


def test_a_file_is_opened_if_there_is_one(served: tuple[FakePlatform, GuestClient], tmp_path: Path) -> None:
    platform, client = served
    (tmp_path / "notes.txt").write_text("bread")
    client.open_file(str(tmp_path / "notes.txt"))
    assert platform.started == [["open", str(tmp_path / "notes.txt")]]
    with pytest.raises(MachineError, match="there is no file"):
        client.open_file(str(tmp_path / "none.txt"))


def test_a_command_is_started_by_itself_or_by_the_shell(served: tuple[FakePlatform, GuestClient]) -> None:
    platform, client = served
    client.launch(["vlc", "a b.mp4"])
    client.launch("QUIET=1 vlc", shell=True)
    assert platform.started == [["vlc", "a b.mp4"], ["/bin/sh", "-c", "QUIET=1 vlc"]]
