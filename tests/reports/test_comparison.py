"""Protects the statistics of a comparison: figures as statsmodels and by hand, and intervals that are honest or said to be lacking."""

from collections.abc import Sequence
from dataclasses import asdict, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from statsmodels.stats.contingency_tables import mcnemar

from reports.comparison import PairedDifference, clustered_mcnemar, holm, paired_difference
from warehouse.query import rendered

Cell = tuple[int, int, int, int]
SINGLES: list[Cell] = [(1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)]
CELLS = st.tuples(*[st.integers(0, 4)] * 4).filter(lambda cell: sum(cell) > 0)
COMPOSITIONS = st.lists(CELLS, min_size=1, max_size=25)


def difference_of(cells: Sequence[Cell]) -> PairedDifference:
    """The difference from one (both, only A, only B, neither) for each composition."""
    table = np.array(cells, dtype=np.int64)
    return paired_difference(table.sum(axis=1), table[:, 0], table[:, 1], table[:, 2])


def mirrored(pair: PairedDifference) -> PairedDifference:
    low, high = pair.difference_low, pair.difference_high
    return replace(
        pair,
        accuracy_a=pair.accuracy_b,
        accuracy_b=pair.accuracy_a,
        difference=-pair.difference,
        difference_low=None if high is None else -high,
        difference_high=None if low is None else -low,
        only_a_right=pair.only_b_right,
        only_b_right=pair.only_a_right,
    )


def test_a_small_case_is_as_computed_by_hand() -> None:
    pair = difference_of([(1, 2, 0, 0), (0, 1, 0, 1), (1, 0, 1, 0), (2, 0, 0, 1)])  # d = 2, 1, -1, 0 over 3, 2, 2, 3 tasks
    assert (pair.tasks, pair.compositions, pair.only_a_right, pair.only_b_right) == (10, 4, 3, 1)
    assert (pair.accuracy_a, pair.accuracy_b, pair.difference) == (0.7, 0.5, 0.2)
    assert pair.p_exact == pytest.approx(2 * (1 + 4) / 2**4)
    assert pair.p_clustered == pytest.approx(0.4142162)  # 2^2 / (4 + 1 + 1) = 0.6667 against chi-squared with 1 degree of freedom
    # residuals 1.4, 0.6, -1.4, -0.6: sqrt(4/3 * 4.64) / 10 = 0.248730
    assert pair.smallest_difference == pytest.approx((1.959964 + 0.841621) * 0.248730, abs=1e-5)
    assert pair.p_holm == pair.p_clustered and pair.note is None


@pytest.mark.parametrize("cell", [(40, 12, 5, 3), (0, 9, 9, 2), (7, 0, 6, 0), (3, 30, 1, 80)])
def test_tests_of_single_tasks_equal_statsmodels(cell: Cell) -> None:
    both, only_a, only_b, neither = cell
    pair = difference_of([single for single, times in zip(SINGLES, cell, strict=True) for _ in range(times)])
    table = [[both, only_a], [only_b, neither]]
    assert pair.p_exact == pytest.approx(mcnemar(table, exact=True).pvalue)
    assert pair.p_clustered == pytest.approx(mcnemar(table, exact=False, correction=False).pvalue)


@given(COMPOSITIONS)
@settings(deadline=None, max_examples=60)
def test_b_against_a_mirrors_a_against_b(cells: list[Cell]) -> None:
    turned = asdict(difference_of([(both, only_b, only_a, neither) for both, only_a, only_b, neither in cells]))
    for name, value in asdict(mirrored(difference_of(cells))).items():
        assert turned[name] == (pytest.approx(value, abs=1e-12) if isinstance(value, float) else value), name


@given(COMPOSITIONS)
@settings(deadline=None, max_examples=60)
def test_an_interval_is_given_or_its_lack_is_said(cells: list[Cell]) -> None:
    pair = difference_of(cells)
    unsure = [pair.difference_low is None, pair.difference_high is None, pair.smallest_difference is None]
    assert unsure == [pair.note is not None] * 3
    if pair.note is None:
        assert pair.difference_low is not None and pair.difference_high is not None
        assert -1 <= pair.difference_low <= pair.difference_high <= 1


@given(st.lists(st.integers(-3, 3), min_size=2, max_size=30))
def test_whole_compositions_that_repeat_count_once(differences: list[int]) -> None:
    """Telling every task of a composition several times over must not make a difference look surer."""
    once = np.array(differences, dtype=np.int64)
    assert clustered_mcnemar(once * 5) == pytest.approx(clustered_mcnemar(once))


