"""Protects how texts are compared: line by line, with their line endings, without what a task may change."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_flows.episodes.environment.side_effects.parts import differences
from eval_flows.episodes.environment.side_effects.texts import of_text
from tests.eval_flows.episodes.environment.homes import Json, told


@pytest.mark.parametrize(
    ("before", "after", "free", "wanted"),
    [
        ("a\nb\nc\n", "a\nb\nc", {}, []),
        ("a\nb\nc\n", "a\nB\nc\n", {}, ['line 2 changed from "b" to "B"']),
        ("a\nb\nc\n", "a\nB\nc\n", {"lines": ["b"]}, []),
        ("a\nb\nc\n", "a\nc\n", {}, ['line 2 deleted: "b"']),
        ("a\nb\nc\n", "b\na\nc\n", {"lines": ["b"]}, []),
        ("a\nb\nc\n", "b\nc\na\n", {"lines": ["b"]}, ['line 2 added: "c"', 'line 3 deleted: "c"']),
        ("a\nb\n", "a\n\nb\n\n", {}, []),
        ("a\nb\n", "a\nb\nnew\n", {"end": True}, []),
        ("a\nb\n", "new\na\nb\n", {"end": True}, ['line 1 added: "new"']),
        ("a\nb\n", "a\r\nb\r\n", {}, ['line endings changed from "LF" to "CR LF"']),
        ("a\nb\n", "a\r\nb\r\n", {"line_endings": True}, []),
        ("a \n", "a\n", {}, ['line 1 changed from "a " to "a"']),
    ],
)
def test_a_text_is_compared_line_by_line(before: str, after: str, free: Json, wanted: list[str]) -> None:
    found = told({"note.txt": before.encode()}, {"note.txt": after.encode()}, {"text": {"path": "note.txt", **free}})
    assert found == [f"note.txt: {one}" for one in wanted]


@given(st.lists(st.text("abc", max_size=3), max_size=8), st.lists(st.text("abc", max_size=3), max_size=8))
def test_texts_that_differ_beyond_what_is_free_differ_in_words_and_others_do_not(before: list[str], after: list[str]) -> None:
    def kept(lines: list[str]) -> list[str]:
        return [line for line in lines if line and "a" not in line]

    parts = [of_text("\n".join(lines).encode(), [{"lines": ["a"]}]) for lines in (before, after)]
    assert bool(list(differences(parts[0], parts[1]))) == (kept(before) != kept(after))
