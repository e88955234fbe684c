"""Formulas of conditional formats give what a spreadsheet gives."""

from typing import Any

import pytest

from eval_flows.episodes.osworld.metrics.formulas import NotKnown, gives

_CELLS = {(1, 1): 5.0, (2, 1): 8.0, (3, 1): "West Side", (1, 2): 45_990.0, (2, 2): None}  # A1, A2, A3; B1 is Saturday 2025-11-29


def _cell(row: int, column: int) -> Any:
    return _CELLS.get((row, column))


@pytest.mark.parametrize(
    ("formula", "found"),
    [
        ("A1>4", True),
        ("A1+2*A2=21", True),
        ("-A1^2", 25.0),  # spreadsheets bind the sign first
        ("50%*A2", 4.0),
        ('A3&"!"', "West Side!"),
        ('A3="west side"', True),
        ("AND(A1<A2,NOT(ISBLANK(A1)))", True),
        ("OR(WEEKDAY(B1)=1,WEEKDAY(B1)=7)", True),
        ("WEEKDAY(B1,2)>5", True),
        ("MONTH(B1)", 11.0),
        ("ISBLANK(B2)", True),
        ("MOD(A2,3)", 2.0),
        ("SUM($A$1:$A$3)", 13.0),
        ("AVERAGE(A1:A2)", 6.5),
        ("A1=MAX($A$1:$A$2)", False),
        ('COUNTIF($A$1:$A$2,">5")', 1.0),
        ("COUNTIF($A$1:$A$2,A1)", 1.0),
        ('LEFT(A3,4)="WEST"', True),
        ("IF(A1>A2,1,2)", 2.0),
        ("LEN(A3)<>9", False),
        ("ISNUMBER(A3)", False),
        ('IF(TRUE,"a""b")', 'a"b'),
    ],
)
def test_a_formula_gives_its_value(formula: str, found: Any) -> None:
    assert gives(formula, "A1", "A1", _cell) == found


def test_places_move_with_the_cell_unless_they_are_fixed() -> None:
    assert gives("A1>$A$1", "A1", "A2", _cell) is True
    assert gives("A1>$A$1", "A1", "A1", _cell) is False


@pytest.mark.parametrize("formula", ["BAHTTEXT(A1)", "Other!A1>1", "A1>", "(A1", "A:A", "name+1", "1 2"])
def test_what_is_not_known_is_said(formula: str) -> None:
    with pytest.raises(NotKnown):
        gives(formula, "A1", "A1", _cell)
