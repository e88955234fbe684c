"""Protects the metrics: what holds and what does not, and that nothing but `is` is met by what is not there."""

import math
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from eval_flows.episodes.checkers.arithmetic import outcome
from eval_flows.episodes.checkers.checker import known
from eval_flows.episodes.checkers.metrics import same

METRICS = known().checkers.metrics


@pytest.mark.parametrize(
    ("metric", "got", "expected", "holds"),
    [
        ("is", "12.50", 12.5, True),
        ("is", "1,234", 1234, True),
        ("is", 0.1 + 0.2, 0.3, True),
        ("is", "12.51", 12.5, False),
        ("is", True, "true", True),
        ("is", True, 1, False),
        ("is", None, "", False),
        ("is", None, None, True),
        ("is", ["a", "2"], ["a", 2.0], True),
        ("is", ["a"], ["a", "b"], False),
        ("is", ["2", "a"], ["a", 2], False),
        ("is_not", "a", "b", True),
        ("is_not", "2.0", 2, False),
        ("contains", "a long text", ["long", "text"], True),
        ("contains", "a long text", ["long", "short"], False),
        ("contains", [["a", 1], 7], "7.0", True),
        ("contains", ["seventy"], "seven", False),
        ("lacks", "a text", ["b", "t"], False),
        ("is", "Nan", "Nan", True),
        ("lacks", "a word", ["b", "x"], True),
        ("lacks", [], "b", True),
        ("matches", "first\nsecond line\n", "^second .*$", True),
        ("matches", "first", "second", False),
        ("begins_with", "hello", "hell", True),
        ("ends_with", "hello", "hell", False),
        ("close_to", "3.145", 3.14, True),
        ("close_to", 3.2, [3.14, 0.1], True),
        ("all_close_to", [1.004, "", 3], [[1, "", 3], 0.01], True),
        ("all_close_to", [1.02, "", 3], [[1, "", 3], 0.01], False),
        ("all_close_to", [1, 3], [[1, "", 3], 0.01], False),
        ("all_close_to", [1, 2, 3], [[1, "", 3], 0.01], False),
        ("all_within", [-45, "120"], [[-45, -30], [90, 120]], True),
        ("all_within", [-45, 121], [[-45, -30], [90, 120]], False),
        ("all_within", [-45, "high"], [[-45, -30], [90, 120]], False),
        ("all_within", [-45], [[-45, -30], [90, 120]], False),
        ("close_to", 3.2, 3.14, False),
        ("close_to", "about 3", 3, False),
        ("comes_to", "0.30000000", "0.1 + 0.2", True),
        ("comes_to", ["", "7", "12"], "3 * 4", True),
        ("comes_to", "D6", "hexadecimal(214)", True),
        ("comes_to", "d7", "hexadecimal(214)", False),
        ("comes_to", "", "0 * 4", False),
        ("at_least", "10", 10, True),
        ("at_least", True, 1, False),
        ("at_most", 11, 10, False),
        ("has_length", [1, 2], 2, True),
        ("has_length", 22, 2, False),
        ("is_sorted", ["b", "a"], "descending", True),
        ("is_sorted", ["10", "9"], "ascending", False),
        ("is_sorted", ["a"], "ascending", False),
        ("goes_up_by", [0, "3", 6.0], "3", True),
        ("goes_up_by", [0, 3, 7], 3, False),
        ("goes_up_by", [0, "x"], 3, False),
        ("goes_up_by", [0], 3, False),
        ("same_as", "x", "x", True),
        ("same_as", "x", "y", False),
    ],
)
def test_what_holds(metric: str, got: Any, expected: Any, holds: bool) -> None:
    assert METRICS[metric](got, expected) is holds


@pytest.mark.parametrize("metric", sorted(set(METRICS) - {"is", "resembles"}))
@pytest.mark.parametrize("expected", ["", "x", "0", [], ["x"], "ascending", None])
def test_what_is_not_there_meets_none(metric: str, expected: Any) -> None:
    if (metric == "close_to" and isinstance(expected, list)) or (metric == "comes_to" and expected != "0"):
        return  # these take a number with a tolerance, and an expression
    if metric == "all_within":
        expected = [[0, 1]]
    if metric == "all_close_to":
        expected = [expected if isinstance(expected, list) else [expected], 0.1]
    assert not METRICS[metric](None, expected)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10), lambda inner: st.lists(inner, max_size=3), max_leaves=5
)


@pytest.mark.parametrize(("metric", "expected"), [("is", "x"), ("contains", ["x", "1"]), ("lacks", "x"), ("close_to", [1, 0.5]), ("comes_to", "2 + 2"), ("at_least", 3), ("is_sorted", "ascending"), ("goes_up_by", 2), ("has_length", 2), ("matches", "a"), ("all_within", [[0, 1]]), ("cells_like", [[1, "x"]]), ("share_matching", "a")])  # fmt: skip
@given(got=VALUES)
def test_whatever_was_got_there_is_an_answer(metric: str, expected: Any, got: Any) -> None:
    assert 0 <= METRICS[metric](got, expected) <= 1


@given(VALUES)
def test_equal_values_are_the_same_and_lists_in_another_order_are_not(value: Any) -> None:
    assume(not any(isinstance(one, float) and math.isnan(one) for one in _leaves(value)))
    assert same(value, value)
    assert not same([value, "other"], ["other", value]) or same(value, "other")


def _leaves(value: Any) -> list[Any]:
    return [leaf for part in value for leaf in _leaves(part)] if isinstance(value, list) else [value]


@given(st.lists(st.integers(), min_size=2))
def test_sorted_values_are_sorted_and_one_out_of_place_is_seen(values: list[int]) -> None:
    ordered = sorted(values)
    assert METRICS["is_sorted"](ordered, "ascending") and METRICS["is_sorted"](ordered[::-1], "descending")
    assert METRICS["is_sorted"](list(map(str, values)), "ascending") == (values == ordered)


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        ("2 + 3 * 4", 14), ("-log10(0.001)", 3), ("17 % 5", 2), ("2 ** 10", 1024), ("200 ^ 77", 133), ("sqrt(2)", math.sqrt(2)),
        ("sin(radians(90))", 1), ("round(2.675, 1)", 2.7), ("factorial(5)", 120), ("binary(5)", "101"), ("octal(8)", "10"), ("hexadecimal(2748)", "ABC"),
    ],
)  # fmt: skip
def test_expressions_come_to_numbers_or_digits(expression: str, wanted: float | str) -> None:
    assert outcome(expression) == (wanted if isinstance(wanted, str) else pytest.approx(wanted))


@pytest.mark.parametrize("expression", ["__import__('os')", "x", "'a' * 3", "[1]", "9 ** 9 ** 9", "1 << 10**9", "(1).real", "sqrt(x=2)", "lambda: 1"])
def test_expressions_hold_nothing_else(expression: str) -> None:
    with pytest.raises(ValueError):
        outcome(expression)


@given(st.integers(-1000, 1000), st.integers(1, 1000), st.sampled_from(["+", "-", "*", "/", "//", "%"]))
def test_arithmetic_is_that_of_python(one: int, other: int, sign: str) -> None:
    assert outcome(f"{one} {sign} {other}") == pytest.approx(eval(f"{one} {sign} {other}"))
