"""What metrics of workbooks and tables are given: right, and wrong."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from openpyxl.chart import BarChart, LineChart, Reference
from openpyxl.formatting.rule import CellIsRule, FormulaRule
from openpyxl.styles import Font, PatternFill
from openpyxl.worksheet.datavalidation import DataValidation

from tests.eval_flows.episodes.osworld.metrics.made import (
    Call,
    Maker,
    given,
    workbook,
    written,
)

Change = Callable[[Any], Any]
Validation: Any = DataValidation  # made of names that are data here
Rule: Any = FormulaRule
CellRule: Any = CellIsRule


def _chart(kind: Any, title: str = "Sales") -> Change:
    def change(sheet: Any) -> None:
        made = kind()
        made.title = title
        made.add_data(Reference(sheet, min_col=1, max_col=2, min_row=1, max_row=2))
        sheet.add_chart(made, "D4")

    return change


def _validated(*kinds: str) -> Change:
    def change(sheet: Any) -> None:
        for at, kind in enumerate(kinds, 1):
            made = Validation(type=kind, formula1='"a,b"' if kind == "list" else "1", operator="equal")
            made.add(f"A{at}:A{at + 3}")
            sheet.add_data_validation(made)

    return change


def _formatted(sheet: Any) -> None:
    sheet["A1"].font = Font(bold=True, color="FFFF0000", name="Arial")
    sheet["A2"].fill = PatternFill("solid", fgColor="FF00FF00")
    sheet["B2"].hyperlink = "http://a"
    sheet.conditional_formatting.add("A1:B2", Rule(formula=["A1>1"], fill=PatternFill(bgColor="FFFFFF00")))


def _yellow_if(formula: str) -> Change:
    return lambda sheet: sheet.conditional_formatting.add("A1:B2", Rule(formula=[formula], fill=PatternFill(bgColor="FFFFFF00")))


def _yellow_above(limit: str) -> Change:
    return lambda sheet: sheet.conditional_formatting.add(
        "A1:B2", CellRule(operator="greaterThan", formula=[limit], fill=PatternFill(bgColor="FFFFFF00"))
    )


def _yellow(*cells: str) -> Change:
    def change(sheet: Any) -> None:
        for cell in cells:
            sheet[cell].fill = PatternFill("solid", fgColor="FFFFFF00")

    return change


def _by_look(one: Change, other: Change) -> Maker:
    return _tables({"type": "style", **_SIDES, "props": ["bgcolor"]}, one={"change": one}, other={"change": other})


def _all_of_it(sheet: Any) -> None:
    _formatted(sheet)
    _arranged(sheet)


def _arranged(sheet: Any) -> None:
    sheet.freeze_panes = "B2"
    sheet.sheet_view.zoomScale = 130
    sheet.row_dimensions[2].hidden = True
    sheet.column_dimensions["B"].width = 33
    sheet.auto_filter.ref = "A1:B2"
    sheet.auto_filter.add_filter_column(0, ["1"])


def _tables(*rules: Mapping[str, Any], one: Any = None, other: Any = None) -> Maker:
    first, second = one or {}, other or {}
    return lambda p: given(workbook(p / "a.xlsx", **first), workbook(p / "b.xlsx", **second), rules=list(rules))


_SIDES = {"sheet_idx0": 0, "sheet_idx1": "EI0"}
_DATA = {"type": "sheet_data", **_SIDES}


def _printed(folder: Path, line: str) -> Call:
    for name, text in (("a", "1,2\n3,4\n\n"), ("b", line)):
        written(folder / f"{name}-Sheet.csv", text)
    return given(
        workbook(folder / "a.xlsx"), workbook(folder / "b.xlsx"), rules=[{"type": "sheet_print", "sheet_idx0": "RNSheet", "sheet_idx1": "ENSheet"}]
    )


def _cities(*names: str) -> Change:
    def change(sheet: Any) -> None:
        for at, name in enumerate(names):
            sheet.cell(at + 2, 3, name)

    return change


_CITIES = [f"City {at}" for at in range(21)]
_LIST_AND_WHOLE = [{"type": {"method": "eq", "ref": "list"}}, {"type": {"method": "eq", "ref": "whole"}}]


RIGHT: Mapping[str, Maker] = {
    "compare_table": _tables(
        {"type": "sheet_name"}, _DATA, {"type": "style", **_SIDES, "props": ["font_color", "bgcolor", "hyperlink", "number_format"]},
        {"type": "freeze", **_SIDES}, {"type": "row_props", **_SIDES, "props": ["hidden"]}, {"type": "col_props", **_SIDES, "props": ["width"]},
        {"type": "filter", **_SIDES}, {"type": "sparkline", **_SIDES}, {"type": "pivot_table", **_SIDES, "pivot_props": ["col_fields"]},
        {"type": "zoom", "sheet_idx": 0, "method": "gt", "ref": 120},
        one={"change": _all_of_it}, other={"rows": [(1.0, 2.00001), (3, 4)], "change": _all_of_it},
    ),
    "compare_csv": lambda p: given(written(p / "a.csv", "A,b \r\n"), written(p / "b.csv", "a,B\n"), strict=False, ignore_case=True),
    "compare_conference_city_in_order": lambda p: given(workbook(p / "a.xlsx", (), _cities(*_CITIES)), {"expected": [["x", _CITIES[0]], *_CITIES[1:]]}),
}  # fmt: skip

WRONG: Mapping[str, Maker] = {
    "compare_table": _tables(_DATA, other={"rows": [(1, 2), (3, 5)]}),
    "compare_csv": lambda p: given(written(p / "a.csv", "a,b\n"), written(p / "b.csv", "a,B\n")),
    "compare_conference_city_in_order": lambda p: given(workbook(p / "a.xlsx", (), _cities(*_CITIES[:3])), {"expected": _CITIES}),
}

MORE: Mapping[str, tuple[float, Maker]] = {
    "compare_table of text and number": (0.0, _tables(_DATA, other={"rows": [("1", 2), (3, 4)]})),
    "compare_table with a longer sheet": (0.0, _tables(_DATA, one={"rows": [(1, 2), (3, 4), (5, 6)]})),
    "compare_table of charts": (1.0, _tables({"type": "chart", **_SIDES, "chart_props": ["type", "title", "legend", "anchor", "width"]}, one={"change": _chart(BarChart)}, other={"change": _chart(BarChart)})),
    "compare_table of other charts": (0.0, _tables({"type": "chart", **_SIDES, "chart_props": ["type"]}, one={"change": _chart(LineChart)}, other={"change": _chart(BarChart)})),
    "compare_table of other titles": (0.0, _tables({"type": "chart", **_SIDES, "chart_props": ["title"]}, one={"change": _chart(BarChart, "x")}, other={"change": _chart(BarChart)})),
    "compare_table without a chart": (0.0, _tables({"type": "chart", **_SIDES, "chart_props": []}, other={"change": _chart(BarChart)})),
    "compare_table with other formats": (0.0, _tables({"type": "style", **_SIDES, "props": ["font_bold"]}, other={"change": _formatted})),
    "compare_table unfrozen": (0.0, _tables({"type": "freeze", **_SIDES}, other={"change": _arranged})),
    "compare_table unfiltered": (0.0, _tables({"type": "filter", **_SIDES}, other={"change": _arranged})),
    "compare_table validated": (1.0, _tables({"type": "data_validation", "sheet_idx": 0, "dv_props": _LIST_AND_WHOLE}, one={"change": _validated("list", "whole")})),
    "compare_table half validated": (0.0, _tables({"type": "data_validation", "sheet_idx": 0, "dv_props": _LIST_AND_WHOLE}, one={"change": _validated("list", "list")})),
    "compare_table of cells": (
        1.0, _tables({"type": "check_cell", "sheet_idx": "RI0", "coordinate": "A1", "props": {"value": {"method": "approx:0.5", "ref": 1.2}, "font_name": {"method": "eq", "ref": "Arial"}}}, one={"change": _formatted})
    ),
    "compare_table of texts alike": (1.0, _tables(
        {"type": "sheet_fuzzy", **_SIDES, "rules": [
            {"range": ["A1:A1"], "type": "includes"}, {"range": ["B1:B1"], "type": "fuzzy_match", "threshold": 80, "ignore_case": True, "normalization": [["rd", "road"]]},
            {"range": ["A2:A2"], "type": "exact_match", "ignore_chars": " ()", "trim_leadings": "+"}, {"range": ["B2:B2"], "type": "included_by"},
        ]},
        one={"rows": [("the book", "High rd"), ("+(12) 3", "a")]}, other={"rows": [("book", "high road"), ("123", "a b")]},
    )),
    "compare_table of conditions that look alike": (1.0, _by_look(_yellow_if("A1>2"), _yellow_above("2"))),
    "compare_table of a condition and colours": (1.0, _by_look(_yellow_if("A1>2"), _yellow("A2", "B2"))),
    "compare_table of a condition with absolute places": (1.0, _by_look(_yellow_if("AND(A1>=$A$2,ISODD(A1)=TRUE)"), _yellow("A2"))),
    "compare_table of conditions that look otherwise": (0.0, _by_look(_yellow_if("A1>2"), _yellow_if("A1>3"))),
    "compare_table of an unknown condition": (1.0, _by_look(_yellow_if("BAHTTEXT(A1)>2"), _yellow_if("BAHTTEXT(A1)>2"))),
    "compare_table of other unknown conditions": (0.0, _by_look(_yellow_if("BAHTTEXT(A1)>2"), _yellow_if("BAHTTEXT(A1)>3"))),
    "compare_table printed": (1.0, lambda p: _printed(p, "1,2\r\n3,4")),
    "compare_table printed otherwise": (0.0, lambda p: _printed(p, "1,2\n3,5")),
    "compare_table of a sheet that is not there": (0.0, _tables({"type": "sheet_data", "sheet_idx0": "RNother", "sheet_idx1": "EI0"})),
}  # fmt: skip
