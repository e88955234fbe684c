"""Protects the action space `code` on this side: code is read and never run here, and a mistake of syntax is told before anything is done."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_flows.episodes.agents.action_space import ACTION_SPACES, about, needs
from machines.actions import ACTIONS, RUN_CODE, Action, MalformedAction

SPACE = ACTION_SPACES["code"]()


def test_code_is_one_action_and_reading_it_runs_nothing(tmp_path: Path) -> None:
    code = f"open({str(tmp_path / 'planted')!r}, 'w').write('x')\nraise SystemExit"
    assert SPACE.read(code) == [Action(RUN_CODE, {"code": code})] and not list(tmp_path.iterdir())
    assert SPACE.read(SPACE.example)


@pytest.mark.parametrize(
    ("code", "said"),
    [("", "nothing to do"), ("# only words", "nothing to do"), ("if True print(1)", "invalid syntax"), ("x = '", "unterminated"), ("a\0b", "null bytes"), ("(" * 9000, "cannot be read")],
)  # fmt: skip
def test_what_is_no_python_is_malformed(code: str, said: str) -> None:
    with pytest.raises(MalformedAction, match=said):
        SPACE.read(code)


@given(st.text())
def test_any_text_is_read_or_malformed(code: str) -> None:
    try:
        assert [action.name for action in SPACE.read(code)] == [RUN_CODE]
    except MalformedAction as error:
        assert str(error)


def test_a_model_is_told_what_there_is_and_a_machine_has_to_offer_it() -> None:
    told = SPACE.told(["mousepad", "thunar"])
    assert all(f"{name}(" in told for name in ACTIONS if name != "switch_to_app") and "mousepad, thunar" in told and "pyautogui.click(" in told
    assert "1280 x 800" in about(SPACE, (1280, 800)) and "at most 20 seconds" in about(SPACE, (1280, 800))
    assert needs(SPACE) == {RUN_CODE} and needs(ACTION_SPACES["computer"]()) == frozenset()
