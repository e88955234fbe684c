"""Protects oracles from hosts that are busy: one look that takes as long as the limit is not the last one, and what may be selected or not is typed over.

A line that is left out costs no look and no wait.
"""

import itertools
from dataclasses import replace
from typing import Any, cast

import pytest

from eval_flows.episodes.agents.awaited import Entry, OracleStuck
from eval_flows.episodes.agents.oracle import expanded, lines, parts_of, planned
from eval_flows.episodes.environment import Observation
from eval_flows.episodes.tasks.task import TaskStep
from machines.actions import Action
from machines.observation import Element
from tests.eval_flows.episodes.desktops import OFFERS, Screen

BUTTON = Element(1, "push button", "OK", "", None, frozenset({"enabled"}), (0, 0, 9, 9), "Save", "editor")


class SlowScreen:
    """An environment that answers once in a minute, and shows the button from the given look on."""

    def __init__(self, comes_with: float, monkeypatch: pytest.MonkeyPatch) -> None:
        self.desktop = Screen()
        self.looks, minutes = 0, itertools.count(0, 60)
        self._comes_with = comes_with
        monkeypatch.setattr("eval_flows.episodes.agents.awaited.time.monotonic", lambda: float(next(minutes)))
        monkeypatch.setattr("eval_flows.episodes.agents.awaited.time.sleep", lambda _: None)

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
def test_what_never_comes_is_given_up_all_the_same(entry: Entry, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_a_line_that_is_left_out_is_neither_looked_for_nor_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = SlowScreen(float("inf"), monkeypatch)
    monkeypatch.setattr(screen.desktop, "windows_of", lambda program: [], raising=False)  # and it never gets ready
    monkeypatch.setattr(screen.desktop, "offers", replace(OFFERS, programs={"editor": cast("Any", None)}), raising=False)
    button = {"role": "push button", "name": "OK"}
    oracle: tuple[Entry, ...] = ({"click": button}, {"tick": button}, {"press": "tab"})
    step = TaskStep(task="t", application="", program="editor", setup=(), preload=None, oracle=oracle, check=())
    yielded = list(lines(screen, step))  # type: ignore[arg-type]
    assert [line.words for line in yielded] == ["open editor", *(f"t: {entry}" for entry in oracle)] and screen.looks == 0
    assert yielded[3].actions == [Action("press", {"key": "tab"})]
    with pytest.raises(OracleStuck, match="push button with name 'OK'"):
        _ = yielded[1].actions
    assert [line.is_left_out for line in yielded] == [True, False, True, False]


def test_a_script_of_powershell_is_typed_as_an_agent_may() -> None:
    typed = list(expanded([{"powershell": "one\ntwo\n"}]))
    assert typed[0] == {"press": "super+r"} and {"write": "one\ntwo\n"} in typed
    assert [entry for entry in typed if "wait_for" in entry] == [{"wait_for": {"window": "Run"}}, {"wait_for": {"window": "PowerShell"}}]
    assert typed[-2:] == [{"write": "exit\n"}, {"wait_gone": {"window": "PowerShell"}}], "the next step waits until it has ended"
    assert [words for words, _ in parts_of([{"powershell": "one\ntwo\n"}])] == ["{'powershell': 'one\\ntwo\\n'}"]
