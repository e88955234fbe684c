"""Protects graded checks: how near a result is to what was asked, from which share on it counts as done, and what it earns."""

import io
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from atomic_tasks.catalog import Catalog
from eval_flows.episodes.checkers.checker import known
from eval_flows.episodes.checkers.checks import Checked
from eval_flows.episodes.checkers.pictures import Whole, resemblance
from eval_flows.episodes.environment import Reward, reward
from eval_flows.episodes.environment.reward import Before
from eval_flows.episodes.environment.side_effects.home import Home
from eval_flows.episodes.tasks.fill import fill
from eval_flows.episodes.tasks.makers.maker import makers
from eval_flows.episodes.tasks.task import Task, TaskStep
from tests.eval_flows.episodes.desktops import desktop
from tests.eval_flows.episodes.states import calc, holds

METRICS = known().checkers.metrics
COLOURS = st.sampled_from(["white", "black", "#c06020", "#2050a0", "#2e8b57"])
CORNERS = st.tuples(*[st.integers(0, 63)] * 4).map(lambda box: [min(box[0], box[2]), min(box[1], box[3]), max(box[0], box[2]), max(box[1], box[3])])
DRAWINGS = st.lists(st.tuples(CORNERS, COLOURS), max_size=4).map(
    lambda shapes: {"size": [64, 48], "shapes": [{"rectangle": box, "colour": colour} for box, colour in shapes]}
)


def drawn(drawing: dict[str, Any]) -> Whole:
    return Whole(Image.open(io.BytesIO(makers().of_files["picture"]({"path": "a.png", **drawing}))))


@pytest.mark.parametrize(
    ("got", "expected", "share"),
    [
        ([1, 2, 3, 4], [1, 2, 3, 4], 1),
        ([1, 2, 9, None], [1, 2, 3, 4], 0.5),
        ([1, 2], [1, 2, 3, 4], 0.5),
        ([1, 2, 3, 4, 5], [1, 2, 3, 4], 0.8),
        ([["a", 1], ["b", "2.0"]], [["a", 1], ["b", 2]], 1),
        ([["a", 1], ["b", 3]], [["a", 1], ["b", 2]], 0.75),
        ([["a", 1, "x"]], [["a", 1], ["b", 2]], 0.4),
        ([], [1], 0),
        ("12", [1, 2], 0),
    ],
)
def test_cells_are_right_each_in_its_place(got: Any, expected: Any, share: float) -> None:
    assert METRICS["cells_like"](got, expected) == pytest.approx(share)


def test_values_that_match_are_counted() -> None:
    assert [METRICS["share_matching"](got, "^=") for got in (["=A1", "=B1"], ["=A1", ""], ["", "x"], [], None, "=A1")] == [1, 0.5, 0, 0, 0, 0]


@settings(max_examples=40, deadline=None)
@given(DRAWINGS, DRAWINGS)
def test_a_picture_looks_like_itself_and_like_another_one_in_part_whichever_way_round(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert resemblance(drawn(one), one) == pytest.approx(1)
    share = resemblance(drawn(one), other)
    assert 0 <= share <= 1 and share == pytest.approx(resemblance(drawn(other), one))


def test_the_more_differs_the_less_two_pictures_look_alike() -> None:
    wanted: dict[str, Any] = {"size": [480, 360], "shapes": [{"rectangle": [160, 120, 319, 239], "colour": "#2e8b57"}]}
    shares = [
        resemblance(drawn({"size": [480, 360], "shapes": [*wanted["shapes"], {"rectangle": [0, 0, side, side], "colour": "black"}]}), wanted)
        for side in (0, 8, 80, 300)
    ]
    assert shares == sorted(shares, reverse=True) and len(set(shares)) == 4 and shares[0] > 0.99 > shares[2]
    assert resemblance(drawn({"size": [480, 361]}), wanted) == resemblance(None, wanted) == 0


def test_another_colour_of_an_area_stays_below_the_threshold(catalog: Catalog) -> None:
    """Two colours that differed in red and blue alone were told apart by the ninth part of a threshold."""
    (entry,) = catalog.tasks["gimp_linux.recolour_area"].check
    colours = ["2e8b57", "6a1b9a", "00838f", "d81b60", "c06020"]
    pictures = {colour: fill(entry["resembles"], {"new_colour": colour}) for colour in colours}
    shares = {(one, other): resemblance(drawn(pictures[one]), pictures[other]) for one in colours for other in colours if one != other}
    assert max(shares.values()) < entry["threshold"] - 0.01, shares


def checked(share: float, threshold: float | None = None) -> Checked:
    return Checked({"text": "a", "is": "b"} | ({"threshold": threshold} if threshold else {}), "", share)


@pytest.mark.parametrize(
    ("found", "damage", "ended", "value", "is_success"),
    [
        ([checked(1), checked(0.97, 0.95)], [], "DONE", 0.97, True),
        ([checked(1), checked(0.9, 0.95)], [], "DONE", 0.9, False),
        ([checked(0), checked(0.97, 0.95)], [], "DONE", 0.0, False),
        ([checked(1), checked(0.97, 0.95)], ["old.txt deleted"], "DONE", 0.0, False),
        ([checked(1), checked(0.97, 0.95)], [], "FAIL", 0.0, False),
        ([checked(1)], [], None, 1.0, True),
    ],
)
def test_a_task_is_done_when_every_share_reaches_its_threshold(
    found: list[Checked], damage: list[str], ended: Any, value: float, is_success: bool
) -> None:
    made = Reward(min(one.share for one in found), found, damage, False, ended)
    assert (made.value, made.is_success) == (value, is_success)


def test_the_lowest_share_counts_and_the_third_level_takes_the_mean_of_its_phases() -> None:
    def step(application: str, path: str) -> TaskStep:
        check = ({"lines": path, "cells_like": ["a", "b", "c", "d"], "threshold": 0.75},)
        return TaskStep(task="t", application=application, program=application, setup=(), preload=None, oracle=(), check=check)

    machine = desktop({"one.txt": b"a\nb\nc\nx\n", "two.txt": b"a\nb\nx\nx\n"})
    for level, value in (("L1", 0.5), ("L2", 0.5), ("L3", 0.625)):
        task = Task(level=level, discipline="", instruction="", values={}, steps=(step("editor", "one.txt"), step("sheet", "two.txt")))
        made = reward.rewarded(machine, task, Before({}, Home({})), seconds=0)
        assert (made.value, [one.holds for one in made.checked], made.is_success) == (value, [True, False], False)


@pytest.mark.parametrize(
    "task", ["gimp_linux.invert_colours", "gimp_linux.recolour_area", "libreoffice_calc.multiply_columns", "libreoffice_calc.label_overspending"]
)
def test_doing_nothing_stays_below_the_threshold_of_every_graded_task(task: str, catalog: Catalog) -> None:
    graded = [entry for entry in catalog.tasks[task].check if "threshold" in entry]
    assert graded and not holds(catalog, task, lambda state: None)


def test_a_half_filled_column_is_not_done(catalog: Catalog) -> None:
    def fill(last: int) -> Any:
        return calc(lambda workbook, _: [workbook["Sales"].__setitem__(f"F{row}", f"=D{row}*E{row}") for row in range(2, last + 1)])

    assert not holds(catalog, "libreoffice_calc.multiply_columns", fill(7))
