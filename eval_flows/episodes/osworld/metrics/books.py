"""A workbook: its sheets, values, printed lines and sparklines."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from functools import cached_property
from itertools import dropwhile
from pathlib import Path
from typing import Any

import openpyxl
from openpyxl.utils.datetime import to_excel

from eval_flows.episodes.checkers.care import unpacked
from eval_flows.episodes.osworld.metrics.reading import Place, content, parts, xml

_X14 = "{http://schemas.microsoft.com/office/spreadsheetml/2009/9/main}sparkline"
_XM = "{http://schemas.microsoft.com/office/excel/2006/main}"


class Book:
    """A workbook of the format of Excel, read when it is looked at."""

    def __init__(self, place: Place) -> None:
        self.place = Path(place)

    @cached_property
    def _packed(self) -> bytes:
        return content(self.place)

    @cached_property
    def written(self) -> Any:
        """The workbook with its formulas, formats and drawings."""
        return openpyxl.load_workbook(unpacked(self._packed))

    @cached_property
    def _shown(self) -> Any:
        return openpyxl.load_workbook(unpacked(self._packed), data_only=True)

    @property
    def names(self) -> Sequence[str]:
        """The names of the sheets, in their order."""
        return list(self.written.sheetnames)

    def value(self, sheet: str, coordinate: str) -> Any:
        """Return what a cell was last seen to hold; numbers and dates are floats, as in the file."""
        return plain(self._shown[sheet][coordinate].value)

    def values(self, sheet: str) -> Mapping[tuple[int, int], Any]:
        """Return the values of a sheet by row and column. Only cells that the file has are looked at: there may be one in the last column of all."""
        found = {place: plain(cell.value) for place, cell in self._shown[sheet]._cells.items()}
        return {place: value for place, value in found.items() if value is not None}

    def printed(self, sheet: str) -> list[str]:
        """Return the lines of the CSV file of a sheet that lies beside the workbook (`book-Sheet1.csv`), without empty ones at the end."""
        lines = content(self.place.with_name(f"{self.place.stem}-{sheet}.csv")).decode("utf-8-sig").splitlines()
        return without_end([line.strip() for line in lines])

    def sparklines(self, sheet: str) -> Mapping[str, str]:
        """Return what the sparklines of a sheet show, by their cells."""
        found = xml(parts(self.place)[_part_of(self.place, sheet)])
        return {line.findtext(f"{_XM}sqref"): line.findtext(f"{_XM}f") for line in found.iter(_X14)}


def _part_of(place: Place, sheet: str) -> str:
    """Return the name of the part of a workbook that holds a sheet."""
    held = parts(place)
    node = next(one for one in xml(held["xl/workbook.xml"]).iter("{*}sheet") if one.get("name") == sheet)
    reference = next(value for name, value in node.attrib.items() if name.endswith("}id"))
    target = next(one.get("Target") for one in xml(held["xl/_rels/workbook.xml.rels"]) if one.get("Id") == reference)
    return str(target).removeprefix("/") if str(target).startswith("/") else f"xl/{target}"


def plain(value: Any) -> Any:
    """Return a value of a cell as the file has it: numbers, dates and durations as floats, and an empty text as nothing."""
    if isinstance(value, bool) or value is None or value == "":
        return None if value == "" else value
    if isinstance(value, datetime | date | time | timedelta):
        return float(to_excel(value))  # type: ignore[no-untyped-call]
    return float(value) if isinstance(value, int | float) else value


def without_end(values: list[Any]) -> list[Any]:
    """Return values without the empty ones at the end."""
    return list(dropwhile(lambda one: one in (None, "", []), reversed(values)))[::-1]
