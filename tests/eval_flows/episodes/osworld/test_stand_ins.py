"""Protects stand-ins: they have the shape that tasks speak of and the same bytes each time, and are told from the files themselves everywhere."""

import io
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import docx
import openpyxl
import pptx
import pypdf
import pytest
from PIL import Image

from atomic_tasks.problems import BadInput
from eval_flows.episodes.osworld import file_cache
from eval_flows.episodes.osworld.file_cache import FileCache, read_kept
from eval_flows.episodes.osworld.importing import Asked, import_suite
from eval_flows.episodes.osworld.stand_ins.declared import Made, made_for, stand_ins
from eval_flows.episodes.osworld.stand_ins.makers import MAKERS
from eval_flows.episodes.tasks.suite import read_suite
from tests.commands import invoked
from tests.eval_flows.episodes.osworld.made import step, task, write
from warehouse.layout import DataFolder

BASE = "https://huggingface.co/datasets/xlangai/ubuntu_osworld_file_cache/resolve/main/"
RIVER = f"{BASE}gimp/77b8ab4d-994f-43ac-8930-8ca087d7c4b4/The_Lost_River_Of_Dreams.jpg"
OURS = "https://files.example.org/deskmill/"


def content(address: str) -> io.BytesIO:
    made = made_for(address)
    assert made is not None
    return io.BytesIO(made.content)


def opened(name: str, file: io.BytesIO) -> object:
    """What a reader of the format makes of a file; it raises for another format."""
    readers: dict[str, Callable[[io.BytesIO], object]] = {
        "docx": docx.Document, "xlsx": openpyxl.load_workbook, "pptx": pptx.Presentation, "pdf": pypdf.PdfReader, "png": Image.open,
        "jpg": Image.open, "zip": zipfile.ZipFile,
    }  # fmt: skip
    reader = readers.get(name.rpartition(".")[2])
    return reader(file) if reader else file.getvalue()


def test_every_stand_in_is_made_in_its_format_and_again_the_same() -> None:
    assert len(stand_ins()) > 80
    for address in stand_ins():
        first, second = content(address), content(address)
        assert first.getvalue() == second.getvalue() and opened(address, first), address


def test_makers_give_what_is_asked_for() -> None:
    deck = pptx.Presentation(content(f"{BASE}libreoffice_impress/5cfb9197-e72b-454b-900e-c06b0c802b40/33_1.pptx"))
    (table,) = [shape.table for shape in deck.slides[3].shapes if shape.has_table]
    assert len(deck.slides) == 5 and [cell.text for cell in table.rows[0].cells] == ["Plot", "Grass", "Holly", "Others"]
    gold = openpyxl.load_workbook(content(f"{BASE}libreoffice_calc/21ab7b40-77c2-4ae6-8321-e00d3a086c73/1_PeriodRate_gt1.xlsx"))
    assert gold["Sheet1"]["D5"].font.color.rgb == "FF00FF00" and gold["Sheet1"]["D5"].value == 2.5
    lecture = pypdf.PdfReader(content(f"{BASE}vlc/386dbd0e-0241-4a0a-b6a2-6704fba26b1c/lecture_pdf.pdf"))
    assert len(lecture.pages) == 2 and "linked lists" in lecture.pages[1].extract_text() and lecture.metadata is not None
    assert lecture.metadata.title == "6.006 Introduction to Algorithms, Lecture 2: Data Structures"


def test_the_profile_of_thunderbird_has_its_accounts_and_added_lines() -> None:
    with tarfile.open(fileobj=content(f"{OURS}thunderbird/profile.tar.gz")) as archive:
        file = archive.extractfile(".thunderbird/t5q2a5hp.default-release/prefs.js")
        assert file is not None
        prefs = file.read().decode()
    assert "anonym-x2024@outlook.com" in prefs and prefs.endswith('user_pref("mailnews.start_page.enabled", true);\n')
    bills = content(f"{OURS}thunderbird/bills_gold").getvalue().decode()
    assert bills.count("\nSubject: ") == 2 and "Water bill" not in bills


