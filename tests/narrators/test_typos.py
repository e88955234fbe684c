"""Protects typos: one ordinary word changes, and nothing else ever does."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from narrators.styles import read_styles
from narrators.typos import with_typo

WORDS = read_styles().may_be_mistyped
TEXT = 'Could you move {workbook} from "over there" into C:\\other\\that and please run regedit 2024 before noon?'


@given(st.integers(0, 10**9))
def test_one_ordinary_word_is_mistyped_and_the_rest_stays(seed: int) -> None:
    before, after = TEXT.split(" "), with_typo(TEXT, WORDS, Random(seed)).split(" ")
    changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    assert len(changed) == 1 and changed[0][0] in WORDS
    assert changed[0][0][0] == changed[0][1][0] and abs(len(changed[0][0]) - len(changed[0][1])) <= 1


def test_a_text_without_an_ordinary_word_stays() -> None:
    assert with_typo("Defragment {drive}", WORDS, Random(0)) == "Defragment {drive}"
