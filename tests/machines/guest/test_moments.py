"""Protects that an observation is of one moment: what changes while the tree is read is read again, and a caret or the pointer is no change."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from PIL import Image, ImageDraw

from machines.guest.frame import Frame
from machines.guest.moments import Moments
from machines.guest.platform import Window

SIZE = (400, 300)
Box = tuple[int, int, int, int]


def picture(*boxes: Box) -> Image.Image:
    made = Image.new("RGB", SIZE, "white")
    for box in boxes:
        ImageDraw.Draw(made).rectangle(box, fill="black")
    return made


class Screen:
    """A platform whose pictures and titles come one after another; the last one stays."""

    def __init__(self, pictures: list[Image.Image], titles: list[str] | None = None, pointer: tuple[int, int] = (390, 290)) -> None:
        self._pictures, self._titles = pictures, titles or ["a"]
        self.pointer = pointer
        self.input = self

    def frame(self) -> Frame:
        return Frame.of(self._pictures.pop(0) if len(self._pictures) > 1 else self._pictures[0])

    def windows(self) -> list[Window]:
        title = self._titles.pop(0) if len(self._titles) > 1 else self._titles[0]
        return [Window(1, title, "c", None, 0, 0, 9, 9, True)]

    def position(self) -> tuple[int, int]:
        return self.pointer


def moments(screen: Any, trees: Callable[[Sequence[Window]], str] | None = None) -> Moments:
    numbers: Iterator[int] = iter(range(1, 100))
    return Moments(screen, trees or (lambda _: f"tree {next(numbers)}"))


def test_a_still_screen_is_read_once() -> None:
    now = moments(Screen([picture()])).now()
    assert (now.tree, now.is_still, now.has_changed) == ("tree 1", True, None)


def test_a_dialog_that_closes_while_the_tree_is_read_is_read_again() -> None:
    open_, closed = picture((50, 50, 200, 200)), picture()
    now = moments(Screen([open_, closed, closed])).now()
    assert now.tree == "tree 2" and now.is_still and now.screen == Frame.of(closed)


def test_what_else_is_asked_for_is_of_the_same_moment_as_the_tree() -> None:
    """The picture without the pointer was taken when it was settled already that nothing had changed."""
    open_, closed = picture((50, 50, 200, 200)), picture()
    screen = Screen([open_, open_, closed, closed, closed, closed])  # before, the picture, after: it closes between the last two
    now = moments(screen).now(lambda: {"screenshot_without_pointer": screen.frame()})
    assert now.is_still and now.more["screenshot_without_pointer"] == now.screen == Frame.of(closed) and now.tree == "tree 2"


def test_windows_are_of_the_same_moment_as_the_tree() -> None:
    now = moments(Screen([picture()], titles=["*notes", "notes", "notes"])).now()
    assert now.tree == "tree 2" and now.windows[0].title == "notes"


def test_what_never_stops_is_told_as_such() -> None:
    films = [picture((0, 0, 10 * number, 100)) for number in range(1, 30)]
    now = moments(Screen(films)).now()
    assert not now.is_still and now.tree == "tree 4"


def test_a_caret_and_the_pointer_are_no_change_while_it_is_read() -> None:
    assert moments(Screen([picture((100, 100, 101, 120)), picture()])).now().tree == "tree 1"
    assert moments(Screen([picture((380, 280, 395, 295)), picture()])).now().tree == "tree 1"


def test_a_change_since_the_last_moment_is_told_also_one_of_the_caret_but_not_of_the_pointer() -> None:
    """An arrow key moves the caret: it did something."""
    screen = Screen([picture()])
    taken = moments(screen)
    taken.now()
    assert taken.now().has_changed is False
    screen._pictures = [picture((100, 100, 101, 120))]
    assert taken.now().has_changed is True
    screen._pictures, screen.pointer = [picture((100, 100, 101, 120), (190, 90, 200, 100))], (195, 95)
    assert taken.now().has_changed is False


def test_a_dialog_that_is_not_drawn_yet_is_a_change() -> None:
    """Found by playing: a dialog stood in the list of windows, and the agent was told that nothing had changed."""
    screen = Screen([picture()])
    taken = moments(screen)
    taken.now()
    screen._titles = ["Export"]
    assert taken.now().has_changed is True and taken.now().has_changed is False


@pytest.fixture
def slow_tree(monkeypatch: pytest.MonkeyPatch) -> Callable[[Sequence[Window]], str]:
    monkeypatch.setattr("machines.guest.moments._SECONDS", 0.0)
    return lambda _: "tree"


def test_a_dialog_that_comes_at_the_end_is_in_the_windows_of_that_moment_and_no_change_later(slow_tree: Callable[[Sequence[Window]], str]) -> None:
    """The tree takes long when a program hangs: nothing can be read again then."""
    screen = Screen([picture(), picture((50, 50, 200, 200))], titles=["Image", "Export"])
    taken = moments(screen, slow_tree)
    first = taken.now()
    assert (first.windows[0].title, first.is_still) == ("Export", False)
    assert taken.now().has_changed is False
