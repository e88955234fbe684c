"""Protects the one who checks from the files of an agent that means harm: bombs are refused before they are unpacked, and what is broken is nothing."""

import contextlib
import io
import re
import sqlite3
import struct
import tracemalloc
import zipfile
import zlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eval_flows.episodes.checkers import care, checks, files, getters
from eval_flows.episodes.checkers.checker import known
from machines.errors import LeftUnreadable
from tests.eval_flows.episodes.checkers.whole_files import QUESTIONS, whole_file
from tests.eval_flows.episodes.desktops import desktop
from tests.eval_flows.episodes.tasks.examples import got, made, pdf

OF_FILES = known().checkers.of_files

ASKED: dict[str, dict[str, Any]] = {
    "cell": {"at": "A1"},
    "formula": {"at": "B2", "sheet": "Costs"},
    "cell_style": {"at": "A1", "what": "bold"},
    "column": {"column": "A"},
    "workbook": {"what": "merged"},
    "document": {"what": "paragraphs"},
    "picture": {"what": "mean"},
    "picture_file": {"what": "resolution"},
    "near_colour": {"colour": "#ff0000", "levels": 9, "inside": {"ring": [9, 9, 2, 6]}},
    "off_colour": {"spots": {"#ff0000": [[0, 0, 5, 5], ["50%", 3]]}},
    "changed_pixels": {"before": {"size": [40, 20], "shapes": []}, "levels": 8},
    "found": {"pattern": r"(\w+) (\d+)"},
    "rows": {"query": "SELECT name FROM birds"},
    "member": {"name": "b.txt"},
    "setting": {"section": "general", "key": "size"},
    "json": {"at": "a.b"},
    "xml": {"at": "a/b"},
    "capture": {"what": "sources"},
}
MAKER_OF = {
    "cell": "workbook", "formula": "workbook", "cell_style": "workbook", "column": "workbook", "workbook": "workbook", "document": "document",
    "picture": "picture", "near_colour": "picture", "off_colour": "picture", "changed_pixels": "picture", "rows": "database", "member": "archive",
    "members": "archive", "capture": "capture", "packets": "capture",
}  # fmt: skip
OF_ARCHIVES = ["cell", "formula", "cell_style", "column", "workbook", "document", "member", "members"]