def test_same_answers_are_no_difference_without_a_made_up_interval() -> None:
    pair = difference_of([(2, 0, 0, 1), (1, 0, 0, 0)])
    assert (pair.difference, pair.p_exact, pair.p_clustered, pair.p_holm) == (0, 1, 1, 1)
    assert (pair.difference_low, pair.difference_high, pair.smallest_difference) == (None, None, None)
    assert pair.note and "exactly the same tasks" in pair.note


def test_one_composition_says_nothing_of_sureness() -> None:
    pair = difference_of([(2, 5, 1, 1)])
    assert (pair.difference_low, pair.difference_high, pair.p_clustered, pair.p_holm, pair.smallest_difference) == (None,) * 5
    assert pair.note and "one composition" in pair.note and pair.p_exact == pytest.approx(0.21875)


def test_a_difference_that_never_varies_is_said() -> None:
    pair = difference_of([(0, 2, 0, 0), (0, 1, 0, 0), (0, 3, 0, 0)])
    assert pair.difference == 1 and pair.difference_low is None and pair.note and "the same in every composition" in pair.note
    level = difference_of([(0, 1, 1, 0), (2, 1, 1, 1)])  # different answers that are level in every composition
    assert (level.difference, level.p_clustered, level.smallest_difference) == (0, 1, None)
    assert level.note and "the same in every composition" in level.note


def simulated(generator: np.random.Generator, compositions: int) -> list[Cell]:
    """A and B each find a composition easy or hard, by the same chance, and nearly all its tasks (1 to 8) with it: truly they do not differ."""
    cells = []
    for size in generator.integers(1, 9, size=compositions):
        a, b = generator.choice([0.05, 0.95], size=2, p=[0.4, 0.6])
        right_a, right_b = generator.random(size) < a, generator.random(size) < b
        cells.append(
            (int((right_a & right_b).sum()), int((right_a & ~right_b).sum()), int((~right_a & right_b).sum()), int((~right_a & ~right_b).sum()))
        )
    return cells


def test_the_interval_and_the_test_keep_their_rates() -> None:
    """Where nothing truly differs, the interval covers 0 in about 95 of 100 samples; drawn over tasks it would in about 63."""
    generator = np.random.default_rng(7)
    pairs = [difference_of(simulated(generator, 60)) for _ in range(120)]
    covered = np.mean([pair.difference_low <= 0 <= pair.difference_high for pair in pairs])  # type: ignore[operator]
    clustered = np.mean([pair.p_clustered < 0.05 for pair in pairs])  # type: ignore[operator]
    assert 0.90 <= covered <= 0.99
    assert 0.01 <= clustered <= 0.10
    assert np.mean([pair.p_exact < 0.05 for pair in pairs]) > 0.2, "tasks of a composition hang together, or this simulation shows nothing"
    spread = np.std([pair.difference for pair in pairs])
    assert np.mean([pair.smallest_difference for pair in pairs]) == pytest.approx(2.8016 * spread, rel=0.15)


@given(st.lists(st.integers(0, 100).map(lambda percent: percent / 100), min_size=1, max_size=12))
@settings(deadline=None, max_examples=8)  # statsmodels collects garbage in every call
def test_holm_is_never_below_raw_and_keeps_the_order(p_values: list[float]) -> None:
    adjusted = [p for p in holm(p_values) if p is not None]
    assert len(adjusted) == len(p_values) and all(raw <= new <= 1 for raw, new in zip(p_values, adjusted, strict=True))
    in_order: NDArray[np.float64] = np.array(adjusted)[np.argsort(p_values, kind="stable")]
    assert (np.diff(in_order) >= 0).all()
    assert in_order[0] == pytest.approx(min(1, min(p_values) * len(p_values)))


def test_holm_leaves_out_what_was_not_tested() -> None:
    assert holm([0.01, None, 0.04, 0.03]) == [pytest.approx(0.03), None, pytest.approx(0.06), pytest.approx(0.06)]
    assert holm([None]) == [None]


def test_a_small_p_value_is_not_shown_as_zero() -> None:
    assert [line.strip() for line in rendered(["p"], [[2.5e-7], [0.0], [0.25]], "table").splitlines()[2:5]] == ["2.5e-07", "0.0000", "0.2500"]
