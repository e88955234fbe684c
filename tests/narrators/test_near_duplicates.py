"""Protects near-duplicates: the fast way finds exactly what comparing all pairs finds."""

from hypothesis import given
from hypothesis import strategies as st

from narrators.near_duplicates import NearDuplicates, trigrams

words = st.lists(st.sampled_from(["open", "the", "big", "file", "now", "please", "sum"]), min_size=1, max_size=30).map(" ".join)


@given(st.lists(words, max_size=30))
def test_equal_to_comparing_all_pairs(texts: list[str]) -> None:
    finder = NearDuplicates()
    kept: list[frozenset[tuple[str, ...]]] = []
    for text in texts:
        grams = trigrams(text)
        near = any(len(grams & other) / len(grams | other) >= 0.9 for other in kept)
        assert finder.add(text) is not near
        if not near:
            kept.append(grams)


def test_case_and_punctuation_do_not_matter() -> None:
    finder = NearDuplicates()
    assert finder.add("Open the big file, please.")
    assert not finder.add("open the big file please")
