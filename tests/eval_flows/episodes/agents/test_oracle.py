"""Protects oracles from hosts that are busy: one look that takes as long as the limit is not the last one, and what may be selected or not is typed over."""

import itertools

import pytest

from eval_flows.episodes.agents import oracle
from eval_flows.episodes.agents.oracle import OracleStuck, planned
from eval_flows.episodes.environment import Observation
from machines.actions import Action
from machines.observation import Element
from tests.eval_flows.episodes.desktops import Screen

BUTTON = Element(1, "push button", "OK", "", None, frozenset({"enabled"}), (0, 0, 9, 9), "Save", "editor")


class SlowScreen:
    """An environment that answers once in a minute, and shows the button from the given look on."""

    def __init__(self, comes_with: float, monkeypatch: pytest.MonkeyPatch) -> None:
        self.desktop = Screen()
        self.looks, minutes = 0, itertools.count(0, 60)
        self._comes_with = comes_with
        monkeypatch.setattr("eval_flows.episodes.agents.oracle.time.monotonic", lambda: float(next(minutes)))
        monkeypatch.setattr("eval_flows.episodes.agents.oracle.time.sleep", lambda _: None)

    @property
    def observation(self) -> Observation:
        return Observation([], [])

    def look(self) -> Observation:
        self.looks += 1
        return Observation([BUTTON] if self.looks >= self._comes_with else [], [])


WAITING = {"wait_for": {"role": "push button", "name": "OK"}}


def test_what_comes_with_a_late_look_has_come(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = SlowScreen(4, monkeypatch)
    planned(screen, WAITING, 12)  # type: ignore[arg-type]
    assert screen.looks == 4


@pytest.mark.parametrize("entry", [WAITING, {"click": {"role": "push button", "name": "OK"}}])
def test_what_never_comes_is_given_up_all_the_same(entry: oracle.Entry, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = SlowScreen(float("inf"), monkeypatch)
    with pytest.raises(OracleStuck, match="push button with name 'OK'"):
        planned(screen, entry, 12)  # type: ignore[arg-type]
    assert screen.looks == 7, "six, and one more after it was seen that nothing works any more"


def test_a_machine_that_still_works_when_the_time_is_over_gets_more(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = SlowScreen(8, monkeypatch)
    screen.desktop.is_still = False
    planned(screen, WAITING, 12)  # type: ignore[arg-type]
    assert screen.looks == 8


def test_a_machine_that_always_works_is_given_up_too(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = SlowScreen(float("inf"), monkeypatch)
    screen.desktop.is_still = False
    with pytest.raises(OracleStuck):
        planned(screen, WAITING, 12)  # type: ignore[arg-type]
    assert screen.looks == 9


def test_typing_over_selects_what_stands_there_first() -> None:
    actions = planned(Screen(), {"write_over": "b.txt"})  # type: ignore[arg-type]
    assert actions == [Action("press", {"key": "ctrl+a"}), Action("write", {"text": "b.txt"})]
