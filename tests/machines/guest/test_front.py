"""Protects keys from being lost: it is told when no window has the focus yet, and when a button of a dialog is pressed and has not acted yet."""

import pytest

from machines.guest.on_linux.front import Front, State

EDITOR, DIALOG = State((1,), 1, 1, takes_keys=True), State((1, 2), 2, 2, takes_keys=True)
NOWHERE, EMPTY = State((1,), 0, 0, takes_keys=False), State((), 0, 0, takes_keys=False)


class Clock:
    """A clock that is set."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr("machines.guest.on_linux.front.time", made)
    return made


class Desk:
    """A desktop with a state that is set."""

    def __init__(self) -> None:
        self.now = DIALOG
        self.front = Front(lambda: self.now, lambda: self.now.front if self.now == DIALOG else 0)

    def loses_keys(self, state: State) -> bool:
        self.now = state
        assert self.front.state() == state
        return self.front.is_pending()


def test_between_two_windows_keys_are_lost_but_where_none_gets_the_focus_nobody_waits(clock: Clock) -> None:
    desk = Desk()
    assert not desk.loses_keys(DIALOG)
    assert desk.loses_keys(NOWHERE)
    clock.now += 0.6
    assert not desk.loses_keys(NOWHERE)
    assert not desk.loses_keys(EDITOR)
    assert not desk.loses_keys(EMPTY), "no window, no focus"


def test_a_window_that_handed_the_focus_on_takes_keys_only_when_it_has_done_so_again(clock: Clock) -> None:
    """Found by playing: KiCad lost keys after its dialogs had closed."""
    desk = Desk()
    inside = State((1,), 1, 17, takes_keys=True)
    assert not desk.loses_keys(EDITOR), "it may keep the focus itself"
    assert not desk.loses_keys(inside) and not desk.loses_keys(DIALOG)
    assert desk.loses_keys(EDITOR)
    clock.now += 0.4
    assert desk.loses_keys(EDITOR) and not desk.loses_keys(inside)


def test_after_a_window_has_gone_its_program_has_a_moment_to_find_the_field_for_keys(clock: Clock) -> None:
    desk = Desk()
    assert not desk.loses_keys(EDITOR) and not desk.loses_keys(DIALOG), "one that comes is no reason"
    assert desk.loses_keys(EDITOR)
    clock.now += 0.21
    assert not desk.loses_keys(EDITOR)


@pytest.mark.parametrize(("keys", "presses"), [(["Return"], True), (["space"], True), (["Alt_L", "s"], True), (["Alt_L"], False), (["Control_L", "s"], False), (["a"], False)])  # fmt: skip
def test_a_key_that_may_press_a_button_of_a_dialog_is_waited_for(clock: Clock, keys: list[str], presses: bool) -> None:
    desk = Desk()
    desk.front.before_keys(keys)
    assert desk.loses_keys(DIALOG) == presses
    clock.now += 0.46
    assert not desk.loses_keys(DIALOG)


def test_nobody_waits_once_the_dialog_is_gone_or_where_there_is_none(clock: Clock) -> None:
    desk = Desk()
    desk.front.before_keys(["Return"])
    assert not desk.loses_keys(EDITOR)
    desk.front.before_keys(["Return"])
    assert not desk.loses_keys(EDITOR)
