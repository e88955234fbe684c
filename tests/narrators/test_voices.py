"""Protects voices: habits change only the words between values, at their rates, and a careful writer changes nothing."""

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomic_tasks.schema import placeholders
from narrators.styles import read_styles
from narrators.voices import Voice, mannered, with_slips

STYLES = read_styles()
NONE = dict.fromkeys(Voice.model_fields, 0.0)
TEXT = "Could you please move the picture {photo} into \"The Old Folder\" and don't rename the {folder} folder, I'll do that in Excel?"


def voiced(text: str, seed: int = 0, **rates: Any) -> str:
    voice = Voice(**{**NONE, **rates})
    random = Random(seed)
    return with_slips(mannered(text, voice, STYLES, random), voice, STYLES, random)


@given(st.sampled_from(sorted(STYLES.voices)), st.integers(0, 10**9))
def test_values_and_quotations_stay_in_every_voice(name: str, seed: int) -> None:
    voice, random = STYLES.voices[name], Random(seed)
    text = with_slips(mannered(TEXT, voice, STYLES, random), voice, STYLES, random)
    assert placeholders(text) == ["photo", "folder"] and '"The Old Folder"' in text


@pytest.mark.parametrize(
    ("rates", "expected"),
    [
        ({}, TEXT),
        ({"lower_case": 1.0}, 'could you please move the picture {photo} into "The Old Folder" and don\'t rename the {folder} folder, i\'ll do that in excel?'),
        ({"articles_left_out": 1.0}, 'Could you please move picture {photo} into "The Old Folder" and don\'t rename the {folder} folder, I\'ll do that in Excel?'),
        ({"apostrophes_left_out": 1.0}, 'Could you please move the picture {photo} into "The Old Folder" and dont rename the {folder} folder, Ill do that in Excel?'),
        ({"abbreviates": 1.0}, 'Could u pls move the pic {photo} into "The Old Folder" and don\'t rename the {folder} folder, I\'ll do that in Excel?'),
    ],
)  # fmt: skip
def test_each_habit_does_what_it_says(rates: dict[str, Any], expected: str) -> None:
    assert voiced(TEXT, **rates) == expected


def test_an_article_stays_in_a_phrase_that_needs_it() -> None:
    assert voiced("It takes a lot of time to find the file.", articles_left_out=1.0) == "It takes a lot of time to find file."


@given(st.integers(0, 10**9))
def test_every_long_enough_word_can_be_mistyped_behind_its_first_letter(seed: int) -> None:
    before, after = (
        ["please", "rename", "the", "picture", "in", "C:\\pictures", "now"],
        voiced("please rename the picture in C:\\pictures now", seed, mistypes=1.0).split(),
    )
    changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    assert [old for old, _ in changed] == ["please", "rename", "picture"]
    assert all(old[0] == new[0] and abs(len(old) - len(new)) <= 1 for old, new in changed)


def test_code_is_never_mistyped() -> None:
    for code in ("renv::snapshot()", "plot(data)", "C:\\temp\\notes", "www.example.net/page"):
        assert voiced(code, mistypes=1.0) == code


def test_only_a_text_that_asks_somebody_greets_or_thanks() -> None:
    assert voiced("Could you mute it?", greets=1.0, thanks=1.0).endswith(("Thanks!", "Thank you.", "Thanks.", "Thank you!"))
    assert voiced("Could you mute it?", greets=1.0)[:2] in ("Hi", "He")
    assert voiced("Mute the second track.", greets=1.0, thanks=1.0) == "Mute the second track."
    assert voiced("The sound is gone. Mute it.", ends_bare=1.0) == "The sound is gone. Mute it"
