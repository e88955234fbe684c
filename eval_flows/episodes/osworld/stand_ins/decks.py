"""The maker of presentations."""

import io
from collections.abc import Mapping
from typing import Any

from pptx import Presentation
from pptx.dml.color import RGBColor
from pptx.enum.text import MSO_AUTO_SIZE, PP_ALIGN
from pptx.util import Cm, Pt

from eval_flows.episodes.osworld.stand_ins.zips import steady

Json = Mapping[str, Any]
_WIDTH, _HEIGHT = Cm(28), Cm(15.75)
_BLANK = 6  # the layout without places


def deck(asked: Json) -> bytes:
    """Return a presentation. A slide has `title`, `lines` or `table` (rows), `notes`, and a `background` (RRGGBB).

    A line is a text, or a mapping with its look.
    Every look is written out, so that a program that saves the file again changes none.
    """
    made = Presentation()
    made.slide_width, made.slide_height = _WIDTH, _HEIGHT
    for given in asked["slides"]:
        slide = made.slides.add_slide(made.slide_layouts[_BLANK])
        slide.background.fill.solid()
        slide.background.fill.fore_color.rgb = _colour(given.get("background", "FFFFFF"))
        if "title" in given:
            _box(slide, (1.5, 1, 25, 2), [given["title"]], 32)
        if "lines" in given:
            _box(slide, (1.5, 4, 25, 10), given["lines"], 20)
        if "table" in given:
            _table(slide, given["table"])
        if "notes" in given:
            slide.notes_slide.notes_text_frame.text = given["notes"]
    file = io.BytesIO()
    made.save(file)
    return steady(file.getvalue())


def _box(slide: Any, place: tuple[float, float, float, float], lines: list[Any], size: int) -> None:
    frame = slide.shapes.add_textbox(*map(Cm, place)).text_frame
    frame.word_wrap, frame.auto_size = True, MSO_AUTO_SIZE.NONE
    for number, given in enumerate(lines):
        paragraph = frame.paragraphs[0] if number == 0 else frame.add_paragraph()
        look: Json = {"text": given} if isinstance(given, str) else given
        paragraph.alignment = getattr(PP_ALIGN, look.get("align", "left").upper())
        _write(paragraph.add_run(), look, size)


def _table(slide: Any, rows: list[list[str]]) -> None:
    table = slide.shapes.add_table(len(rows), len(rows[0]), Cm(2), Cm(5), Cm(24), Cm(1.5) * len(rows)).table
    for number, cells in enumerate(rows):
        for column, text in enumerate(cells):
            paragraph = table.cell(number, column).text_frame.paragraphs[0]
            paragraph.alignment = PP_ALIGN.LEFT
            _write(paragraph.add_run(), {"text": text}, 18)


def _colour(digits: str) -> Any:
    return RGBColor.from_string(digits)  # type: ignore[no-untyped-call]


def _write(run: Any, look: Json, size: int) -> None:
    run.text = look["text"]
    font = run.font
    font.name, font.size = look.get("font", "Arial"), Pt(look.get("size", size))
    font.bold, font.italic, font.underline = look.get("bold", False), look.get("italic", False), look.get("underline", False)
    font.color.rgb = _colour(look.get("colour", "000000"))
