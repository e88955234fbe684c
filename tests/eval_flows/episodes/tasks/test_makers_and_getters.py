"""Protects what episodes begin with and are checked by: makers give the same bytes each time, and getters read back what was made."""

import hashlib
import io
import os
import subprocess
import sys
import time
import zipfile
from typing import Any, cast

import docx
import openpyxl.writer.excel
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl.formatting.rule import Rule
from openpyxl.worksheet.datavalidation import DataValidation

from atomic_tasks.catalog import Catalog
from eval_flows.episodes.agents.oracle import VERBS
from eval_flows.episodes.checkers.checker import known
from eval_flows.episodes.checkers.getters import get
from eval_flows.episodes.tasks.makers.maker import make, makers
from machines.client import Window
from machines.observation import Element
from tests.conftest import REPOSITORY
from tests.eval_flows.episodes.desktops import Files, desktop
from tests.eval_flows.episodes.tasks.examples import EXAMPLES, got, made


def test_the_declared_names_are_those_that_the_code_implements(catalog: Catalog) -> None:
    assert set(catalog.checkers.makers) == {*makers().of_files, *makers().of_state}
    checkers = known().checkers
    assert set(catalog.checkers.getters) == {*checkers.of_files, *checkers.of_desktop} and set(catalog.checkers.metrics) == set(checkers.metrics)
    assert set(catalog.checkers.oracle) == VERBS


REST = {
    "TEXT": "One line",
    "NAME": "a",
    "X1": "A1",
    "X": "A",
    "N": "1",
    "X.Y": "2.3",
    "#rrggbb": "#ff0000",
}  # for what stands after a dot in checkers.yaml


@pytest.mark.parametrize("getter", ["cell_style", "workbook", "document", "picture", "picture_file", "sound", "capture"])
def test_everything_that_a_getter_is_said_to_tell_is_told(getter: str, catalog: Catalog) -> None:
    content = made({"cell_style": "workbook", "picture_file": "picture"}.get(getter, getter))
    assert len(catalog.checkers.getters[getter].what) >= 2
    for what in catalog.checkers.getters[getter].what:
        kind, dot, rest = what.partition(".")
        known().checkers.of_files[getter](content, {"path": "f", "at": "A1", "what": kind + dot + (REST[rest] if dot else "")})  # or it raises
    with pytest.raises(KeyError):
        known().checkers.of_files[getter](content, {"path": "f", "at": "A1", "what": "no such thing"})


@pytest.mark.parametrize("name", makers().of_files)
def test_what_is_made_does_not_depend_on_the_time(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first = made(name)
    later = time.struct_time((2031, 7, 9, 11, 12, 14, 2, 190, 0))
    monkeypatch.setattr(time, "localtime", lambda *_: later)
    monkeypatch.setattr(openpyxl.writer.excel, "datetime", None)
    assert made(name) == first
    if zipfile.is_zipfile(io.BytesIO(first)):
        with zipfile.ZipFile(io.BytesIO(first)) as archive:
            assert {part.date_time for part in archive.infolist()} == {(2026, 1, 1, 0, 0, 0)}


def test_what_is_made_does_not_depend_on_the_process() -> None:
    script = (
        "import hashlib; from eval_flows.episodes.tasks.makers.maker import makers; from tests.eval_flows.episodes.tasks.examples import EXAMPLES\n"
        "print(hashlib.sha256(b''.join(makers().of_files[name](asked) for name, asked in EXAMPLES.items())).hexdigest())"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "4711", "TZ": "Pacific/Auckland", "LANG": "C"}
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=REPOSITORY, env=environment).stdout
    assert said.split()[0] == hashlib.sha256(b"".join(made(name) for name in EXAMPLES)).hexdigest()


def test_making_puts_files_in_the_home_folder_and_folders_empty() -> None:
    made_on = desktop()
    client = cast("Files", made_on.client)
    make(made_on, {"text": {"path": "Documents/a.txt", "content": "x"}})
    make(made_on, {"text": {"path": "/tmp/b.txt", "content": "y"}})
    make(made_on, {"folder": "Pictures/new"})
    make(made_on, {"clipboard": {"content": "to paste"}})
    assert client.clipboard == "to paste"
    assert client.content == {"/home/agent/Documents/a.txt": b"x", "/tmp/b.txt": b"y"}


WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Zl", "Zp")), max_size=12)


@given(st.lists(WORDS))
def test_lines_of_a_text_are_read_back(lines: list[str]) -> None:
    content = made("text", content=lines)
    assert got("lines", content) == (lines or [""])
    assert got("text", content) == "".join(f"{line}\n" for line in lines or [""])
    assert got("size", content) == len(content) and got("digest", content) == hashlib.sha256(content).hexdigest()
    assert got("lines", content, without="a") == [line.replace("a", "") for line in lines or [""]]
    assert got("last_line", content) == next((line for line in reversed(lines) if line.strip()), None)


