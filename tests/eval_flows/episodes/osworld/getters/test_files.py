"""Getters of files bring what is there, and None where nothing is; they leave no folder that they may not leave."""

from datetime import datetime
from pathlib import Path

import pytest

from eval_flows.episodes.osworld.metrics import TaskError
from tests.eval_flows.episodes.osworld.getters.guests import FolderGuest, got
from tests.eval_flows.episodes.osworld.metrics.made import packed, workbook


def test_a_file_of_the_machine_is_fetched_and_one_that_went_is_none(guest: FolderGuest) -> None:
    place = guest.put("Desktop/a.txt", "one")
    asked = {"path": str(place), "dest": "a.txt"}
    assert got(guest, "vm_file", **asked).read_text() == "one"
    place.unlink()
    assert got(guest, "vm_file", **asked) is None
    assert got(guest, "cache_file", path="a.txt") is None, "what an earlier look fetched is not there now"


def test_several_files_are_fetched_and_the_wanted_ones_given(guest: FolderGuest) -> None:
    places = [str(guest.put(name, name)) for name in ("a.xlsx", "a-Sheet1.csv")]
    both = {"path": [*places, str(Path(guest.home, "none"))], "dest": ["a.xlsx", "a-Sheet1.csv", "none"], "multi": True}
    assert got(guest, "vm_file", **both).name == "a.xlsx"
    assert [place and place.name for place in got(guest, "vm_file", **both, gives=[1, 2])] == ["a-Sheet1.csv", None]


def test_the_date_comes_before_the_end_of_a_name(guest: FolderGuest) -> None:
    guest.put(f"log{datetime.now():%Y_%m_%d}.txt", "x")
    assert got(guest, "vm_file", path=f"{guest.home}/log.txt", dest="log.txt", time_suffix=True).read_text() == "x"


@pytest.mark.parametrize("name", ["../outside", "/etc/passwd", "."])
def test_a_name_that_leaves_the_cache_is_a_mistake_of_the_task(guest: FolderGuest, name: str) -> None:
    with pytest.raises(TaskError, match="outside the cache"):
        got(guest, "vm_file", path="/etc/hostname", dest=name)


def test_lists_of_unequal_length_are_a_mistake_of_the_task(guest: FolderGuest) -> None:
    with pytest.raises(TaskError, match="'path' has 2 entries and 'dest' 1"):
        got(guest, "vm_file", path=["a", "b"], dest=["a"], multi=True)


def test_a_file_of_the_net_is_that_of_the_cache(guest: FolderGuest) -> None:
    (guest.cache / "gold.docx").write_text("x")
    assert got(guest, "cloud_file", path="https://a/gold.docx", dest="gold.docx") == guest.cache / "gold.docx"
    assert got(guest, "cloud_file", path="https://a/b", dest="b") is None


def test_the_last_row_of_a_workbook_is_got_as_texts(guest: FolderGuest, tmp_path: Path) -> None:
    place = workbook(tmp_path / "home" / "a.xlsx", [("name", "n"), ("x", 1), ("y", 2)])
    asked = {"path": str(place), "file_type": "xlsx", "file_content": "last_row"}
    assert got(guest, "content_from_vm_file", **asked) == ["y", "2"]
    place.write_text("broken")
    assert got(guest, "content_from_vm_file", **asked) is None
    with pytest.raises(TaskError, match="only the 'last_row'"):
        got(guest, "content_from_vm_file", path="a", file_type="pdf", file_content="last_row")


def test_a_folder_is_listed_without_following_links(guest: FolderGuest) -> None:
    guest.put("d/b/c.txt", "")
    guest.put("d/a.jpg", "")
    Path(guest.home, "d/loop").symlink_to(Path(guest.home))
    found = got(guest, "list_directory", path=f"{guest.home}/d")
    assert [one["name"] for one in found["children"]] == ["a.jpg", "b", "loop"]
    assert [one.get("children") for one in found["children"]] == [None, [{"type": "file", "name": "c.txt"}], []]
    assert got(guest, "list_directory", path="/none") is None


_SLIDE = (
    '<p:sld xmlns:p="p" xmlns:a="a" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><p:bg><p:bgPr><a:blip r:embed="r2"/>'
    "</p:bgPr></p:bg></p:sld>"
)
_RELATIONS = (
    '<Relationships><Relationship Id="r1" Type="x/image" Target="../media/other.png"/><Relationship Id="r2" Type="x/image" Target="../media/back.png"/>'
    '<Relationship Id="r3" Type="x/audio" Target="file://{sound}"/></Relationships>'
)


def test_pictures_behind_slides_and_sounds_in_them_are_got(guest: FolderGuest, tmp_path: Path) -> None:
    sound = guest.put("a.mp3", "sound")
    place = packed(
        tmp_path / "home" / "a.pptx",
        {
            "ppt/slides/slide1.xml": _SLIDE,
            "ppt/slides/_rels/slide1.xml.rels": _RELATIONS.format(sound=sound),
            "ppt/media/back.png": b"back",
            "ppt/media/other.png": b"other",
        },
    )
    asked = {"ppt_file_path": str(place), "slide_index": 0}
    assert got(guest, "background_image_in_slide", **asked, dest="b.png").read_bytes() == b"back"
    assert got(guest, "audio_in_slide", **asked, dest="b.mp3").read_bytes() == b"sound"
    assert got(guest, "audio_in_slide", **{**asked, "slide_index": 1}, dest="b.mp3") is None
    place.write_text("broken")
    assert got(guest, "background_image_in_slide", **asked, dest="b.png") is None
