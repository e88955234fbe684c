"""Holding a value against a rule of a task: `{"method": ..., "ref": ...}`, a record, or an address of the web."""

import operator
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from openpyxl.worksheet.cell_range import MultiCellRange

from eval_flows.episodes.osworld.metrics.metric import TaskError, asked

_COMPARED = {"eq": operator.eq, "ne": operator.ne, "le": operator.le, "lt": operator.lt, "ge": operator.ge, "gt": operator.gt}
_AT_EDGE = {"t": operator.lt, "e": operator.le}
_BARE = ("about", "data", "mailto")  # schemes without slashes


def holds(value: Any, rule: Any) -> bool:
    """Tell whether a value holds against a rule; TaskError if no such method is known. A missing value holds against none but `ne` and `eq`.

    Methods: `re` with flags as in `re.I`, `eq`, `ne`, `le`, `lt`, `ge`, `gt`, `approx:0.1`, `range.te` (first edge out, last edge in),
    `str_list_eq` and `str_set_eq` (of a text with commas), `spreadsheet_range` (at least the first of two ranges, at most the second).
    """
    method, wanted = str(asked(rule, "method")), asked(rule, "ref")
    name, _, detail = method.replace(":", ".", 1).partition(".")
    if method in _COMPARED:
        return (value is not None or method in ("eq", "ne")) and bool(_COMPARED[method](value, wanted))
    if name == "re":
        flags = re.RegexFlag(0)
        for flag in filter(None, detail.split(".")):
            flags |= getattr(re, flag)
        return value is not None and re.search(wanted, str(value), flags) is not None
    if name == "approx":
        return value is not None and abs(float(value) - float(wanted)) <= float(detail)
    if name == "range" and len(detail) == 2 and set(detail) <= set(_AT_EDGE):
        return value is not None and _AT_EDGE[detail[0]](wanted[0], value) and _AT_EDGE[detail[1]](value, wanted[1])
    if name in ("str_list_eq", "str_set_eq"):
        kind: type[Any] = list if name == "str_list_eq" else set
        return value is not None and bool(kind(str(value).strip("\"'").split(",")) == kind(wanted))
    if name == "spreadsheet_range":
        least, most = (MultiCellRange(each) for each in wanted)
        return all(each in value for each in least) and all(each in most for each in value)
    raise TaskError(f"unknown method {method!r} in a rule")


def matches(record: Mapping[str, Any], pattern: Mapping[str, Any]) -> bool:
    """Tell whether a record has every value of a pattern."""
    return all(key in record and record[key] == value for key, value in pattern.items())


def expected_alone(records: Any, rules: Mapping[str, Any], key: str = "expect") -> bool:
    """Tell whether each pattern under `expect` is met by a record, and none under `unexpect` is."""
    found = list(records)
    return all(any(matches(record, pattern) for record in found) for pattern in rules.get(key, [])) and not any(
        matches(record, pattern) for record in found for pattern in rules.get(f"un{key}", [])
    )


def same_address(one: Any, other: Any) -> bool:
    """Tell whether two addresses lead to one page: `www.`, a slash at the end of the path and a scheme that one of them leaves out do not matter."""
    if not isinstance(one, str) or not isinstance(other, str):
        return False
    (scheme, *place), (other_scheme, *other_place) = _address(one), _address(other)
    return place == other_place and (scheme == other_scheme or not scheme or not other_scheme)


def _address(url: str) -> tuple[str, ...]:
    found = urlsplit(url if "//" in url or url.partition(":")[0] in _BARE else f"//{url}")
    return found.scheme, found.netloc.lower().removeprefix("www."), found.path.rstrip("/"), found.query, found.fragment
