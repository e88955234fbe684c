"""Every metric of OSWorld's and Windows Agent Arena's tasks rewards what is right, and nothing else."""

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from eval_flows.episodes.osworld.metrics import METRICS, THEIRS, TaskError
from eval_flows.episodes.osworld.metrics.reading import archive
from tests.eval_flows.episodes.osworld.metrics import decks, documents, media, sheets, values
from tests.eval_flows.episodes.osworld.metrics.made import Call, Maker, document, given, packed, workbook, written

_ON_MACHINE = "check_python_file_by_test_suite"  # in test_in_machine.py
_BY_TESSERACT = "compare_image_text"  # below: its extra may be missing
_CASES = (values, documents, decks, sheets, media)
RIGHT: Mapping[str, Maker] = {name: made for cases in _CASES for name, made in cases.RIGHT.items()}
WRONG: Mapping[str, Maker] = {name: made for cases in _CASES for name, made in cases.WRONG.items()}
MORE: Mapping[str, tuple[float, Maker]] = {name: made for cases in _CASES for name, made in cases.MORE.items()}
_SECOND = ("is_in_vm_clickboard", "increase_saturation", "decrease_brightness", "compare_triangle_positions", "check_no_duplicates")
_TEXT_OR_VALUE = ("exact_match", "match_in_list")  # they take anything


def scored(name: str, call: Call) -> float:
    return METRICS[name](*call.compared, **call.options)


def test_there_is_a_right_and_a_wrong_case_for_every_metric() -> None:
    assert set(RIGHT) == set(WRONG) == set(METRICS) - {_BY_TESSERACT, _ON_MACHINE}


@pytest.mark.parametrize("name", sorted(RIGHT))
def test_what_is_right_earns_1(name: str, tmp_path: Path) -> None:
    assert scored(name, RIGHT[name](tmp_path)) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("name", sorted(WRONG))
def test_what_is_wrong_earns_0(name: str, tmp_path: Path) -> None:
    assert scored(name, WRONG[name](tmp_path)) == pytest.approx(0.0, abs=0.02)


@pytest.mark.parametrize("case", sorted(MORE))
def test_options_do_what_they_say(case: str, tmp_path: Path) -> None:
    share, made = MORE[case]
    assert scored(case.split(maxsplit=1)[0], made(tmp_path)) == pytest.approx(share, abs=0.02)


@pytest.mark.parametrize("name", sorted(RIGHT))
def test_a_missing_result_earns_0(name: str, tmp_path: Path) -> None:
    assert scored(name, _with_result(name, RIGHT[name](tmp_path), None)) == 0.0


@pytest.mark.parametrize("name", sorted(RIGHT))
def test_a_broken_result_earns_0(name: str, tmp_path: Path) -> None:
    call = RIGHT[name](tmp_path)
    before = call.compared[_at(name)]
    broken: Any = object() if not isinstance(before, Path) else written(tmp_path / f"broken{before.suffix}", b"PK\x03\x04\xff\xfe\x00broken")
    assert scored(name, _with_result(name, call, broken)) == 0.0


def _at(name: str) -> int:
    """Return which argument is the result."""
    return int(name in _SECOND)


def _with_result(name: str, call: Call, result: Any) -> Call:
    compared = list(call.compared)
    compared[_at(name)] = result
    return Call(compared, call.options)


@pytest.fixture(scope="module")
def bomb(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    place = tmp_path_factory.mktemp("bomb") / "bomb.zip"
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as made:
        for part in ("word/document.xml", "xl/workbook.xml", "toc.ncx"):
            made.writestr(part, b"\0" * 25_000_000)
    return place.read_bytes()


@pytest.mark.parametrize("name", ["compare_docx_files", "compare_table", "compare_archive", "compare_epub", "compare_pptx_files"])
def test_an_archive_that_explodes_earns_0_without_being_unpacked(name: str, bomb: bytes, tmp_path: Path) -> None:
    call = RIGHT[name](tmp_path)
    place = written(tmp_path / f"bomb{Path(call.compared[0]).suffix}", bomb)
    with pytest.raises(ValueError, match="too large to unpack"):
        archive(place)
    assert scored(name, _with_result(name, call, place)) == 0.0


def test_a_result_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(written(tmp_path / "secret", "x"))
    assert METRICS["compare_text_file"](tmp_path / "a", written(tmp_path / "b", "x")) == 0.0


@pytest.mark.parametrize(
    ("name", "call", "told"),
    [
        ("exact_match", given("x", {}), "lack 'expected'"),
        ("check_pdf_pages", given("x", {"relation": "about", "ref_value": 1}), "unknown relation 'about': the known ones are eq, ne"),
        ("is_expected_tabs", given([], {"type": "title"}), "unknown type 'title': the known ones are url"),
        ("compare_text_file", given("a", "b", ignore_everything=True), "ignore_everything"),
        ("check_accessibility_tree", given("<a/>", [{}]), "neither 'xpath' nor 'selectors'"),
        ("check_json_settings", given("x", ["expected"]), "rules must be a mapping"),
        ("check_url_and_content_include", given({"url": "a", "body": "b"}, {"body_must_exclude": ["c"]}), "nothing that must be included"),
    ],
)
def test_a_mistake_of_the_task_is_told_and_is_no_outcome_of_the_agent(name: str, call: Call, told: str, tmp_path: Path) -> None:
    place = written(tmp_path / "x", "{}")
    compared = [place if one == "x" and name != "exact_match" else one for one in call.compared]
    with pytest.raises(TaskError, match=told):
        METRICS[name](*compared, **call.options)


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        ({"type": "colour"}, "unknown type of a rule 'colour'"),
        ({"type": "sheet_data", "sheet_idx0": "XX0", "sheet_idx1": 0}, "unknown sheet 'XX0'"),
        ({"type": "style", "sheet_idx0": 0, "sheet_idx1": 0, "props": ["shade"]}, "unknown format of a cell 'shade'"),
        ({"type": "chart", "sheet_idx0": "EI0", "sheet_idx1": 0}, "there is none"),
        ({"type": "zoom", "sheet_idx": 0, "method": "about", "ref": 1}, "unknown method 'about'"),
    ],
)
def test_a_mistake_in_the_rules_of_a_table_is_told(rule: Mapping[str, Any], told: str, tmp_path: Path) -> None:
    with pytest.raises(TaskError, match=told):
        METRICS["compare_table"](workbook(tmp_path / "a.xlsx"), rules=[rule])