@given(st.lists(WORDS), st.lists(st.integers(0, 10**9)))
def test_parts_of_a_text_are_found_in_their_order(words: list[str], numbers: list[int]) -> None:
    content = made("text", content=[*(f"room {number} of {number + 1}, clean" for number in numbers), *(f" room {word}" for word in words)])
    assert got("found", content, pattern=r"^room \d+") == [f"room {number}" for number in numbers], "^ is the beginning of a line"
    assert got("found", content, pattern=r"^room (\d+) of (\d+)(x?)") == [f"{number} {number + 1} " for number in numbers]
    assert got("found", content, pattern="no such room") == [] and got("found", content, pattern="(") is None


@given(st.lists(st.lists(WORDS | st.integers() | st.just('say "yes", or\nno'), min_size=1, max_size=4), max_size=5))
def test_rows_of_a_csv_are_read_back(rows: list[list[Any]]) -> None:
    rows = [["name", "sum"], *rows]
    assert got("csv", made("csv", rows=rows)) == [[str(value) for value in row] for row in rows]
    assert got("csv", made("csv", rows=rows), from_row=2) == [[str(value) for value in row] for row in rows[1:]]


@settings(max_examples=10, deadline=None)
@given(st.lists(st.lists(WORDS.filter(lambda text: not text.startswith("=")), min_size=2, max_size=2), min_size=1, max_size=4))
def test_cells_of_a_workbook_are_read_back(rows: list[list[str]]) -> None:
    content = made("workbook", sheets={"One": [["a", "b"]], "Two": rows})
    for number, row in enumerate(rows, 1):
        for letter, text in zip("AB", row, strict=True):
            value = got("cell", content, sheet="Two", at=f"{letter}{number}")
            assert known().checkers.metrics["is"](value, text) or (value is None and text == "")


def test_a_workbook_has_numbers_formulas_and_sheets() -> None:
    content = made(
        "workbook", sheets={"Costs": [["rent", "950.50", "-3", "007", "1_000", "Nan", "Infinity", "1e5", " 7 "], ["all", "=B1"]], "Empty": []}
    )
    values = [got("cell", content, at=f"{letter}1") for letter in "ABCDEFGHI"]
    assert values == ["rent", 950.5, -3, 7, "1_000", "Nan", "Infinity", "1e5", " 7 "]
    assert got("formula", content, at="B2", sheet="Costs") == "=B1" and got("cell", content, at="B2") is None
    assert got("column", content, column="A") == ["rent", "all"] and got("column", content, column="A", from_row="2") == ["all"]
    assert got("column", content, column="A", sheet="Empty") == []
    assert got("sheet", made("workbook")) == [["what", "euros"], ["rent", 950.5], ["all", ""]] and got("sheet", content, sheet="Other") is None
    assert got("workbook", content, what="sheet_names") == ["Costs", "Empty"]
    assert got("workbook", content, what="merged", sheet="Costs") == [] and got("workbook", content, what="charts") == 0
    assert got("cell_style", content, at="A1", what="bold") is False
    for missing in ({"sheet": "Other", "at": "A1"}, {"at": "nowhere"}):
        assert got("cell", content, **missing) is None


def test_conditions_rules_and_hidden_columns_of_a_sheet_are_read() -> None:
    workbook = openpyxl.load_workbook(io.BytesIO(made("workbook")))
    sheet = workbook.worksheets[0]
    sheet.column_dimensions.group("B", "C", hidden=True)
    sheet.conditional_formatting.add("B2:B7", Rule("cellIs", operator="greaterThan", formula=["150"]))
    rule = DataValidation("whole", formula1="5", operator="greaterThan")
    rule.add("C2:C6")
    sheet.add_data_validation(rule)
    workbook.save(file := io.BytesIO())
    shown = {what: got("workbook", file.getvalue(), what=what) for what in ("hidden_columns", "conditional_formats", "validations")}
    wanted = {"hidden_columns": ["B", "C"], "conditional_formats": ["B2:B7 greaterThan 150"], "validations": ["C2:C6 whole greaterThan 5"]}
    assert shown == wanted


def test_bold_stretches_of_a_paragraph_are_read() -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("one ")
    for text, bold in (("two", True), (" three", True), (" four ", None), ("five", True)):
        paragraph.add_run(text).bold = bold
    document.add_paragraph("")
    document.save(file := io.BytesIO())
    assert got("document", file.getvalue(), what="bold_texts.four") == ["two three", "five"]
    assert got("document", file.getvalue(), what="last_paragraph") == "one two three four five"


@settings(max_examples=10, deadline=None)
@given(st.lists(WORDS, max_size=3), st.lists(st.lists(WORDS, min_size=2, max_size=2), min_size=1, max_size=3))
def test_a_document_is_read_back(paragraphs: list[str], rows: list[list[str]]) -> None:
    content = made("document", paragraphs=[{"heading": "Head"}, *paragraphs, {"table": rows}])
    assert got("document", content, what="paragraphs") == ["Head", *paragraphs]
    assert got("document", content, what="headings") == ["Head"] and got("document", content, what="style.Head") == "Heading 1"
    assert got("document", content, what="tables") == [rows] and got("document", content, what="table_sizes") == [f"{len(rows)} x 2"]
    assert got("document", content, what="bold.not there") is None and got("document", content, what="no such thing") is None


