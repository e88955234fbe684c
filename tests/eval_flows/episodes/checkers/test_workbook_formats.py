"""Protects that a format of a cell counts wherever it is set: in the cell, by a named style, by its row or column, by a neighbour's line."""

import io
from collections.abc import Callable
from datetime import datetime
from typing import Any

import openpyxl
import pytest
from openpyxl.formatting.rule import Rule
from openpyxl.styles import Alignment, Border, Color, Font, NamedStyle, PatternFill, Side
from openpyxl.styles.differential import DifferentialStyle
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.formula import ArrayFormula

from eval_flows.episodes.checkers.getters import get
from tests.eval_flows.episodes.desktops import desktop

Workbook = Any


def told(workbook: Workbook, getter: str = "cell_style", /, **asked: Any) -> Any:
    workbook.save(file := io.BytesIO())
    return get(desktop({"f": file.getvalue()}), getter, {"path": "f", **asked})


FORMATS: list[tuple[str, dict[str, Any], Any]] = [
    ("bold", {"font": Font(b=True)}, True),
    ("italic", {"font": Font(i=True)}, True),
    ("strike", {"font": Font(strike=True)}, True),
    ("underline", {"font": Font(u="single")}, "single"),
    ("size", {"font": Font(sz=16)}, 16),
    ("font", {"font": Font(name="Gentium")}, "Gentium"),
    ("font_colour", {"font": Font(color="FFC00000")}, "#c00000"),
    ("font_colour", {"font": Font(color=Color(theme=4))}, "#4f81bd"),
    ("font_colour", {"font": Font(color=Color(theme=0, tint=-0.5))}, "#808080"),
    ("font_colour", {"font": Font(color=Color(indexed=10))}, "#ff0000"),
    ("fill", {"fill": PatternFill("solid", fgColor="FF00FF00")}, "#00ff00"),
    ("fill", {"fill": PatternFill("solid", fgColor=Color(theme=5, tint=0.5))}, "#e0a7a6"),
    ("number_format", {"number_format": "0.00%"}, "0.00%"),
    ("horizontal", {"alignment": Alignment(horizontal="center")}, "center"),
    ("vertical", {"alignment": Alignment(vertical="top")}, "top"),
    ("indent", {"alignment": Alignment(indent=2)}, 2),
    ("wrap", {"alignment": Alignment(wrap_text=True)}, True),
    ("border_top", {"border": Border(top=Side("thin"))}, "thin"),
    ("border_left", {"border": Border(left=Side("double"))}, "double"),
]


def in_cell(sheet: Any, name: str, value: Any) -> None:
    setattr(sheet["B2"], name, value)


def by_named_style(sheet: Any, name: str, value: Any) -> None:
    style = NamedStyle("Mine")
    setattr(style, name, value)
    sheet["B2"].style = style


def by_column(sheet: Any, name: str, value: Any) -> None:
    del sheet._cells[2, 2]
    setattr(sheet.column_dimensions["B"], name, value)


def by_columns_together(sheet: Any, name: str, value: Any) -> None:
    by_column(sheet, name, value)
    sheet.column_dimensions["B"].min, sheet.column_dimensions["B"].max = 1, 4


def by_row(sheet: Any, name: str, value: Any) -> None:
    del sheet._cells[2, 2]
    setattr(sheet.row_dimensions[2], name, value)


@pytest.mark.parametrize("way", [in_cell, by_named_style, by_column, by_columns_together, by_row])
@pytest.mark.parametrize(("what", "change", "wanted"), FORMATS)
def test_a_format_of_cells_counts_wherever_it_is_set(way: Callable[[Any, str, Any], None], what: str, change: dict[str, Any], wanted: Any) -> None:
    workbook = openpyxl.Workbook()
    sheet: Any = workbook.worksheets[0]
    sheet["A1"], sheet["B2"] = "first", "second"
    assert told(workbook, at="B2", what=what) != wanted
    ((name, value),) = change.items()
    way(sheet, name, value)
    assert told(workbook, at="B2", what=what) == wanted


def test_a_line_between_two_cells_is_that_of_both() -> None:
    workbook = openpyxl.Workbook()
    workbook.worksheets[0]["B2"].border = Border(bottom=Side("thin"), right=Side("thick"))
    sides = {("B3", "border_top"): "thin", ("C2", "border_left"): "thick", ("B2", "border_top"): None, ("A1", "border_left"): None}
    assert {(at, what): told(workbook, at=at, what=what) for at, what in sides} == sides


