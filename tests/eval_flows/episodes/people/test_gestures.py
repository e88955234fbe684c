"""Protects what is recorded of a person: events of mouse and keyboard become the actions that do the same again."""

import itertools

import pytest

from eval_flows.episodes.agents.replay import recorded
from eval_flows.episodes.people.gestures import Gestures
from eval_flows.episodes.people.rfb import Key, Pointer
from machines.actions import Action, for_guest
from machines.hands import HANDS, for_hands

SCREEN = (1280, 800)
CTRL, SHIFT, ALT, ENTER, LEFT_TAB = 0xFFE3, 0xFFE1, 0xFFE9, 0xFF0D, 0xFE20


def click(x: int, y: int, button: int = 1) -> list[Pointer]:
    return [Pointer(0, x, y), Pointer(button, x, y), Pointer(0, x, y)]


def keys(*symbols: int) -> list[Key]:
    """Keys that go down in this order, and up in the other."""
    return [*(Key(True, one) for one in symbols), *(Key(False, one) for one in reversed(symbols))]


def typed(text: str) -> list[Key]:
    return [key for character in text for key in keys(ord(character))]


def done(*events: Key | Pointer, every: float = 0.05) -> list[Action]:
    """The actions of events that come one after another."""
    gestures, found = Gestures(SCREEN), []
    for number, event in enumerate(events):
        found += gestures.take(event, 100 + number * every)
    return [one.action for one in [*found, *gestures.flushed()]]


def names(*events: Key | Pointer, every: float = 0.05) -> list[str]:
    return [one.name for one in done(*events, every=every)]


def pixels(action: Action) -> tuple[int, int]:
    move = for_guest(action, [], SCREEN)[0]
    return move["x"], move["y"]


@pytest.mark.parametrize(("times", "name"), [(1, "single_click"), (2, "double_click"), (3, "triple_click")])
def test_clicks_at_one_place_are_one_action_at_the_very_pixel(times: int, name: str) -> None:
    (action,) = done(*(event for _ in range(times) for event in click(1277, 3)))
    assert action.name == name and pixels(action) == (1277, 3)


def test_slow_clicks_and_clicks_elsewhere_are_clicks_of_their_own() -> None:
    assert names(*click(5, 5), *click(5, 5), every=0.4) == ["single_click", "single_click"]
    assert names(*click(5, 5), *click(50, 5)) == ["single_click", "single_click"]


def test_every_pixel_comes_back_from_its_share() -> None:
    for x, y in itertools.chain(((x, 0) for x in range(SCREEN[0])), ((0, y) for y in range(SCREEN[1]))):
        (action,) = done(*click(x, y))
        assert pixels(action) == (x, y)


def test_a_click_keeps_the_keys_that_are_held_and_the_other_buttons_their_names() -> None:
    (action,) = done(Key(True, CTRL), Key(True, SHIFT), *click(9, 9))
    assert action.arguments["keys"] == "ctrl+shift"
    assert names(*click(9, 9, button=4)) == ["right_click"] and names(*click(9, 9, button=2)) == ["middle_click"]


def test_a_drag_keeps_its_path_with_its_ends() -> None:
    path = [Pointer(1, x, 100) for x in range(100, 900, 4)]
    (action,) = done(Pointer(0, 100, 100), *path, Pointer(0, 900, 120))
    (told,) = for_hands(action, SCREEN)
    assert action.name == "drag_along" and (told["path"][0], told["path"][-1]) == ((100, 100), (900, 120))


def test_turns_of_the_wheel_in_one_direction_are_one_scroll() -> None:
    (down, up) = done(*click(7, 7, button=16), *click(7, 7, button=16), *click(7, 7, button=8))
    assert (down.arguments["direction"], down.arguments["amount"]) == ("down", 2)
    assert (up.arguments["direction"], up.arguments["amount"]) == ("up", 1)


def test_characters_are_one_text_and_other_keys_end_it() -> None:
    acted = done(*typed("Grüße 1"), *keys(ENTER), *keys(CTRL, ord("s")), *keys(SHIFT, LEFT_TAB))
    assert [str(one) for one in acted] == ["write(text='Grüße 1')", "press(key='enter')", "press(key='ctrl+s')", "press(key='shift+tab')"]


def test_a_capital_is_text_and_shift_alone_is_nothing() -> None:
    assert [str(one) for one in done(*keys(SHIFT, ord("A")), *keys(SHIFT))] == ["write(text='A')"]


def test_alt_alone_is_a_key_but_not_after_a_combination() -> None:
    assert [str(one) for one in done(*keys(ALT))] == ["press(key='alt')"]
    assert [str(one) for one in done(*keys(ALT, ord("f")))] == ["press(key='alt+f')"]
    assert done(*keys(CTRL, ALT)) == []


def test_a_text_is_over_after_a_while_and_not_before() -> None:
    gestures = Gestures(SCREEN)
    for event in typed("ab"):
        assert gestures.take(event, 10.0) == []
    assert gestures.due(10.5) == []
    (one,) = gestures.due(12.0)
    assert (str(one.action), one.began) == ("write(text='ab')", 10.0)


def test_a_rest_of_the_pointer_counts_before_a_click_elsewhere_since_menus_open_there() -> None:
    assert names(Pointer(0, 300, 300), *click(500, 500), every=0.6)[0] == "move_abs"
    assert names(Pointer(0, 300, 300), *click(500, 500), every=0.05)[0] == "single_click"


def test_what_is_recorded_reads_back_and_is_understood_by_a_machine() -> None:
    moves = [Pointer(0, 10, 10), Pointer(1, 10, 10), Pointer(1, 60, 60), Pointer(0, 90, 90)]
    for action in done(*click(3, 4), *moves, *typed('it\'s "so"'), *keys(CTRL, ord("+")), *click(3, 4, button=16), *click(3, 4, button=2)):
        assert recorded(str(action)) == action
        assert for_hands(action, SCREEN) if action.name in HANDS else for_guest(action, [], SCREEN)


@pytest.mark.parametrize("text", ["open('x')[0]", "write('a')", "1", "a.b(text='x')"])
def test_what_is_no_record_of_an_action_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="recorded action"):
        recorded(text)
