"""Getters of Windows Agent Arena that look at files."""

import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.eval_flows.episodes.osworld.getters.guests import FolderGuest, got
from tests.eval_flows.episodes.osworld.metrics.made import png


def test_files_and_folders_of_the_arena_are_found(guest: FolderGuest) -> None:
    guest.put("Desktop/numdays.txt", "It is 230 days.\r\n")
    guest.put("Documents/MyFolder/x", "x")
    guest.put("OldDownloads/Old/a.txt", "x")
    guest.put("pictures/b.PNG", "x")
    guest.put("names.txt", "b.PNG\n")
    hidden = guest.put(".secret", "x")
    expected: Mapping[Any, Any] = {
        ("is_file_saved_desktop", ("filename", "numdays.txt"), ("textcontent", "230 days")): "true",
        ("is_file_saved_desktop", ("filename", "numdays.txt"), ("textcontent", "230 days"), ("exact", True)): "false",
        ("is_file_saved_desktop", ("filename", "none.txt"), ("textcontent", "230 days")): "false",
        ("is_file_desktop", ("filename", "numdays.txt")): "true",
        ("desktop_file_content", ("filename", "numdays.txt")): "It is 230 days.\r\n",
        ("desktop_file_content", ("file_name", "none.txt")): None,
        ("vm_file_exists_in_desktop", ("file_name", "none.txt")): False,
        ("vm_folder_exists_in_documents", ("folder_name", "MyFolder")): True,
        ("vm_folder_exists_in_documents", ("folder_name", "Other")): False,
        ("vm_file_exists_in_vm_folder", ("folder_name", f"{guest.home}/Documents/MyFolder"), ("file_name", "x")): 1.0,
        ("vm_file_exists_in_vm_folder", ("folder_name", f"{guest.home}/Documents"), ("file_name", "x")): 0.0,
        ("is_files_moved_downloads", ("folder_name", "Old"), ("file_name", "a.txt")): "true",
        ("is_files_moved_downloads", ("folder_name", "Old"), ("file_name", "b.txt")): "false",
        ("all_png_file_names", ("file_path", f"{guest.home}/names.txt"), ("folder_path", f"{guest.home}/pictures")): "true",
        ("all_png_file_names", ("file_path", f"{guest.home}/names.txt"), ("folder_path", f"{guest.home}/Desktop")): "false",
        ("is_file_hidden", ("file_path", str(hidden))): "true",
        ("is_file_hidden", ("file_path", f"{guest.home}/names.txt")): "false",
    }
    assert {(name, *asked): got(guest, name, **dict(asked)) for name, *asked in expected} == expected


def test_documents_in_an_archive_folder_are_all_there(guest: FolderGuest) -> None:
    asked = {"folder_path": f"{guest.home}/Documents"}
    guest.put("Documents/a.docx", "x")
    assert got(guest, "is_all_docx_in_archive", **asked) == "false"
    Path(guest.home, "Documents/Archive").mkdir()
    assert got(guest, "is_all_docx_in_archive", **asked) == "false", "an empty folder is no archive"
    Path(guest.home, "Documents/a.docx").rename(Path(guest.home, "Documents/Archive/a.docx"))
    assert got(guest, "is_all_docx_in_archive", **asked) == "true"
    guest.put("Documents/Archive/b.txt", "x")
    assert got(guest, "is_all_docx_in_archive", **asked) == "false"


def test_an_archive_of_7_zip_with_a_password_is_known(guest: FolderGuest) -> None:
    def made(header: bytes) -> bytes:
        return b"7z\xbc\xaf\x27\x1c\0\4" + b"crc." + struct.pack("<QQ", 3, len(header)) + b"crc." + b"abc" + header

    places = [
        str(guest.put(f"{name}.7z", content))
        for name, content in (("a", made(b"\x17\x06\xf1\x07\x01")), ("b", made(b"\x17\x03\x01\x01")), ("c", b"PK"))
    ]
    assert [got(guest, "zipped_folder_in_desktop", filename=place) for place in (*places, "none")] == ["true", "false", "false", "false"]


def _ring(box: tuple[int, int, int, int], colour: str) -> Any:
    return lambda pen: pen.ellipse(box, outline=colour, width=4)


def test_a_red_circle_is_round_and_red(guest: FolderGuest, tmp_path: Path) -> None:
    ways = {
        "ring": _ring((50, 50, 150, 150), "red"),
        "disc": lambda pen: pen.ellipse((50, 50, 150, 150), fill="red"),
        "blue": _ring((50, 50, 150, 150), "blue"),
        "flat": _ring((50, 50, 250, 100), "red"),
        "square": lambda pen: pen.rectangle((50, 50, 150, 150), outline="red", width=4),
        "line": lambda pen: pen.line((50, 50, 150, 150), fill="red", width=4),
        "nothing": lambda pen: None,
    }
    places = {name: png(tmp_path / f"{name}.png", (300, 200), draw) for name, draw in ways.items()}
    found = {name: got(guest, "is_red_circle_present_on_canvas", filepath=str(place)) for name, place in places.items()}
    assert found == {"ring": True, "disc": True, "blue": False, "flat": False, "square": False, "line": False, "nothing": False}
    assert got(guest, "is_red_circle_present_on_canvas", filepath="none") is False
    asked = {"filepath": str(places["ring"]), "width": "300", "height": "200"}
    assert got(guest, "image_dimension_matches_input", **asked) is True
    assert got(guest, "image_dimension_matches_input", **{**asked, "width": "301"}) is False
    assert got(guest, "image_dimension_matches_input", **{**asked, "filepath": str(guest.put("b.png", "broken"))}) is False