def test_a_format_of_an_area_is_that_of_all_its_cells() -> None:
    workbook = openpyxl.Workbook()
    for row in workbook.worksheets[0]["A1:C2"]:
        for cell in row:
            cell.font = Font(b=True)
    assert told(workbook, at="A1:C2", what="bold") is True and told(workbook, at="A1:C3", what="bold") is None
    assert told(workbook, at="D1:E9", what="bold") is False and told(workbook, at="A1:ZZ99999", what="bold") is None


def test_panes_are_frozen_wherever_the_sheet_is_scrolled_to() -> None:
    workbook = openpyxl.Workbook()
    sheet: Any = workbook.worksheets[0]
    assert told(workbook, "workbook", what="freeze") is None
    sheet.freeze_panes = "B2"
    sheet.sheet_view.pane.topLeftCell = "F40"
    assert told(workbook, "workbook", what="freeze") == "B2"
    sheet.sheet_view.pane.state = "split"
    assert told(workbook, "workbook", what="freeze") is None


def test_formulas_of_a_column_are_those_of_its_cells_and_of_areas() -> None:
    workbook = openpyxl.Workbook()
    sheet: Any = workbook.worksheets[0]
    for row, value in enumerate(("head", "=A2", 7, "=A4"), 1):
        sheet.cell(row, 2, value)
    assert told(workbook, "formulas", column="B", from_row=2) == ["=A2", "", "=A4"]
    sheet["B2"] = ArrayFormula("B2:B4", "=A2:A4")
    assert told(workbook, "formulas", column="B", from_row=2) == ["=A2:A4"] * 3


def test_rules_that_say_the_same_are_told_alike() -> None:
    workbook = openpyxl.Workbook()
    sheet: Any = workbook.worksheets[0]
    sheet.conditional_formatting.add("B2:B7", Rule("expression", formula=["B2>150"]))
    rule = DataValidation("whole", formula1="6", operator="greaterThanOrEqual")
    rule.add("C2:C6")
    sheet.add_data_validation(rule)
    assert told(workbook, "workbook", what="conditional_formats") == ["B2:B7 greaterThan 150"]
    assert told(workbook, "workbook", what="validations") == ["C2:C6 whole greaterThan 5"]


def test_looks_by_conditions_are_those_of_their_own_styles() -> None:
    workbook = openpyxl.Workbook()
    sheet: Any = workbook.worksheets[0]
    looks: list[tuple[str, dict[str, Any], str]] = [
        ("A1:A9", {"font": Font(b=True, sz=11)}, "bold 11 pt"),
        ("B2:B7", {"font": Font(i=True), "fill": PatternFill(bgColor="FFFF0000")}, "italic filled"),
        ("C1", {"border": Border(top=Side("thin"))}, "framed"),
        ("D1", {}, "plain"),
    ]
    for area, parts, _ in looks:
        sheet.conditional_formatting.add(area, Rule("cellIs", operator="greaterThan", formula=["5"], dxf=DifferentialStyle(**parts)))
    assert told(workbook, "conditional_looks") == [f"{area} {look}" for area, _, look in looks]


def test_numbers_are_told_from_texts_that_look_like_them() -> None:
    workbook = openpyxl.Workbook()
    sheet: Any = workbook.worksheets[0]
    kinds = {
        "A1": (92, "number"),
        "A2": ("92", "text"),
        "A3": (True, "truth"),
        "A4": (datetime(2026, 1, 1), "date"),
        "A5": ("#N/A", "error"),
        "A6": (None, None),
    }
    for at, (value, _) in kinds.items():
        sheet[at] = value
    assert {at: told(workbook, "cell_kind", at=at) for at in kinds} == {at: kind for at, (_, kind) in kinds.items()}


def test_names_and_passwords_are_told() -> None:
    workbook = openpyxl.Workbook()
    sheet: Any = workbook.worksheets[0]
    workbook.defined_names["Prices"] = DefinedName("Prices", attr_text="'Sheet'!$B$2:$B$7")
    sheet.defined_names["Own"] = DefinedName("Own", attr_text="Sheet!$A$1")
    sheet.protection.sheet = True
    assert [told(workbook, "workbook", what=f"name.{name}") for name in ("Prices", "Own", "None")] == ["Sheet!$B$2:$B$7", "Sheet!$A$1", None]
    assert (told(workbook, "workbook", what="protected"), told(workbook, "workbook", what="has_password")) == (True, False)
    sheet.protection.set_password("secret")
    assert told(workbook, "workbook", what="has_password") is True
