"""Metrics: each compares what a getter got with what is expected, and returns whether it holds, or, if it is graded, a share from 0 to 1.

A missing value fails every metric, except `is` with nothing expected.
"""

import re
from collections.abc import Callable
from itertools import pairwise, zip_longest
from math import isfinite
from typing import Any

from eval_flows.episodes.checkers.arithmetic import outcome
from eval_flows.episodes.checkers.checker import Checkers

_SAME_NUMBER = 1e-9
_TOLERANCE = 0.01
_NO_CELL = object()
_SHOWN = 1e-8  # calculators show about ten digits


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or value is None:
        return None
    try:
        number = float(str(value).replace(",", ""))
    except ValueError:
        return None
    return number if isfinite(number) else None  # nan and infinity are words


def same(got: Any, expected: Any) -> bool:
    """Tell whether two values are equal: numbers, also as texts, within 1e-9; lists part by part."""
    if isinstance(got, list | tuple) and isinstance(expected, list | tuple):
        return len(got) == len(expected) and all(same(one, other) for one, other in zip(got, expected, strict=True))
    if isinstance(got, bool) or isinstance(expected, bool) or got is None or expected is None:
        return got is expected or str(got).lower() == str(expected).lower()
    one, other = _number(got), _number(expected)
    if one is not None and other is not None:
        return abs(one - other) <= _SAME_NUMBER * max(1.0, abs(one), abs(other))
    return str(got) == str(expected)


def _contains(got: Any, expected: Any) -> bool:
    wanted = expected if isinstance(expected, list) else [expected]
    if isinstance(got, list | tuple):
        return all(any(same(part, one) for part in got) for one in wanted)
    return got is not None and all(str(one) in str(got) for one in wanted)


def _lacks(got: Any, expected: Any) -> bool:
    unwanted = expected if isinstance(expected, list) else [expected]
    return got is not None and not any(_contains(got, one) for one in unwanted)


def _close_to(got: Any, expected: Any) -> bool:
    wanted, tolerance = expected if isinstance(expected, list) else (expected, _TOLERANCE)
    found, aim = _number(got), _number(wanted)
    return found is not None and aim is not None and abs(found - aim) <= float(tolerance)


def _all_close_to(got: Any, expected: Any) -> bool:
    wanted, tolerance = expected
    if not isinstance(got, list | tuple) or len(got) != len(wanted):
        return False
    return all(_number(one) is None if aim == "" else _close_to(one, [aim, tolerance]) for one, aim in zip(got, wanted, strict=True))


def _all_within(got: Any, expected: Any) -> bool:
    found = [_number(one) for one in got] if isinstance(got, list | tuple) else []
    return len(found) == len(expected) and all(one is not None and least <= one <= most for one, (least, most) in zip(found, expected, strict=True))


def _comes_to(got: Any, expected: Any) -> bool:
    aim = outcome(str(expected))
    if isinstance(aim, str):  # digits in another base
        return any(
            str(one).strip().replace(" ", "").lstrip("0").upper() == aim.lstrip("0") for one in (got if isinstance(got, list | tuple) else [got])
        )
    found = [_number(one) for one in (got if isinstance(got, list | tuple) else [got])]
    return any(one is not None and abs(one - aim) <= _SHOWN * max(1.0, abs(aim)) for one in found)


def _compared(hold: Callable[[float, float], bool]) -> Callable[[Any, Any], bool]:
    def compare(got: Any, expected: Any) -> bool:
        found, bound = _number(got), _number(expected)
        return found is not None and bound is not None and hold(found, bound)

    return compare


def _is_sorted(got: Any, expected: Any) -> bool:
    if not isinstance(got, list | tuple) or len(got) < 2:
        return False
    numbers = [_number(value) for value in got]
    keys: list[Any] = [str(value).casefold() for value in got] if None in numbers else numbers
    return keys == sorted(keys, reverse=str(expected) == "descending")


def _goes_up_by(got: Any, expected: Any) -> bool:
    step = _number(expected)
    numbers = [_number(value) for value in got] if isinstance(got, list | tuple) else []
    if step is None or len(numbers) < 2:
        return False
    return all(one is not None and other is not None and same(other, one + step) for one, other in pairwise(numbers))


def _cells(value: Any) -> list[list[Any]]:
    """Return rows; a list of values is a row of one cell for each."""
    listed = value if isinstance(value, list | tuple) else []
    return [list(row) if isinstance(row, list | tuple) else [row] for row in listed]


def _cells_like(got: Any, expected: Any) -> float:
    """Return the share of cells that are right, of all cells that either side has."""
    rows = zip_longest(_cells(got), _cells(expected), fillvalue=list[Any]())
    pairs = [pair for one, other in rows for pair in zip_longest(one, other, fillvalue=_NO_CELL)]
    return sum(_NO_CELL not in pair and same(*pair) for pair in pairs) / len(pairs) if pairs else 0.0


def _share_matching(got: Any, expected: Any) -> float:
    listed = got if isinstance(got, list | tuple) else []
    return sum(re.search(str(expected), str(one)) is not None for one in listed) / len(listed) if listed else 0.0


CHECKERS = Checkers(
    metrics={
        "is": same,
        "is_not": lambda got, expected: got is not None and not same(got, expected),
        "contains": _contains,
        "lacks": _lacks,
        "matches": lambda got, expected: got is not None and re.search(str(expected), str(got), re.MULTILINE) is not None,
        "begins_with": lambda got, expected: got is not None and str(got).startswith(str(expected)),
        "ends_with": lambda got, expected: got is not None and str(got).endswith(str(expected)),
        "close_to": _close_to,
        "all_close_to": _all_close_to,
        "all_within": _all_within,
        "comes_to": _comes_to,
        "at_least": _compared(lambda found, bound: found >= bound),
        "at_most": _compared(lambda found, bound: found <= bound),
        "has_length": lambda got, expected: isinstance(got, list | tuple | str) and same(len(got), expected),
        "is_sorted": _is_sorted,
        "goes_up_by": _goes_up_by,
        "cells_like": _cells_like,
        "share_matching": _share_matching,
        "same_as": lambda got, expected: got is not None and same(got, expected),
    }
)
