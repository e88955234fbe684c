"""The maker of workbooks with values, formulas and looks."""

import io
import zipfile
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

import openpyxl
from openpyxl.styles import Font
from openpyxl.writer.excel import ExcelWriter

from eval_flows.episodes.osworld.stand_ins.zips import steady
from eval_flows.episodes.tasks.makers.maker import made_file

Json = Mapping[str, Any]
_NO_TIME = datetime(2026, 1, 1)


def sheets(asked: Json) -> bytes:
    """Return a workbook: `sheets` has rows by title.

    By title too: `fonts` (of cells), `formats` (of numbers in columns), `frozen` and `hidden`.
    """
    plain = made_file("workbook", {"path": "made.xlsx", "sheets": asked["sheets"]})
    looks = {name: asked[name] for name in _LOOKS if name in asked}
    if not looks:
        return plain
    book = openpyxl.load_workbook(io.BytesIO(plain))
    for name, by_sheet in looks.items():
        for title, given in by_sheet.items():
            _LOOKS[name](book[title], given)
    book.properties.created = book.properties.modified = _NO_TIME
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        ExcelWriter(book, archive).write_data()  # `save` would write the present time into the workbook
    return steady(file.getvalue())


def _fonts(sheet: Any, given: Json) -> None:
    for cell, font in given.items():
        sheet[cell].font = Font(**font)


def _formats(sheet: Any, given: Json) -> None:
    for column, form in given.items():
        for cell in sheet[column][1:]:
            cell.number_format = form


def _frozen(sheet: Any, given: str) -> None:
    sheet.freeze_panes = given


def _hidden(sheet: Any, given: Json) -> None:
    for column in given.get("columns", ()):
        sheet.column_dimensions[column].hidden = True
    for row in given.get("rows", ()):
        sheet.row_dimensions[row].hidden = True


_LOOKS: Mapping[str, Callable[[Any, Any], None]] = {"fonts": _fonts, "formats": _formats, "frozen": _frozen, "hidden": _hidden}