def test_a_picture_with_layers_has_the_form_of_gimp() -> None:
    made = MAKERS["layers"]({"size": [100, 70], "layers": [{"name": "top", "picture": {"size": [65, 64], "shapes": []}}, {"name": "empty"}]})
    assert made.startswith(b"gimp xcf file\0") and made.count(b"top\0") == 1
    assert made.count(b"\xff\xff\xff\xff" * 64) >= 64, "the white pixels of the first tile"


def test_a_stand_in_says_so_and_makes_way_for_the_file_itself(tmp_path: Path) -> None:
    cache = FileCache.of(tmp_path, may_make=True)
    path, kept = cache.got(RIVER) or pytest.fail("nothing was made")
    cache.write_manifest()
    assert kept.stand_in and read_kept(tmp_path / "manifest.json")[RIVER].stand_in and path.parent.name == "made"
    assert cache.got("https://files.example.org/unknown.txt") is None, "nothing is made for an address that nobody has declared"
    ours = FileCache.of(tmp_path, may_make=True).got(f"{OURS}os/backup.sh")
    assert ours is not None and not ours[1].stand_in, "a file of our own examples is no stand-in"
    place = tmp_path / RIVER.partition("://")[2]
    place.parent.mkdir(parents=True)
    place.write_bytes(b"the picture itself")
    found = FileCache.of(tmp_path).found(RIVER)
    assert found is not None and found[0].read_bytes() == b"the picture itself" and not found[1].stand_in


def test_a_file_is_made_again_once_what_is_declared_has_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = FileCache.of(tmp_path, may_make=True)
    cache.got(RIVER)
    cache.write_manifest()
    again = FileCache.of(tmp_path, may_make=True)
    monkeypatch.setattr(again, "make", lambda address: Made(b"another picture", stands_in=True))
    path, kept = again.got(RIVER) or pytest.fail("nothing was made")
    assert path.read_bytes() == b"another picture" and kept.bytes == len(b"another picture")
    again.write_manifest()
    assert FileCache.of(tmp_path).found(RIVER) == (path, kept), "the manifest has the new hash"


def test_what_is_fetched_takes_the_place_of_a_stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = FileCache.of(tmp_path, may_make=True)
    made.got(RIVER)
    made.write_manifest()
    monkeypatch.setattr(file_cache, "fetch_file", lambda _, target: target.write_bytes(b"the picture itself"))
    found = FileCache.of(tmp_path, may_fetch=True).got(RIVER)
    assert found is not None and found[0].read_bytes() == b"the picture itself" and not found[1].stand_in


def test_an_import_tells_of_stand_ins(own_data: DataFolder, tmp_path: Path) -> None:
    fetched = [step("download", files=[{"url": RIVER, "path": "river.jpg"}])]
    tasks = write(tmp_path / "tasks", {"os/a": task(config=fetched, related_apps=["os"], evaluator={"func": "infeasible"})})
    cache = FileCache.of(tmp_path / "cache", may_make=True)
    (row,) = import_suite(Asked(tasks, "made", "smoke", cache), own_data, is_dry=False).rows
    assert row.has_stand_ins and row.reason is None
    assert "(1 of them with stand-ins for files that they fetch)" in read_suite("made").description
    assert read_kept(own_data.imported / "made" / "files.json")[RIVER].stand_in
    assert (own_data.imported / "made" / "missing.txt").read_text() == f"{RIVER}\n", "the file itself is still wanted"


def test_an_unknown_maker_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("base: https://h.org/\nfiles: {a.pptx: {dck: {}}}\n")
    with pytest.raises(BadInput, match=r"files\.a\.pptx: needs one maker, not 'dck'; did you mean 'deck'\?"):
        stand_ins(tmp_path)


@pytest.mark.parametrize(("options", "said"), [(("--fetch",), "choose one"), (("--dry-run",), "makes no stand-ins")])
def test_stand_ins_are_made_alone(tmp_path: Path, options: tuple[str, ...], said: str) -> None:
    done = invoked("suite", "import", str(tmp_path), "--name", "made", "--stand-ins", *options, data=tmp_path)
    assert done.exit_code != 0 and said in done.output
