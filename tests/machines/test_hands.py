"""Protects what hands do beyond Table 8: places and keys reach the guest as they were meant, and what cannot be is told to the agent."""

import pytest

from machines.actions import Action, MalformedAction, for_guest
from machines.guest.paths import in_steps
from machines.hands import drag_along, for_hands, hold_key
from machines.observation import read_elements
from machines.sandbox import Sandbox

SCREEN = (1280, 800)


def test_places_become_pixels_and_keys_are_held() -> None:
    assert for_hands(drag_along([(0, 0), (0.5, 0.5), (1, 1)], "ctrl+shift"), SCREEN) == [
        {"name": "drag_along", "path": [(0, 0), (640, 400), (1279, 799)], "keys": "ctrl+shift"}
    ]
    assert for_hands(Action("middle_click", {"x": 1, "y": 0, "keys": "alt"}), SCREEN) == [
        {"name": "move", "x": 1279, "y": 0},
        {"name": "middle_click", "keys": "alt"},
    ]
    assert for_hands(Action("middle_click", {}), SCREEN) == [{"name": "middle_click"}] and for_hands(Action("mouse_up", {}), SCREEN) == [
        {"name": "mouse_up"}
    ]
    assert for_hands(hold_key("w", 2), SCREEN) == [{"name": "hold_key", "combination": "w", "seconds": 2}]
    scrolled = Action("scroll", {"direction": "down", "amount": 2, "keys": "ctrl"})
    assert for_guest(scrolled, [], SCREEN) == [{"name": "scroll", "direction": "down", "clicks": 2, "keys": "ctrl"}]


@pytest.mark.parametrize(
    ("action", "said"),
    [
        (drag_along([]), "a path has 1 to 100 places, not 0"),
        (drag_along([(0.1, 0.1)] * 101), "not 101"),
        (drag_along([(0.1, 1.1)]), "not on the screen"),
        (drag_along([(0.1, 0.1)], "super"), "cannot be held at a click"),
        (hold_key("w", 11), "at most 10 seconds, not 11"),
        (hold_key("w", 0), "not 0"),
        (hold_key("nokey", 1), "is no key"),
    ],
)
def test_what_hands_cannot_do_is_said(action: Action, said: str) -> None:
    with pytest.raises(MalformedAction, match=said):
        for_hands(action, SCREEN)


def test_a_path_is_gone_in_steps_through_each_of_its_places() -> None:
    straight, bent = list(in_steps([(0, 0), (120, 60)])), list(in_steps([(0, 0), (60, 0), (60, 60)]))
    assert len(straight) == 12 and straight[0] == (10, 5) and straight[-1] == (120, 60)
    assert len(bent) == 12 and (60, 0) in bent and bent[-1] == (60, 60)
    assert list(in_steps([(5, 5)])) == [] and len(list(in_steps([(0, 0)] * 50))) == 49


def copied(machine: Sandbox) -> str:
    """The text of the editor in front."""
    for key in ("ctrl+a", "ctrl+c", "ctrl+end"):
        machine.client.act({"name": "press", "combination": key})
        machine.client.settle(0.3)  # nothing on the screen tells that the clipboard has another owner
    return machine.client.observe(["clipboard"]).clipboard or ""


def test_hands_select_hold_and_paste_in_a_real_editor(machine: Sandbox) -> None:
    client = machine.client
    client.launch(["mousepad"])
    for _ in range(100):
        client.settle(0.3)
        tree = client.observe(["tree"]).tree
        if texts := [element for element in read_elements(tree or "", machine.offers.screen) if element.role == "text"]:
            break
    left, top, width, _ = texts[0].box
    line = top + 8
    client.act({"name": "write", "text": "one two three"})
    client.act({"name": "drag_along", "path": [[left + 1, line], [left + width // 2, line], [left + width - 20, line]]})
    client.act({"name": "press", "combination": "ctrl+c"})
    client.settle()
    assert client.observe(["clipboard"]).clipboard == "one two three" and tuple(client.state()["cursor"]) == (left + width - 20, line)
    client.act({"name": "press", "combination": "delete"})
    client.act({"name": "write", "text": "four\n"})
    # from the right: a second press where the first one was would be a double click on a fast host
    client.act({"name": "move", "x": left + width - 20, "y": line})
    client.act({"name": "mouse_down"})
    client.act({"name": "move", "x": left + 1, "y": line})
    client.act({"name": "mouse_up"})
    client.settle()
    client.act({"name": "press", "combination": "ctrl+c"})
    client.settle()
    assert (client.observe(["clipboard"]).clipboard or "").split() == ["four"], "the button selected the text"
    client.act({"name": "move", "x": left + width // 2, "y": line + 100})
    client.act({"name": "middle_click"})
    client.settle()
    assert "".join(copied(machine).split()) == "fourfour", "the middle button pasted what was selected"
    client.act({"name": "hold_key", "combination": "shift+x", "seconds": 0.05})
    client.act({"name": "scroll", "direction": "down", "keys": "ctrl"})
    client.act({"name": "write", "text": "y"})
    client.settle()
    assert "".join(copied(machine).split()) == "fourfourXy", "nothing stays down"