def test_an_unknown_option_of_slides_is_told(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="examine_smell"):
        METRICS["compare_pptx_files"](tmp_path, tmp_path, examine_smell=True)


def test_a_picture_says_a_text(tmp_path: Path) -> None:
    pytest.importorskip("tesserocr")
    from PIL import Image, ImageDraw, ImageFont

    made = Image.new("RGB", (400, 100), "white")
    ImageDraw.Draw(made).text((20, 20), "Hello world", fill="black", font=ImageFont.load_default(40))
    made.save(tmp_path / "a.png")
    metric = METRICS[_BY_TESSERACT]
    assert metric(tmp_path / "a.png", {"type": "text", "text": "hello world"}) == 1.0
    assert metric(tmp_path / "a.png", {"type": "text", "text": "goodbye"}) == metric(None, {"type": "text", "text": "x"}) == 0.0
    assert metric(written(tmp_path / "b.png", "broken"), {"type": "text", "text": "x"}) == 0.0


def test_the_pages_of_a_workbook_are_found_by_their_names(tmp_path: Path) -> None:
    """A sheet that was deleted or moved leaves gaps in the numbers of parts."""
    import openpyxl

    made = openpyxl.load_workbook(workbook(tmp_path / "a.xlsx"))
    made.create_sheet("Other", 0)
    made.save(tmp_path / "a.xlsx")
    rule = {"type": "check_cell", "sheet_idx": "RNSheet", "coordinate": "B2", "props": {"value": {"method": "eq", "ref": 4}}}
    assert METRICS["compare_table"](tmp_path / "a.xlsx", rules=[rule, {"type": "sparkline", "sheet_idx0": "RI0", "sheet_idx1": "RI1"}]) == 1.0


def test_a_cell_at_the_last_place_of_a_sheet_takes_no_time_and_is_seen(tmp_path: Path) -> None:
    far = workbook(tmp_path / "far.xlsx", change=lambda sheet: sheet.cell(1_048_576, 16_384, "x"))
    rules = [{"type": kind, "sheet_idx0": 0, "sheet_idx1": "EI0", "props": ["bgcolor"]} for kind in ("sheet_data", "style")]
    assert METRICS["compare_table"](far, far, rules=rules) == 1.0
    assert METRICS["compare_table"](far, workbook(tmp_path / "a.xlsx"), rules=rules[:1]) == 0.0


@pytest.mark.parametrize(
    ("name", "result", "rules"),
    [
        ("is_expected_url_pattern_match", "https://a.org", {"expected": ["("]}),
        ("check_accessibility_tree", "<a/>", [{"xpath": "//["}]),
        ("check_accessibility_tree", "<a/>", [{"selectors": ["a["]}]),
    ],
)
def test_a_pattern_that_cannot_be_read_is_a_mistake_of_the_task(name: str, result: str, rules: Any) -> None:
    with pytest.raises(TaskError, match="a pattern in the rules cannot be read"):
        METRICS[name](result, rules)


def test_all_that_the_switch_offers_is_offered_by_ours_too() -> None:
    assert set(THEIRS) == set(METRICS)


def test_a_document_within_another_archive_is_none(tmp_path: Path) -> None:
    place = packed(tmp_path / "a.docx", {"b.docx": document(tmp_path / "b.docx", "x").read_bytes()})
    assert METRICS["compare_docx_files"](place, tmp_path / "b.docx") == 0.0
