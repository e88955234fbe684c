"""The switch shows the mistakes of the two benchmarks, and ours lack them."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import pptx.dml.color
import pytest
from PIL import Image
from pptx.enum.shapes import PP_PLACEHOLDER

from eval_flows.episodes.osworld.metrics import METRICS, THEIRS, TheirCrash
from eval_flows.episodes.osworld.metrics.theirs import DIFFERING, differences
from eval_flows.episodes.osworld.metrics.theirs.nothing import NOTHING
from tests.eval_flows.episodes.osworld.metrics import decks, documents, media, sheets, values
from tests.eval_flows.episodes.osworld.metrics.made import Maker, deck, document, given, packed, pdf, png, workbook, written

CRASH = "crash"
Colour: Any = pptx.dml.color.RGBColor  # it has no types


DIFFER: Mapping[str, tuple[float | str, float, Maker]] = {
    "check_gnome_favorite_apps": (CRASH, 0.0, lambda _: given("no such schema", {"expected": []})),
    "is_utc_0": (0.0, 1.0, values.RIGHT["is_utc_0"]),
    "is_in_list": (CRASH, 0.0, lambda _: given(None, {"expected": "a"})),
    "literal_match": (0.0, 1.0, lambda _: given(["a"], {"expected": ["a"]}, type="list")),
    "check_direct_json_object": (CRASH, 1.0, values.MORE["check_direct_json_object with an apostrophe"][1]),
    "is_included_all_json_objects": (1.0, 0.0, values.WRONG["is_included_all_json_objects"]),
    "compare_terminal_and_txt": (0.0, 1.0, values.RIGHT["compare_terminal_and_txt"]),
    "is_expected_active_tab": (0.0, 1.0, lambda _: given("https://a.com/b/", {"type": "url", "url": "https://a.com/b"})),
    "is_expected_tabs": (1.0, 0.0, media.WRONG["is_expected_tabs"]),
    "is_cookie_deleted": (1.0, 0.0, media.WRONG["is_cookie_deleted"]),
    "check_enabled_experiments": (0.0, 1.0, media.RIGHT["check_enabled_experiments"]),
    "is_shortcut_on_desktop": (0.0, 1.0, media.RIGHT["is_shortcut_on_desktop"]),
    "check_json_settings": (0.0, 1.0, values.RIGHT["check_json_settings"]),
    "check_json_keybindings": (0.0, 1.0, values.RIGHT["check_json_keybindings"]),
    "is_extension_installed": (1.0, 0.0, values.WRONG["is_extension_installed"]),
    "check_json": (CRASH, 0.0, values.WRONG["check_json"]),
    "check_thunderbird_folder": (0.0, 1.0, values.RIGHT["check_thunderbird_folder"]),
    "is_vlc_playing": (1.0, 0.0, media.WRONG["is_vlc_playing"]),
    "check_qt_bgcone": (1.0, 0.0, media.WRONG["check_qt_bgcone"]),
    "check_qt_max_volume": (1.0, 0.0, lambda p: given(written(p / "vlcrc", "#qt-max-volume=200\n"), {"expected_qt_max_volume": 200})),
    "check_qt_minimal_view": (1.0, 0.0, lambda p: given(written(p / "vlcrc", "#qt-minimal-view=1\n"), {"expected_qt_minimal_view": 1})),
    "check_one_instance_when_started_from_file": (
        1.0, 0.0, lambda p: given(written(p / "vlcrc", "#one-instance-when-started-from-file=0\n"), {"expected_one_instance_when_started_from_file": 0})
    ),
    "compare_table": (0.0, 1.0, lambda p: given(
        workbook(p / "a.xlsx", [("n",), (1,)]), workbook(p / "b.xlsx", [("n",), (1.00001,)]), rules=[{"type": "sheet_data", "sheet_idx0": 0, "sheet_idx1": "EI0"}]
    )),
    "compare_font_names": (1.0, 0.0, documents.WRONG["compare_font_names"]),
    "compare_init_lines": (1.0, 0.0, documents.WRONG["compare_init_lines"]),
    "compare_docx_lines": (1.0, 0.0, documents.WRONG["compare_docx_lines"]),
    "compare_subscript_contains": (1.0, 0.0, lambda p: given(document(p / "a.docx", "x", change=_lowered), document(p / "b.docx", "2", change=_lowered))),
    "compare_insert_equation": (0.0, 1.0, documents.RIGHT["compare_insert_equation"]),
    "compare_contains_image": (1.0, 0.0, documents.WRONG["compare_contains_image"]),
    "has_page_numbers_in_footers": (1.0, 0.0, documents.WRONG["has_page_numbers_in_footers"]),
    "evaluate_strike_through_last_paragraph": (1.0, 0.0, documents.WRONG["evaluate_strike_through_last_paragraph"]),
    "evaluate_conversion": (1.0, 0.0, documents.WRONG["evaluate_conversion"]),
    "check_italic_font_size_14": (1.0, 0.0, documents.WRONG["check_italic_font_size_14"]),
    "evaluate_alignment": (1.0, 0.0, documents.WRONG["evaluate_alignment"]),
    "evaluate_colored_words_in_tables": (CRASH, 0.0, documents.WRONG["evaluate_colored_words_in_tables"]),
    "check_strikethrough": (1.0, 0.0, decks.WRONG["check_strikethrough"]),
    "check_transition": (CRASH, 0.0, lambda _: given(None, {"slide_idx": 0, "transition_type": "x"})),
    "check_page_number_colors": (0.0, 1.0, lambda p: given(deck(p / "a.pptx", change=lambda made: _master_in(made, 0, 0, 255)), {"color": "blue"})),
    "compare_image_list": (1.0, 0.0, media.MORE["compare_image_list of opaque pictures"][1]),
    "check_structure_sim": (CRASH, 1.0, media.RIGHT["check_structure_sim"]),
    "check_file_exists_and_structure_sim": (CRASH, 0.0, media.WRONG["check_file_exists_and_structure_sim"]),
    "check_green_background": (CRASH, 1.0, media.RIGHT["check_green_background"]),
    "check_triangle_position": (0.0, 1.0, lambda p: given(png(p / "a.png", (100, 80), _with_specks))),
    "compare_triangle_positions": (0.0, 1.0, media.RIGHT["compare_triangle_positions"]),
    "check_image_size": (0.0, 1.0, lambda p: given(_clear_palette(p / "a.png"), {"width": 40})),
    "check_image_file_size": (1.0, 0.0, media.WRONG["check_image_file_size"]),
    "compare_audios": (1.0, 0.0, media.WRONG["compare_audios"]),
    "compare_videos": (1.0, 0.0, lambda p: given(written(p / "a.mp4", "broken"), written(p / "b.mp4", "broken"))),
    "compare_pdfs": (1.0, 0.0, lambda p: given(pdf(p / "a.pdf", ""), pdf(p / "b.pdf", ""))),
    "compare_htmls": (1.0, 0.0, media.WRONG["compare_htmls"]),
    "compare_epub": (1.0, 0.5, lambda p: given(packed(p / "a.epub", {"content.opf": "x"}), packed(p / "b.epub", {"content.opf": "x", "toc.ncx": "y"}))),
    **{name: (CRASH, 0.0, lambda _: given(None, {})) for name in NOTHING},
}  # fmt: skip
PLAIN: Mapping[str, Maker] = {  # cases that both tell alike, where those of ours are all about the difference
    "check_page_number_colors": lambda p: given(deck(p / "a.pptx", change=lambda made: _master_in(made, 255, 0, 0)), {"color": "red"}),
    "compare_font_names": lambda p: given(
        document(p / "a.docx", "x", change=lambda made: setattr(made.paragraphs[0].runs[0].font, "name", "Arial")), {"font_name": "Arial"}
    ),
    "compare_init_lines": lambda p: given(document(p / "a.docx", "x"), document(p / "b.docx", "x")),
    "has_page_numbers_in_footers": lambda p: given(document(p / "a.docx", "x")),
    "is_extension_installed": lambda _: given("a.b", {"type": "contain", "expected": "a.b"}),
    "is_included_all_json_objects": lambda p: given(written(p / "a.json", '{"a": 1}'), written(p / "b.json", '{"a": 1}')),
    "is_vlc_playing": lambda p: given(media.status(p, "a.mp4"), {"type": "file_name", "file_name": "a.mp4"}),
}
_ONE_ARGUMENT = ("check_text_enlarged", "check_left_panel")


def _lowered(made: Any) -> None:
    made.paragraphs[0].runs[0].font.subscript = True


def _master_in(made: Any, *levels: int) -> None:
    """Colour the numbers of slides, twice."""
    frame = next(one for one in made.slide_masters[0].placeholders if one.placeholder_format.type == PP_PLACEHOLDER.SLIDE_NUMBER).text_frame
    frame.text = "1"
    frame.paragraphs[0].add_run().text = "x"
    for run in frame.paragraphs[0].runs:
        run.font.color.rgb = Colour(*levels)


def _with_specks(pen: Any) -> None:
    """Draw a triangle in the middle, and specks of two rare colours aside."""
    pen.polygon(((40, 30), (60, 30), (50, 50)), fill="yellow")
    pen.point((1, 1), fill="red")
    pen.line((3, 3, 5, 3), fill="blue")


def _clear_palette(place: Path) -> Path:
    made = Image.new("P", (40, 30), 0)
    made.putpalette([0, 0, 0, 255, 0, 0])
    made.paste(1, (10, 10, 20, 20))
    made.save(place, transparency=0)
    return place


def test_each_difference_is_in_words_and_in_code_and_is_shown_here() -> None:
    assert set(differences()) == set(DIFFERING) <= set(METRICS)
    assert set(DIFFERING) == set(DIFFER) | {"compare_time_in_speedtest_results"}


@pytest.mark.parametrize("name", sorted(DIFFER))
def test_theirs_has_the_mistake_and_ours_has_not(name: str, tmp_path: Path) -> None:
    theirs, ours, made = DIFFER[name]
    call = made(tmp_path)
    compared = call.compared[:1] if name in _ONE_ARGUMENT else call.compared
    assert METRICS[name](*compared, **call.options) == pytest.approx(ours, abs=0.02)
    if theirs == CRASH:
        with pytest.raises(TheirCrash):
            THEIRS[name](*compared, **call.options)
    else:
        assert THEIRS[name](*compared, **call.options) == pytest.approx(theirs, abs=0.02)


def test_a_measurement_before_midnight_is_near_one_after_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Clock(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> "Clock":
            return cls(2026, 11, 28, 0, 1)

    name = "compare_time_in_speedtest_results"
    for module in ("general", "theirs.values"):
        monkeypatch.setattr(f"eval_flows.episodes.osworld.metrics.{module}.datetime", Clock)
    measured = written(tmp_path / "a.csv", "id,date\n1,2026-11-27 23:59\n")
    assert (METRICS[name](measured, 5), THEIRS[name](measured, 5)) == (1.0, 0.0)


@pytest.mark.parametrize("name", sorted(set(DIFFERING) - {"evaluate_alignment", "compare_triangle_positions", "compare_time_in_speedtest_results"}))
def test_theirs_agree_with_ours_where_nothing_is_wrong(name: str, tmp_path: Path) -> None:
    """At least one of the right and wrong cases is told as ours tells it: theirs are the metrics, not their mistakes alone."""
    agreed = []
    for made in (
        one.get(name) for one in (PLAIN, *(each for cases in (values, documents, decks, sheets, media) for each in (cases.RIGHT, cases.WRONG)))
    ):
        if made is not None:
            call = made(tmp_path)
            try:
                agreed.append(abs(THEIRS[name](*call.compared, **call.options) - METRICS[name](*call.compared, **call.options)) < 0.02)
            except TheirCrash:
                agreed.append(False)
    assert any(agreed)
