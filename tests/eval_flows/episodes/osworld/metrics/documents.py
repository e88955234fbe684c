"""What metrics of texts of Writer and Word are given: right, and wrong."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from docx.enum.text import WD_ALIGN_PARAGRAPH, WD_BREAK, WD_COLOR_INDEX, WD_TAB_ALIGNMENT
from docx.oxml import OxmlElement
from docx.shared import Cm, Pt, RGBColor

from tests.eval_flows.episodes.osworld.metrics.made import (
    Maker,
    document,
    each_run,
    given,
    odt,
    page_field,
    png,
)

Change = Callable[[Any], Any]
_TRAINS = ("08:00:00, T1, S1, 3", "08:05:00, T2, S1, 4", "08:10:00, T1, S2, 1")


def _font(name: str) -> Change:
    def change(made: Any) -> None:
        made.styles["Normal"].font.name = name

    return change


def _spacing(*lines: float) -> Change:
    def change(made: Any) -> None:
        for paragraph, spacing in zip(made.paragraphs, lines, strict=True):
            paragraph.paragraph_format.line_spacing = spacing

    return change


def _to_runs(change_run: Callable[[Any], None]) -> Change:
    def change(made: Any) -> None:
        for run in each_run(made):
            change_run(run)

    return change


def _table(*words: str, coloured: bool = True) -> Change:
    def change(made: Any) -> None:
        paragraph = made.add_table(1, 1).cell(0, 0).paragraphs[0]
        for word in words:
            run = paragraph.add_run(f"{word} ")
            if coloured:
                run.font.color.rgb = RGBColor(255, 0, 0) if word[0] in "aeiou" else RGBColor(0, 0, 255)

    return change


def _break(made: Any) -> None:
    made.paragraphs[0].runs[0].add_break(WD_BREAK.PAGE)


def _equation(made: Any) -> None:
    made.paragraphs[0]._p.append(OxmlElement("m:oMath"))


def _subscript(made: Any) -> None:
    made.paragraphs[0].clear()
    for letters, is_lower in (("H", False), ("2", True), ("O", False)):
        made.paragraphs[0].add_run(letters).font.subscript = is_lower


def _stops(*centimetres: float) -> Change:
    def change(made: Any) -> None:
        for paragraph in made.paragraphs:
            for at in centimetres:
                paragraph.paragraph_format.tab_stops.add_tab_stop(Cm(at), WD_TAB_ALIGNMENT.RIGHT)

    return change


def _italic(points: float) -> Change:
    def change(made: Any) -> None:
        run = made.paragraphs[0].runs[0]
        run.italic, run.font.size = True, Pt(points)

    return change


def _struck(made: Any) -> None:
    last = made.paragraphs[-1]
    if not last.runs:
        last = made.paragraphs[-2]
    last.runs[0].font.strike = True


def _cells(*texts: str) -> Change:
    def change(made: Any) -> None:
        table = made.add_table(1, len(texts))
        for cell, text in zip(table.rows[0].cells, texts, strict=True):
            cell.text = text

    return change


def _with_pictures(folder: Path, *names: str) -> Change:
    places = [png(folder / f"{name}.png", ground=name) for name in names]

    def change(made: Any) -> None:
        for place in places:
            made.add_paragraph().add_run().add_picture(str(place))

    return change


RIGHT: Mapping[str, Maker] = {
    "compare_docx_files": lambda p: given(document(p / "a.docx", "One  two", ""), document(p / "b.docx", "one", "two"), ignore_case=True),
    "compare_docx_files_and_ignore_new_lines": lambda p: given(document(p / "a.docx", "a", "", "b"), document(p / "b.docx", "a", "b"), ignore_blanks=False),
    "compare_init_lines": lambda p: given(document(p / "a.docx", "a", "b", "more"), document(p / "b.docx", "a", "b", "")),
    "compare_docx_lines": lambda p: given(document(p / "a.docx", "b", " a"), document(p / "b.docx", "a", "", "b")),
    "compare_docx_tables": lambda p: given(document(p / "a.docx", change=_cells("x ", "y")), document(p / "b.docx", "text", change=_cells("x", "y"))),
    "compare_docx_images": lambda p: given(
        document(p / "a.docx", change=_with_pictures(p, "red", "blue")), document(p / "b.docx", change=_with_pictures(p, "blue", "red"))
    ),
    "compare_contains_image": lambda p: given(
        document(p / "a.docx", "x", change=_with_pictures(p, "red")), document(p / "b.docx", "x", change=_with_pictures(p, "blue"))
    ),
    "compare_references": lambda p: given(
        document(p / "a.docx", "x", "References", "Steinberg 2007"), document(p / "b.docx", "References", "", "Steinberg 2007"), content_only=True, reference_base_result=0.6
    ),
    "check_no_duplicates": lambda p: given(document(p / "a.docx", *_TRAINS), document(p / "b.docx", *_TRAINS[:2])),
    "compare_unique_train_records": lambda p: given(
        document(p / "a.docx", *_TRAINS[1:]), [document(p / "b.docx", *_TRAINS[:2]), document(p / "c.docx", *_TRAINS)]
    ),
    "compare_font_names": lambda p: given(document(p / "a.docx", "x", change=_font("Times New Roman")), {"font_name": "Times New Roman"}),
    "contains_page_break": lambda p: given(document(p / "a.docx", "x", change=_break), {"page_break_count": 1}),
    "compare_line_spacing": lambda p: given(document(p / "a.docx", "x", change=_spacing(2.0)), document(p / "b.docx", "x", change=_spacing(2.0))),
    "compare_insert_equation": lambda p: given(document(p / "a.docx", "x", change=_equation), document(p / "b.docx", "x", change=_equation)),
    "compare_subscript_contains": lambda p: given(document(p / "a.docx", "x", change=_subscript), document(p / "b.docx", "x", change=_subscript)),
    "has_page_numbers_in_footers": lambda p: given(document(p / "a.docx", "x", change=page_field)),
    "is_first_line_centered": lambda p: given(
        document(p / "a.docx", "x", change=lambda made: setattr(made.styles["Normal"].paragraph_format, "alignment", WD_ALIGN_PARAGRAPH.CENTER))
    ),
    "check_tabstops": lambda p: given(
        document(p / "a.docx", "a b c\td e", change=_stops(10)), document(p / "b.docx", "a b c\td e", change=_stops(10)), word_number_split_by_tabstop=3, index=0
    ),
    "evaluate_colored_words_in_tables": lambda p: given(document(p / "a.docx", change=_table("apple", "tree")), document(p / "b.docx", change=_table("apple", "tree"))),
    "check_highlighted_words": lambda p: given(odt(p / "a.odt", "<text:p>a b</text:p>"), odt(p / "b.odt", '<text:p>a <text:span text:style-name="T1">b</text:span></text:p>')),
    "compare_highlighted_text": lambda p: given(*(
        document(p / f"{name}.docx", "x", change=_to_runs(lambda run: setattr(run.font, "highlight_color", WD_COLOR_INDEX.YELLOW))) for name in "ab"
    )),
    "evaluate_strike_through_last_paragraph": lambda p: given(document(p / "a.docx", "x", "last", "", change=_struck), document(p / "b.docx", "x", "last", "")),
    "evaluate_conversion": lambda p: given(document(p / "a.docx", "all is low", change=_cells("low"))),
    "evaluate_spacing": lambda p: given(document(p / "a.docx", "a", "", "b", "c", change=_spacing(1.0, 3.0, 2.0, 1.5))),
    "check_italic_font_size_14": lambda p: given(document(p / "a.docx", "x", change=_italic(14)), document(p / "b.docx", "x")),
    "evaluate_alignment": lambda p: given(document(p / "a.docx", "One two three\tand the rest. Short one here. Four five six   seven.")),
}  # fmt: skip

WRONG: Mapping[str, Maker] = {
    "compare_docx_files": lambda p: given(document(p / "a.docx", "One"), document(p / "b.docx", "One", "two"), ignore_blanks=False),
    "compare_docx_files_and_ignore_new_lines": lambda p: given(document(p / "a.docx", "a"), document(p / "b.docx", "a", "b")),
    "compare_init_lines": lambda p: given(document(p / "a.docx"), document(p / "b.docx", "a", "b")),
    "compare_docx_lines": lambda p: given(document(p / "a.docx", "a", "a"), document(p / "b.docx", "a")),
    "compare_docx_tables": lambda p: given(document(p / "a.docx", change=_cells("x")), document(p / "b.docx", change=_cells("x", "y"))),
    "compare_docx_images": lambda p: given(
        document(p / "a.docx", change=_with_pictures(p, "red")), document(p / "b.docx", change=_with_pictures(p, "blue"))
    ),
    "compare_contains_image": lambda p: given(document(p / "a.docx"), document(p / "b.docx", "x", change=_with_pictures(p, "red"))),
    "compare_references": lambda p: given(document(p / "a.docx", "x"), document(p / "b.docx", "References", "Steinberg 2007")),
    "check_no_duplicates": lambda p: given(document(p / "a.docx", *_TRAINS), document(p / "b.docx", *_TRAINS)),
    "compare_unique_train_records": lambda p: given(
        document(p / "a.docx", *_TRAINS), [document(p / "b.docx", *_TRAINS[:2]), document(p / "c.docx", *_TRAINS)]
    ),
    "compare_font_names": lambda p: given(document(p / "a.docx"), {"font_name": "Times New Roman"}),
    "contains_page_break": lambda p: given(document(p / "a.docx", "x"), {}),
    "compare_line_spacing": lambda p: given(document(p / "a.docx", "x", change=_spacing(1.0)), document(p / "b.docx", "x", change=_spacing(2.0))),
    "compare_insert_equation": lambda p: given(document(p / "a.docx", "x"), document(p / "b.docx", "x")),
    "compare_subscript_contains": lambda p: given(document(p / "a.docx", "H2O"), document(p / "b.docx", "x", change=_subscript)),
    "has_page_numbers_in_footers": lambda p: given(
        document(p / "a.docx", "x", change=lambda made: setattr(made.sections[0].footer.paragraphs[0], "text", "2024"))
    ),
    "is_first_line_centered": lambda p: given(document(p / "a.docx", "x")),
    "check_tabstops": lambda p: given(document(p / "a.docx", "a\tb"), document(p / "b.docx", "a\tb", change=_stops(10))),
    "evaluate_colored_words_in_tables": lambda p: given(
        document(p / "a.docx", change=_table("apple", coloured=False)), document(p / "b.docx", change=_table("apple"))
    ),
    "check_highlighted_words": lambda p: given(
        odt(p / "a.odt", '<text:p><text:span text:style-name="T1">b</text:span></text:p>'), odt(p / "b.odt", "<text:p>b</text:p>")
    ),
    "compare_highlighted_text": lambda p: given(
        document(p / "a.docx", "x"),
        document(p / "b.docx", "x", change=_to_runs(lambda run: setattr(run.font, "highlight_color", WD_COLOR_INDEX.YELLOW))),
    ),
    "evaluate_strike_through_last_paragraph": lambda p: given(document(p / "a.docx", "last", ""), document(p / "b.docx", "last", "")),
    "evaluate_conversion": lambda p: given(document(p / "a.docx", "some IS high")),
    "evaluate_spacing": lambda p: given(document(p / "a.docx", "a", "b", "c", change=_spacing(1.0, 1.0, 1.0))),
    "check_italic_font_size_14": lambda p: given(document(p / "a.docx", "x"), document(p / "b.docx", "x")),
    "evaluate_alignment": lambda p: given(document(p / "a.docx", "One two three and the rest.")),
}

MORE: Mapping[str, tuple[float, Maker]] = {
    "compare_docx_files in any order": (1.0, lambda p: given(document(p / "a.docx", "a", "b"), document(p / "b.docx", "b", "a"), ignore_order=True, ignore_blanks=False)),
    "compare_docx_files alike": (0.75, lambda p: given(document(p / "a.docx", "abcd"), document(p / "b.docx", "abcx"), fuzzy_match=True)),
    "compare_docx_files by paragraphs alike": (
        0.75, lambda p: given(document(p / "a.docx", "ab", "x"), document(p / "b.docx", "ac", "x"), fuzzy_match=True, ignore_blanks=False)
    ),
    "compare_docx_files of OpenDocument": (
        1.0, lambda p: given(odt(p / "a.odt", "<text:p>a<text:s text:c=\"2\"/>b</text:p>"), odt(p / "b.odt", "<text:p><text:span>a  b</text:span></text:p>"), ignore_blanks=False)
    ),
    "compare_docx_files of two kinds": (0.0, lambda p: given(document(p / "a.docx", "a"), odt(p / "b.odt", "<text:p>a</text:p>"))),
    "compare_docx_files without empty lines": (
        1.0, lambda p: given(document(p / "a.docx", "a", " "), document(p / "b.docx", "a"), ignore_blanks=False, delete_empty_lines=True)
    ),
    "compare_references half way": (0.5, lambda p: given(document(p / "a.docx", "R", "abcd"), document(p / "b.docx", "R", "abcx"), reference_indicator="R")),
    "check_tabstops near": (
        0.9, lambda p: given(document(p / "a.docx", "a\tb", change=_stops(10)), document(p / "b.docx", "a\tb", change=_stops(10 + 15.24 * 0.1)))
    ),
}  # fmt: skip
