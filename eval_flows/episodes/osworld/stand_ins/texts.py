"""The maker of documents of Writer: paragraphs with the look of their text."""

import io
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import docx
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.shared import Pt

from eval_flows.episodes.osworld.stand_ins.zips import steady

Json = Mapping[str, Any]
_NO_TIME = datetime(2026, 1, 1)


def document(asked: Json) -> bytes:
    """Return a document; `spacing` is that of all lines, and `font` the font of paragraphs that name none.

    A paragraph is a text, or a mapping: a `table` of rows, or its `text` with `font`, `size`, `bold`, `italic`, `strike`, `align` and `style`.
    """
    made = docx.Document()
    made.core_properties.created = made.core_properties.modified = _NO_TIME
    for one in asked["paragraphs"]:
        given: Json = {"text": one} if isinstance(one, str) else one
        if "table" in given:
            _table(made, given["table"])
            continue
        paragraph = made.add_paragraph(style=given.get("style"))
        if "spacing" in asked:
            paragraph.paragraph_format.line_spacing = asked["spacing"]
        if "align" in given:
            paragraph.alignment = getattr(WD_ALIGN_PARAGRAPH, given["align"].upper())
        if given["text"]:
            _look(paragraph.add_run(given["text"]), {"font": asked.get("font"), **given})
    file = io.BytesIO()
    made.save(file)
    return steady(file.getvalue())


def _look(run: Any, given: Json) -> None:
    if given.get("font"):
        run.font.name = given["font"]
    if "size" in given:
        run.font.size = Pt(given["size"])
    for name in ("bold", "italic", "strike"):
        if name in given:
            setattr(run.font, name, given[name])


def _table(made: Any, rows: list[list[Any]]) -> None:
    table = made.add_table(len(rows), len(rows[0]))
    for cells, given in zip(table.rows, rows, strict=True):
        for cell, text in zip(cells.cells, given, strict=True):
            cell.text = str(text)
