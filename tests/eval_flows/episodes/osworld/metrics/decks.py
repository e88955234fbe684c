"""What metrics of presentations are given: right, and wrong."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pptx.dml.color
from pptx.enum.dml import MSO_THEME_COLOR
from pptx.enum.text import PP_ALIGN
from pptx.oxml import parse_xml
from pptx.util import Inches

from tests.eval_flows.episodes.osworld.metrics.made import (
    Maker,
    deck,
    first_run,
    given,
    png,
    scene,
)

Change = Callable[[Any], Any]
SlideColor: Any = pptx.dml.color.RGBColor  # it has no types


def _red_number(colour: str) -> Change:
    def change(made: Any) -> None:
        for slide in made.slides:
            tree = slide.shapes._spTree
            tree.append(
                parse_xml(
                    '<p:sp xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main">'
                    '<p:nvSpPr><p:cNvPr id="90" name="n"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/><a:p><a:fld id="{0}" type="slidenum">'
                    f'<a:rPr><a:solidFill><a:srgbClr val="{colour}"/></a:solidFill></a:rPr><a:t>1</a:t></a:fld></a:p></p:txBody></p:sp>'
                )
            )

    return change


def _transition(at: int, kind: str) -> Change:
    def change(made: Any) -> None:
        made.slides[at].element.append(
            parse_xml(f'<p:transition xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"><p:{kind}/></p:transition>')
        )

    return change


def _ground(*colours: str | None) -> Change:
    def change(made: Any) -> None:
        for slide, colour in zip(made.slides, colours, strict=True):
            if colour:
                slide.background.fill.solid()
                slide.background.fill.fore_color.rgb = SlideColor.from_string(colour)

    return change


def _strike(kind: str) -> Change:
    return lambda made: first_run(made).font._element.set("strike", kind)


def _picture(folder: Path, whole: bool) -> Change:
    place = png(folder / "p.png", draw=scene)

    def change(made: Any) -> None:
        size = (made.slide_width, made.slide_height) if whole else (Inches(2), Inches(1))
        made.slides[0].shapes.add_picture(str(place), 0, 0, *size)

    return change


def _portrait(made: Any) -> None:
    made.slide_width, made.slide_height = made.slide_height, made.slide_width


def _decks(change: Change, other: Change = lambda made: None, **options: Any) -> Maker:
    return lambda p: given(deck(p / "a.pptx", change=change), deck(p / "b.pptx", change=other), **options)


def _bold(made: Any) -> None:
    first_run(made).font.bold = True


def _coloured(made: Any) -> None:
    first_run(made).font.color.rgb = SlideColor(255, 0, 0)


def _themed(made: Any) -> None:
    first_run(made).font.color.theme_color = MSO_THEME_COLOR.ACCENT_2


def _explicit(made: Any) -> None:
    first_run(made).font.color.rgb = SlideColor(0xC0, 0x50, 0x4D)  # the second accent of the usual theme


def _centred(made: Any) -> None:
    made.slides[0].shapes[0].text_frame.paragraphs[0].alignment = PP_ALIGN.CENTER


def _noted(made: Any) -> None:
    made.slides[1].notes_slide.notes_text_frame.text = "say this"


def _lower(made: Any) -> None:
    made.slides[1].shapes[0].top = Inches(2)


def _split_runs(made: Any) -> None:
    paragraph = made.slides[0].shapes[0].text_frame.paragraphs[0]
    size = paragraph.runs[0].font.size
    paragraph.runs[0].text = "o"
    added = paragraph.add_run()
    added.text, added.font.size = "ne", size


RIGHT: Mapping[str, Maker] = {
    "compare_pptx_files": _decks(_split_runs),
    "check_image_stretch_and_center": lambda p: given(deck(p / "a.pptx", change=_picture(p, True)), deck(p / "b.pptx", change=_picture(p, False))),
    "check_slide_orientation_Portrait": lambda p: given(deck(p / "a.pptx", change=_portrait)),
    "check_strikethrough": lambda p: given(deck(p / "a.pptx", change=_strike("sngStrike")), {"slide_index_s": [0], "shape_index_s": [0], "paragraph_index_s": [0]}),
    "evaluate_presentation_fill_to_rgb_distance": lambda p: given(deck(p / "a.pptx", change=_ground("FF0000", "FF0000")), {"rgb": [255, 0, 0]}),
    "check_transition": lambda p: given(deck(p / "a.pptx", change=_transition(1, "dissolve")), {"slide_idx": 1, "transition_type": "dissolve"}),
    "check_slide_numbers_color": lambda p: given(deck(p / "a.pptx", change=_red_number("FF0000"))),
    "check_page_number_colors": lambda p: given(deck(p / "a.pptx", change=_red_number("1020E0")), {"color": "blue"}),
}  # fmt: skip

WRONG: Mapping[str, Maker] = {
    "compare_pptx_files": _decks(_bold),
    "check_image_stretch_and_center": lambda p: given(deck(p / "a.pptx", change=_picture(p, False)), deck(p / "b.pptx", change=_picture(p, False))),
    "check_slide_orientation_Portrait": lambda p: given(deck(p / "a.pptx")),
    "check_strikethrough": lambda p: given(
        deck(p / "a.pptx", change=_strike("noStrike")), {"slide_index_s": [0], "shape_index_s": [0], "paragraph_index_s": [0]}
    ),
    "evaluate_presentation_fill_to_rgb_distance": lambda p: given(
        deck(p / "a.pptx", change=_ground("FF0101", None)), {"rgb": [255, 0, 0], "original_rgb": [255, 1, 1]}
    ),
    "check_transition": lambda p: given(deck(p / "a.pptx", change=_transition(0, "dissolve")), {"slide_idx": 1, "transition_type": "dissolve"}),
    "check_slide_numbers_color": lambda p: given(deck(p / "a.pptx", change=_red_number("00FF00"))),
    "check_page_number_colors": lambda p: given(deck(p / "a.pptx", change=_red_number("FF0000")), {"color": "green"}),
}

MORE: Mapping[str, tuple[float, Maker]] = {
    "evaluate_presentation_fill_to_rgb_distance half": (0.5, lambda p: given(deck(p / "a.pptx", change=_ground("00FF00", None)), {"rgb": [0, 255, 0]})),
    "compare_pptx_files with another colour": (0.0, _decks(lambda made: None, _coloured)),
    "compare_pptx_files whatever the colour": (1.0, _decks(lambda made: None, _coloured, examine_color_rgb=False)),
    "compare_pptx_files in the theme's own colour": (1.0, _decks(_themed, _explicit)),
    "compare_pptx_files in another colour of the theme": (0.0, _decks(_themed)),
    "compare_pptx_files centred": (0.0, _decks(_centred)),
    "compare_pptx_files with notes": (0.0, _decks(_noted)),
    "compare_pptx_files whatever the notes": (1.0, _decks(_noted, examine_note=False)),
    "compare_pptx_files moved": (0.0, _decks(_lower)),
    "compare_pptx_files wherever": (1.0, _decks(_lower, examine_shape=False)),
    "compare_pptx_files on another ground": (0.0, _decks(_ground("FF0000", None))),
    "compare_pptx_files with fewer slides": (0.0, lambda p: given(deck(p / "a.pptx", ["one"]), deck(p / "b.pptx"))),
    "compare_pptx_files with bullets": (0.0, _decks(lambda made: made.slides[0].shapes[0].text_frame.paragraphs[0]._p.get_or_add_pPr().append(
        parse_xml('<a:buChar xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" char="-"/>')
    ))),
}  # fmt: skip