@pytest.mark.parametrize("name", MAKER_OF)
def test_what_is_cut_off_or_something_else_is_nothing(name: str) -> None:
    whole = made(MAKER_OF[name])
    assert got(name, whole, **ASKED.get(name, {})) is not None
    for content in (
        b"",
        b"\0" * 100,
        b"no such thing at all\n" * 50,
        b"PK\x03\x04" + b"\0" * 60,
        *([] if "capture" in MAKER_OF[name] else [whole[: len(whole) // 2]]),
    ):
        assert got(name, content, **ASKED.get(name, {})) is None


@pytest.mark.parametrize("name", QUESTIONS)
def test_each_question_about_a_whole_file_is_answered(name: str) -> None:
    """Otherwise the damage below would be tried on what reads nothing."""
    for what in QUESTIONS[name]:
        assert got(name, whole_file(name), what=what) is not None, what


def survives(name: str, content: bytes, /, **asked: Any) -> None:
    """A getter gets something, or nothing, or the content has ended the process that reads it."""
    with contextlib.suppress(LeftUnreadable):
        got(name, content, **asked)


def damaged(whole: bytes, data: st.DataObject) -> bytes:
    """A file with a few other bytes, and perhaps cut off."""
    content = bytearray(whole)
    for _ in range(data.draw(st.integers(0, 8))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    return bytes(content[: data.draw(st.one_of(st.none(), st.integers(0, len(content))))])


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(OF_FILES.keys() - QUESTIONS.keys())), st.data())
def test_no_content_ever_breaks_a_getter(name: str, data: st.DataObject) -> None:
    survives(name, damaged(made(MAKER_OF.get(name, "text")), data), **ASKED.get(name, {}))
    survives(name, data.draw(st.binary(max_size=200)), **ASKED.get(name, {}))


@settings(max_examples=60, deadline=None)
@given(st.sampled_from([(name, what) for name, asked in QUESTIONS.items() for what in asked]), st.data())
def test_no_content_ever_breaks_a_getter_of_professional_files(question: tuple[str, str], data: st.DataObject) -> None:
    name, what = question
    survives(name, damaged(whole_file(name), data), what=what)
    survives(name, data.draw(st.binary(max_size=200)), what=what)


def packed(parts: dict[str, bytes], how: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", how) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return file.getvalue()


def lying(size: int, told: int, name: str = "b.txt") -> bytes:
    """An archive whose part is longer than it says, with the checksum of what it says."""
    zeros = bytes(size)
    truth = struct.pack("<III", zlib.crc32(zeros), len(packed({name: zeros})) and _packed_size(zeros, name), size)
    lie = struct.pack("<III", zlib.crc32(zeros[:told]), struct.unpack("<III", truth)[1], told)
    content = packed({name: zeros})
    assert content.count(truth) == 2
    return content.replace(truth, lie)


def _packed_size(content: bytes, name: str) -> int:
    with zipfile.ZipFile(io.BytesIO(packed({name: content}))) as archive:
        return archive.getinfo(name).compress_size


@pytest.mark.parametrize("name", OF_ARCHIVES)
def test_a_bomb_is_refused_before_anything_is_unpacked(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    size = care._LARGEST_UNPACKED + 1
    bomb = packed({"b.txt": bytes(size), "xl/workbook.xml": b"", "[Content_Types].xml": b""})
    assert len(bomb) < size / 500

    def unpacks(*_: Any) -> bytes:
        raise AssertionError("it was unpacked")

    monkeypatch.setattr(zipfile.ZipExtFile, "read", unpacks)
    with pytest.raises(ValueError, match="too large to unpack"):
        care.unpacked(bomb)
    assert got(name, bomb, **ASKED.get(name, {})) is None
    assert got(name, packed({f"{number}": b"" for number in range(10_001)}, zipfile.ZIP_STORED), **ASKED.get(name, {})) is None


def test_a_part_that_is_longer_than_it_says_never_fills_the_memory() -> None:
    content = lying(50_000_000, 10)
    tracemalloc.start()
    assert got("member", content, name="b.txt") in (None, "\0" * 10)
    with zipfile.ZipFile(care.unpacked(content)) as archive:
        assert archive.read("b.txt") == bytes(10)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10_000_000


def test_archives_that_cannot_be_unpacked_are_nothing() -> None:
    whole = packed({"b.txt": b"inside"})
    central = whole.index(b"PK\x01\x02")
    encrypted = bytearray(whole)
    encrypted[6] |= 1
    encrypted[central + 8] |= 1
    strange = bytearray(whole)
    strange[8:10] = strange[central + 10 : central + 12] = b"\x63\x00"
    for content in (encrypted, strange):
        assert got("member", bytes(content), name="b.txt") is None and got("cell", bytes(content), at="A1") is None
    assert got("member", packed({"b.txt": b"one"}), name="b.txt") == "one"


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # the interruption may come while garbage is collected
def test_a_workbook_that_merges_every_cell_does_not_hold_up_the_check(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(getters, "_READING_SECONDS", 0.3)
    with zipfile.ZipFile(io.BytesIO(made("workbook"))) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    parts[sheet] = parts[sheet].replace(b"</sheetData>", b'</sheetData><mergeCells count="1"><mergeCell ref="A1:XFD1048576"/></mergeCells>')
    assert got("cell", packed(parts), at="A1") is None


def test_a_view_that_never_ends_does_not_hold_up_the_check(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_QUERY_SECONDS", 0.2)
    endless = "CREATE VIEW birds AS WITH RECURSIVE n(name) AS (SELECT 1 UNION ALL SELECT name + 1 FROM n) SELECT name FROM n WHERE name < 0"
    with pytest.raises(sqlite3.OperationalError, match="interrupted"):
        files.rows_of_query(made("database", script=[endless]), "SELECT name FROM birds")


def test_a_text_that_a_regular_expression_never_ends_on_does_not_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "_HOLDING_SECONDS", 0.2)
    checked = checks.check(desktop({"f": b"a" * 60 + b"b"}), {"text": "f", "matches": "^(a+)+$"}, {})
    assert not checked.holds
    assert checks.check(desktop({"f": b"aaa"}), {"text": "f", "matches": "^(a+)+$"}, {}).holds


def test_a_check_that_cannot_be_right_is_an_error_and_not_a_lost_reward() -> None:
    with pytest.raises(re.error):
        checks.check(desktop({"f": b"a"}), {"text": "f", "matches": "(a"}, {})


def test_a_pdf_file_that_unpacks_to_more_than_it_may_is_nothing() -> None:
    words = b"BT /F 12 Tf 10 100 Td (Doors) Tj ET"
    assert got("pdf_text", pdf(zlib.compress(words), b"/Filter/FlateDecode")) == "Doors"
    assert got("pdf_text", pdf(zlib.compress(words + b" " * 200_000_000), b"/Filter/FlateDecode")) is None


def png(width: int, height: int) -> bytes:
    """A picture that says it has that size, and holds one line."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    lines = zlib.compress(bytes(1 + min(width, 100) * 3))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) + chunk(b"IDAT", lines) + chunk(b"IEND", b"")


@pytest.mark.filterwarnings("ignore::PIL.Image.DecompressionBombWarning")
@pytest.mark.parametrize("size", [(10_000, 10_000), (60_000, 60_000), (2**31 - 1, 2**31 - 1), (0, 0)])
def test_huge_pictures_are_not_looked_at(size: tuple[int, int]) -> None:
    for what in ("width", "mean", "pixel.1.1", "count.#000000", "transparent"):
        assert got("picture", png(*size), what=what) is None
    for name in ("near_colour", "off_colour", "changed_pixels", "picture_file"):
        assert got(name, png(*size), **ASKED[name]) is None


def test_pictures_that_are_programs_are_nothing() -> None:
    assert got("picture", png(50, 50), what="width") == 50
    program = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\n%%EndComments\nshowpage\n%%EOF\n"
    assert got("picture", program, what="width") is None, "Ghostscript is never run on what an agent made"


def test_broken_texts_of_every_kind_are_nothing() -> None:
    assert got("xml", b"<a><b></a>", at="b") is None
    assert got("xml", b'<!DOCTYPE d [<!ENTITY a "x"><!ENTITY f SYSTEM "file:///etc/passwd">]><d><b>&f;</b></d>', at="b") in (None, "")
    lol = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))
    assert got("xml", f'<!DOCTYPE d [<!ENTITY a0 "aaaaaaaaaa">{lol}]><d><b>&a11;</b></d>'.encode(), at="b") is None
    assert got("json", b"[" * 100_000, at="0") is None and got("json", b'{"a": ', at="a") is None and got("json", b"\xff\xfe{", at="a") is None
    assert got("setting", b"[general\nsize 3\n", section="general", key="size") is None
    assert got("csv", b'a,b\n"' + b"x" * 200_000) is None
    assert got("text", b"\xff\xfe\x00ok") == "��\0ok"
    assert got("capture", b"\x0a\x0d\x0d\x0a" + b"\0" * 40, what="format") is None
    assert got("packets", b"\x0a\x0d\x0d\x0a" + b"\0" * 40) is None