def test_databases_archives_and_captures_are_read_back() -> None:
    assert got("rows", made("database"), query="SELECT name, eggs FROM birds") == [["wren", 6]]
    assert got("rows", made("database"), query="SELECT * FROM fish") is None
    assert got("members", made("archive")) == ["b.txt", "c/d.txt"] and got("member", made("archive"), name="b.txt") == "inside"
    assert got("member", made("archive"), name="e.txt") is None
    for path in ("a.pcap", "a.pcapng"):
        content = made("capture", path=path)
        assert got("packets", content) == 3 and got("capture", content, what="format") == path[2:]
        assert got("capture", content, what="sources") == ["10.0.0.1", "10.0.0.2", "10.0.0.3"]
        assert got("capture", content, what="targets") == ["10.0.0.1", "10.0.0.2"]
        assert got("capture", content, what="identifications") == [1, 2, 3]
        assert got("capture", content, what="begins") == "2026-01-01T00:00:00+00:00"
        assert got("capture", content, what="ends") == "2026-01-01T00:00:02+00:00"
        assert [bytes.fromhex(frame)[42:46] for frame in got("capture", content, what="frames")][2] == b"ping"
        assert got("capture", content, what="comment.1") is None and got("capture", content, what="comments") == []


def test_settings_json_xml_and_bookmarks_are_read() -> None:
    content = b'[general]\nColour = "Red"\nempty=\n[other]\nColour=blue\n'
    assert got("setting", content, section="general", key="Colour") == "Red" and got("setting", content, section="other", key="Colour") == "blue"
    assert got("setting", content, section="general", key="empty") == "" and got("setting", content, section="none", key="Colour") is None
    assert got("setting", b"colour=red\n# a word\nsize=3\n", key="size") == "3"
    assert got("json", b'{"a": [{"b": 5}]}', at="a.0.b") == 5 and got("json", b'{"a": 1}', at="a.b") is None and got("json", b"[]", at="3") is None
    assert got("xml", b"<a><b c='d'>e</b></a>", at="b") == "e" and got("xml", b"<a><b c='d'/></a>", at="b", what="c") == "d"
    assert got("bookmarks", b"file:///home/agent/My%20Music Songs\n") == ["/home/agent/My Music"]


def test_what_is_on_the_screen_is_read(catalog: Catalog) -> None:
    windows = [Window("notes.txt", "Mousepad", 1, 0, 0, 9, 9, True), Window("Find", "Mousepad", 1, 0, 0, 9, 9, False)]
    box = Element(1, "text", "Display", " 12 \nDEC", 3.5, frozenset({"focused", "editable"}), (0, 0, 9, 9), "calculator", "galculator")
    seen = desktop(elements=[box], shown=windows, client={"clipboard": "copied"})
    assert (
        get(seen, "windows", {}) == ["notes.txt", "Find"] and get(seen, "front_window", {}) == "notes.txt" and get(seen, "clipboard", {}) == "copied"
    )
    asked = {"role": "text", "within": "calc"}
    wanted = {"text": " 12 \nDEC", "first_line": "12", "value": 3.5, "name": "Display", "states": ["editable", "focused"]}
    assert set(wanted) == set(catalog.checkers.getters["element"].what) == set(catalog.checkers.getters["elements"].what)
    assert {what: get(seen, "element", {**asked, "what": what}) for what in wanted} == wanted
    assert get(seen, "elements", asked) == [" 12 \nDEC"] and get(seen, "elements", {**asked, "name": "other"}) == []
    assert get(seen, "element", {"role": "text", "within": "editor"}) is None and get(desktop(), "front_window", {}) is None


def test_folders_are_read() -> None:
    there = [{"name": "b.txt", "mode": "0644"}, {"name": "a", "mode": "0755", "target": "/tmp"}]
    seen = desktop(client={"listings": {"/home/agent/Documents": there}})
    assert get(seen, "names", "Documents") == ["a", "b.txt"] and get(seen, "names", "Music") is None
    assert get(seen, "exists", "Documents/a/") is True and get(seen, "exists", "Documents/c") is False and get(seen, "exists", "Music/c") is False
    assert get(seen, "permissions", "Documents/b.txt") == "0644" and get(seen, "permissions", "Documents/c") is None
    assert get(seen, "link", "Documents/a") == "/tmp" and get(seen, "link", "Documents/b.txt") is None


def test_what_is_not_there_is_nothing() -> None:
    for name in known().checkers.of_files:
        assert get(desktop(), name, {"path": "f", "at": "A1", "what": "width", "query": "", "name": "", "key": ""}) is None
