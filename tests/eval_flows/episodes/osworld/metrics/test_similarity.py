"""Likeness is measured as the libraries that the two benchmarks use measure it: their values are pinned here."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_flows.episodes.osworld.metrics.similarity import alike, colour_distance, structural_similarity

_WORDS = st.text("abc", max_size=12)


def _longest_common(one: str, other: str) -> int:
    @cache
    def of(at: int, there: int) -> int:
        if at == len(one) or there == len(other):
            return 0
        return 1 + of(at + 1, there + 1) if one[at] == other[there] else max(of(at + 1, there), of(at, there + 1))

    return of(0, 0)


@given(_WORDS, _WORDS)
def test_texts_are_as_alike_as_their_longest_common_subsequence_is_long(one: str, other: str) -> None:
    assert alike(one, other) == pytest.approx(2 * _longest_common(one, other) / (len(one) + len(other)) if one or other else 1.0)


def test_long_texts_are_compared_as_well() -> None:
    assert alike("ab" * 30_000, "ac" * 30_000) == pytest.approx(0.5, abs=1e-3)


@pytest.mark.parametrize(("shape", "found"), [((20, 31), 0.9774155638883345), ((40, 40, 3), 0.9751991479264771)])
def test_structural_similarity_is_that_of_scikit_image(shape: tuple[int, ...], found: float) -> None:
    """scikit-image 0.26 found these values for the same pictures; the second ones follow the first from one generator."""
    draw = np.random.default_rng(0)
    for each in ((20, 31), (40, 40, 3)):
        one = draw.integers(0, 256, each).astype(np.uint8)
        other = np.clip(one.astype(int) + draw.integers(-30, 30, each), 0, 255)
        if each == shape:
            assert structural_similarity(one.astype(float), other.astype(float)) == pytest.approx(found, abs=1e-9)


def test_pictures_of_other_shapes_have_no_similarity() -> None:
    with pytest.raises(ValueError, match="differ in shape"):
        structural_similarity(np.zeros((9, 9)), np.zeros((9, 8)))


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [((255, 0, 0), (255, 0, 0), 0.0), ((0, 0, 0), (255, 255, 255), 100.0), ((255, 0, 0), (0, 0, 255), 52.88), ((255, 0, 0), (250, 5, 5), 1.2)],
)
def test_colours_are_apart_as_people_see_them(one: tuple[int, int, int], other: tuple[int, int, int], found: float) -> None:
    assert colour_distance(one, other) == pytest.approx(found, abs=0.3)
