"""Protects Bradley-Terry scores: they are right where a formula gives them, order runs as they were made, and do not depend on sides or on order."""

import itertools
import math
import random

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import example, given, settings
from hypothesis import strategies as st

from warehouse.bradley_terry import Compared, scores, share

NEAR = 1e-6


def drawn(strengths: dict[str, float], comparisons: int, seed: int) -> list[Compared]:
    source = random.Random(seed)
    pairs = itertools.combinations(strengths, 2)
    return [Compared(a, b, sum(source.random() < share(strengths[a] - strengths[b]) for _ in range(comparisons)), comparisons) for a, b in pairs]


@given(wins=st.integers(0, 30), losses=st.integers(0, 30))
@example(wins=1, losses=0)
@settings(max_examples=25)
def test_of_two_runs_the_score_is_the_logit_with_half_a_win_more_for_each(wins: int, losses: int) -> None:
    if wins + losses == 0:
        return
    found = scores([Compared("agent", "person", wins, wins + losses)], "person")["agent"]
    assert found.score == pytest.approx(math.log((wins + 0.5) / (losses + 0.5)), abs=NEAR)
    assert found.low < found.score < found.high
    assert math.isfinite(found.low) and math.isfinite(found.high), "also if one of both won every time"


def test_with_much_data_it_is_the_model_without_a_penalty() -> None:
    compared = drawn({"person": 0.0, "good": -0.5, "bad": -1.5}, 4000, 3)
    design = np.array([[(one.a == name) - (one.b == name) for name in ("bad", "good")] for one in compared], float)
    fitted = sm.GLM(np.array([[one.wins, one.comparisons - one.wins] for one in compared]), design, family=sm.families.Binomial()).fit()
    found = scores(compared, "person")
    for place, name in enumerate(("bad", "good")):
        assert found[name].score == pytest.approx(fitted.params[place], abs=2e-3)
        assert [found[name].low, found[name].high] == pytest.approx(fitted.conf_int()[place], abs=4e-3)


def test_it_recovers_a_known_order_and_the_reference_is_zero() -> None:
    strengths = {"person": 0.0, "good": -1.0, "middling": -2.0, "bad": -3.0}
    for seed in range(2):
        found = scores(drawn(strengths, 150, seed), "person")
        assert sorted(found, key=lambda name: -found[name].score) == list(strengths)
        assert (found["person"].low, found["person"].score, found["person"].high) == (0, 0, 0)


def test_the_interval_holds_the_true_score_about_as_often_as_it_says() -> None:
    strengths = {"person": 0.0, "good": -0.7, "bad": -1.4}
    held = [
        found[name].low <= strengths[name] <= found[name].high
        for seed in range(30)
        for found in [scores(drawn(strengths, 12, seed), "person")]
        for name in ("good", "bad")
    ]
    assert sum(held) / len(held) >= 0.9


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd"), st.sampled_from([0.0, 0.5, 1.0])), max_size=12), st.randoms())
@settings(max_examples=5)
def test_swapped_sides_and_another_order_change_nothing(given_pairs: list[tuple[str, str, float]], source: random.Random) -> None:
    joined = [Compared("a", "b", 1, 2), Compared("b", "c", 1, 2), Compared("c", "d", 1, 2)]
    compared = joined + [Compared(a, b, won, 1) for a, b, won in given_pairs if a != b]
    swapped = [Compared(one.b, one.a, one.comparisons - one.wins, one.comparisons) for one in compared]
    source.shuffle(swapped)
    one, other = scores(compared, "a"), scores(swapped, "a")
    for name in "abcd":
        assert other[name].score == pytest.approx(one[name].score, abs=1e-5)
        assert (other[name].low, other[name].high) == pytest.approx((one[name].low, one[name].high), abs=1e-4)


def test_another_reference_moves_all_scores_by_the_same() -> None:
    compared = drawn({"person": 0.0, "good": -1.0, "bad": -2.0}, 20, 5)
    by_person, by_bad = scores(compared, "person"), scores(compared, "bad")
    moved = {name: by_bad[name].score - by_person[name].score for name in by_person}
    assert moved == pytest.approx(dict.fromkeys(moved, moved["person"]), abs=1e-5)


def test_runs_that_nothing_compares_with_the_reference_are_refused() -> None:
    with pytest.raises(ValueError, match="neither with the reference"):
        scores([Compared("a", "b", 1, 1), Compared("c", "d", 1, 1)], "a")
