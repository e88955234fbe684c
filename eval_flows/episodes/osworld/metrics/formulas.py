"""What the formula of a conditional format gives for a cell: comparisons, arithmetic and usual functions of spreadsheets."""

import operator
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from openpyxl.formula import Tokenizer
from openpyxl.formula.translate import Translator
from openpyxl.utils import range_boundaries
from openpyxl.utils.datetime import from_excel

Value = Any
Cells = Callable[[int, int], Value]  # by row and column; numbers and dates are floats, empty cells None

_MOST_CELLS = 100_000


class NotKnown(ValueError):
    """A formula has a part that is not known here."""


_ORDER: Sequence[Mapping[str, Callable[[Value, Value], Value]]] = (
    {
        "=": lambda one, other: _plain(one) == _plain(other),
        "<>": lambda one, other: _plain(one) != _plain(other),
        "<": lambda one, other: _key(one) < _key(other),
        ">": lambda one, other: _key(one) > _key(other),
        "<=": lambda one, other: _key(one) <= _key(other),
        ">=": lambda one, other: _key(one) >= _key(other),
    },
    {"&": lambda one, other: _text(one) + _text(other)},
    {"+": lambda one, other: _number(one) + _number(other), "-": lambda one, other: _number(one) - _number(other)},
    {"*": lambda one, other: _number(one) * _number(other), "/": lambda one, other: _number(one) / _number(other)},
    {"^": lambda one, other: _number(one) ** _number(other)},
)


def gives(formula: str, origin: str, place: str, cells: Cells) -> Value:
    """Return what a formula, written for the cell `origin`, gives for the cell `place`; `NotKnown` if a part of it is not known."""
    moved = Translator(f"={formula}", origin).translate_formula(place)
    reading = _Reading([token for token in Tokenizer(moved).items if token.type != "WHITE-SPACE"], cells)
    found = reading.compared(0)
    if reading.left:
        raise NotKnown(f"{reading.left[0].value} in {formula}")
    return found


class _Reading:
    """The parts of a formula from left to right."""

    def __init__(self, tokens: list[Any], cells: Cells) -> None:
        self.left, self._cells = tokens, cells

    def compared(self, level: int) -> Value:
        """Return the value up to the first operator of a lower order."""
        if level == len(_ORDER):
            return self._signed()
        found = self.compared(level + 1)
        while self.left and self.left[0].type == "OPERATOR-INFIX" and self.left[0].value in _ORDER[level]:
            way = _ORDER[level][self.left.pop(0).value]
            found = way(found, self.compared(level + 1))
        return found

    def _signed(self) -> Value:
        if self.left and self.left[0].type == "OPERATOR-PREFIX":
            return _number(self._signed()) if self.left.pop(0).value == "+" else -_number(self._signed())
        found = self._part()
        while self.left and self.left[0].type == "OPERATOR-POSTFIX":
            self.left.pop(0)
            found = _number(found) / 100
        return found

    def _part(self) -> Value:
        if not self.left:
            raise NotKnown("the end of the formula")
        token = self.left.pop(0)
        if token.type == "OPERAND":
            return self._operand(token)
        if token.subtype != "OPEN":
            raise NotKnown(token.value)
        given = self._given()
        if token.type == "PAREN":
            return given[0]
        name = token.value.rstrip("(").upper().removeprefix("_XLFN.")
        if name not in _FUNCTIONS:
            raise NotKnown(name)
        return _FUNCTIONS[name](*given)

    def _given(self) -> list[Value]:
        """Return the arguments up to the closing bracket."""
        given: list[Value] = []
        while self.left and self.left[0].subtype != "CLOSE":
            if self.left[0].type == "SEP":
                self.left.pop(0)
            given.append(self.compared(0))
        if not self.left:
            raise NotKnown("a bracket that is not closed")
        self.left.pop(0)
        return given

    def _operand(self, token: Any) -> Value:
        if token.subtype == "NUMBER":
            return float(token.value)
        if token.subtype == "TEXT":
            return token.value[1:-1].replace('""', '"')
        if token.subtype == "LOGICAL":
            return token.value.upper() == "TRUE"
        if token.subtype != "RANGE" or "!" in token.value:
            raise NotKnown(token.value)
        try:
            left, top, right, bottom = range_boundaries(token.value)
        except ValueError:
            raise NotKnown(token.value) from None
        if None in (left, top, right, bottom):
            raise NotKnown(token.value)
        found = [
            self._cells(row, column) for row in range(int(top or 0), int(bottom or 0) + 1) for column in range(int(left or 0), int(right or 0) + 1)
        ]
        return found if ":" in token.value else found[0]


