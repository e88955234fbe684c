"""What a sheet holds beside its cells, in a form that two sheets can be compared by: rows and columns, charts, pivot tables, filters."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from openpyxl.utils import coordinate_to_tuple

from eval_flows.episodes.osworld.metrics.books import without_end
from eval_flows.episodes.osworld.metrics.metric import unknown

Sheet = Any


def lines_of(sheet: Sheet, kind: str, names: Sequence[str]) -> Mapping[Any, Any]:
    """Return properties of the rows or columns (`row`, `column`) of a sheet that have any."""
    return {key: {name: getattr(line, name) for name in names} for key, line in getattr(sheet, f"{kind}_dimensions").items()}


def charts(sheet: Sheet, names: Sequence[str]) -> list[Any]:
    """Return the charts of a sheet: what they show, and properties of them. The order of charts and of series does not matter."""
    return sorted(([sorted(map(_series, chart.series)), {name: _of_chart(chart, name) for name in names}] for chart in sheet._charts), key=repr)


def _series(series: Any) -> tuple[str, str]:
    return _reference(series.val or series.yVal), _reference(series.cat or series.xVal)


def _reference(source: Any) -> str:
    found = source and (source.numRef or getattr(source, "strRef", None))
    return found.f.replace("$", "").replace("'", "") if found else ""


def _of_chart(chart: Any, name: str) -> Any:
    if name in ("title", "xtitle", "ytitle", "ztitle"):
        return _title(chart if name == "title" else getattr(chart, f"{name[0]}_axis", None))
    if name == "anchor":
        start, end = chart.anchor._from, getattr(chart.anchor, "to", None)
        return [getattr(chart.anchor, "editAs", None), start.col, start.row, *([end.col, end.row] if end else [])]
    if name in ("width", "height"):
        return _extent(chart, name)
    ways: Mapping[str, Callable[[], Any]] = {
        "legend": lambda: chart.legend.position if chart.legend else None,
        "type": lambda: chart.tagname,
        "direction": lambda: chart.barDir,
    }
    if name not in ways:
        raise unknown("property of a chart", name, (*ways, "title", "xtitle", "ytitle", "ztitle", "anchor", "width", "height"))
    return ways[name]()


def _extent(chart: Any, name: str) -> Any:
    if hasattr(chart.anchor, "ext") and chart.anchor.ext:
        return getattr(chart.anchor.ext, name)
    start, end = chart.anchor._from, chart.anchor.to
    return (end.col - start.col, end.colOff - start.colOff) if name == "width" else (end.row - start.row, end.rowOff - start.rowOff)


def _title(holder: Any) -> str | None:
    rich = getattr(getattr(getattr(holder, "title", None), "tx", None), "rich", None)
    return None if rich is None else "".join(run.t for paragraph in rich.p for run in paragraph.r or [])


# --- pivot tables and filters


def pivots(sheet: Sheet, names: Sequence[str]) -> list[Any]:
    """Return the pivot tables of a sheet: where their values come from, and properties of them."""
    return sorted((_pivot(pivot, names) for pivot in sheet._pivots), key=repr)


def _pivot(pivot: Any, names: Sequence[str]) -> Any:
    """Columns at the edges of the source that the table does not use are left out of the source, and of the numbers of fields."""
    chosen = [[(item.h, item.x) for item in field.items if item.x is not None] for field in pivot.pivotFields]
    skipped = next((at for at, items in enumerate(chosen) if items), len(chosen))
    used = without_end(chosen[skipped:])
    source = pivot.cache.cacheSource
    (top, left), (bottom, right) = map(coordinate_to_tuple, source.worksheetSource.ref.split(":"))
    place = (source.type, source.worksheetSource.sheet, top, left + skipped, bottom, right - (len(chosen) - skipped - len(used)))
    selection = used if "ordered" in names else [sorted(items, key=repr) for items in used]
    ways: Mapping[str, Callable[[], Any]] = {
        "name": lambda: pivot.name,
        "show_total": lambda: pivot.visualTotals,
        "show_empty_row": lambda: pivot.showEmptyRow,
        "show_empty_col": lambda: pivot.showEmptyCol,
        "show_headers": lambda: pivot.showHeaders,
        "location": lambda: pivot.location.ref,
        "selection": lambda: selection,
        "filter": lambda: (selection, sorted(field.fld - skipped for field in pivot.pageFields)),
        "col_fields": lambda: [field.x - skipped for field in pivot.colFields],
        "row_fields": lambda: [field.x - skipped for field in pivot.rowFields],
        "data_fields": lambda: [
            (field.fld - skipped, field.name if "data_fields_name" in names else "", field.subtotal, field.showDataAs) for field in pivot.dataFields
        ],
    }
    for name in names:
        if name not in (*ways, "ordered", "data_fields_name"):
            raise unknown("property of a pivot table", name, (*ways, "ordered", "data_fields_name"))
    return [place, {name: way() for name, way in ways.items() if name in names}]


def filters(sheet: Sheet) -> Any:
    """Return the filter of a sheet: its range, what each column lets through, and how it sorts."""
    found = sheet.auto_filter
    columns = sorted(((one.colId, bool(one.hiddenButton), _let_through(one)) for one in found.filterColumn), key=repr)
    order = found.sortState and (found.sortState.ref, [(one.ref, bool(one.descending)) for one in found.sortState.sortCondition])
    return found.ref, columns, order


def _let_through(column: Any) -> Any:
    plain_ones = column.filters and (bool(column.filters.blank), sorted(column.filters.filter))
    custom = column.customFilters
    return plain_ones, custom and (bool(custom._and), sorted((one.operator or "equal", one.val) for one in custom.customFilter))