def _number(value: Value) -> float:
    return 0.0 if value is None or value == "" else float(value)


def _text(value: Value) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    return f"{value:g}" if isinstance(value, float) else str(value)


def _plain(value: Value) -> Value:
    return value.casefold() if isinstance(value, str) else 0.0 if value is None else value


def _key(value: Value) -> tuple[int, Value]:
    """Return what values are put in order by: numbers before texts before truths."""
    return (2, value) if isinstance(value, bool) else (1, value.casefold()) if isinstance(value, str) else (0, _number(value))


def _each(*given: Value) -> list[Value]:
    return [value for one in given for value in (one if isinstance(one, list) else [one])]


def _numbers(*given: Value) -> list[float]:
    return [float(value) for value in _each(*given) if isinstance(value, int | float) and not isinstance(value, bool)]


def _day(value: Value) -> datetime:
    found = from_excel(_number(value))
    if not isinstance(found, datetime):
        raise NotKnown(f"{value} as a date")
    return found


def _weekday(value: Value, kind: Value = 1.0) -> float:
    from_monday = _day(value).weekday()
    return float({1: (from_monday + 1) % 7 + 1, 2: from_monday + 1, 3: from_monday}[int(_number(kind))])


def _counted(cells: Value, wanted: Value) -> float:
    """Count as COUNTIF does, without wild cards."""
    signs: Mapping[str, Callable[[Value, Value], bool]] = {
        ">=": operator.ge, "<=": operator.le, "<>": operator.ne, ">": operator.gt, "<": operator.lt, "=": operator.eq,
    }  # fmt: skip
    sign = next((one for one in signs if isinstance(wanted, str) and wanted.startswith(one)), "")
    aim: Value = wanted[len(sign) :] if sign else wanted
    if isinstance(aim, str) and aim.replace(".", "", 1).lstrip("-").isdigit():
        aim = float(aim)
    return float(sum(value is not None and signs[sign or "="](_key(value), _key(aim)) for value in _each(cells)))


_FUNCTIONS: Mapping[str, Callable[..., Value]] = {
    "AND": lambda *given: all(_each(*given)),
    "OR": lambda *given: any(_each(*given)),
    "NOT": lambda value: not value,
    "IF": lambda holds, one=True, other=False: one if holds else other,
    "TRUE": lambda: True,
    "FALSE": lambda: False,
    "ISODD": lambda value: int(_number(value)) % 2 == 1,
    "ISEVEN": lambda value: int(_number(value)) % 2 == 0,
    "ISBLANK": lambda value: value is None,
    "ISNUMBER": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "ISTEXT": lambda value: isinstance(value, str),
    "MOD": lambda value, by: _number(value) % _number(by),
    "ABS": lambda value: abs(_number(value)),
    "INT": lambda value: float(_number(value) // 1),
    "ROUND": lambda value, digits=0.0: round(_number(value), int(_number(digits))),
    "SUM": lambda *given: sum(_numbers(*given)),
    "AVERAGE": lambda *given: sum(_numbers(*given)) / len(_numbers(*given)),
    "MAX": lambda *given: max(_numbers(*given), default=0.0),
    "MIN": lambda *given: min(_numbers(*given), default=0.0),
    "COUNT": lambda *given: float(len(_numbers(*given))),
    "COUNTA": lambda *given: float(sum(value is not None for value in _each(*given))),
    "COUNTIF": _counted,
    "LARGE": lambda cells, rank: sorted(_numbers(cells), reverse=True)[int(rank) - 1],
    "SMALL": lambda cells, rank: sorted(_numbers(cells))[int(rank) - 1],
    "LEN": lambda value: float(len(_text(value))),
    "LEFT": lambda value, count=1.0: _text(value)[: int(count)],
    "RIGHT": lambda value, count=1.0: _text(value)[-int(count) :],
    "MID": lambda value, start, count: _text(value)[int(start) - 1 : int(start) - 1 + int(count)],
    "UPPER": lambda value: _text(value).upper(),
    "LOWER": lambda value: _text(value).lower(),
    "TRIM": lambda value: " ".join(_text(value).split()),
    "EXACT": lambda one, other: _text(one) == _text(other),
    "WEEKDAY": _weekday,
    "YEAR": lambda value: float(_day(value).year),
    "MONTH": lambda value: float(_day(value).month),
    "DAY": lambda value: float(_day(value).day),
}
