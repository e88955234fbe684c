"""Protects the clumsy agent: its mistakes come at the declared rates, from its seed alone, and a higher rate adds mistakes to those of a lower one.

What it leaves out costs no look, and cannot keep it from going on.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from eval_flows.episodes.agents.awaited import OracleStuck
from eval_flows.episodes.agents.choice import AgentChoice
from eval_flows.episodes.agents.clumsy import ClumsyOptions, Mistakes
from eval_flows.episodes.agents.oracle import Line
from eval_flows.episodes.runs.pipeline import EpisodeOptions, evaluate_episodes
from machines.actions import Action
from machines.observation import Element
from tests.conftest import quiet
from tests.eval_flows.episodes.conftest import Listed
from warehouse.layout import DataFolder

LINES = 4_000
UNLIKELY = 1e-6  # of a sample, if the rate is as declared: below it the rate is another one
PINNED = [
    *((0, False), (1, True), (2, False), (3, False), (4, False), (5, True), (6, False), (7, True), (8, False), (9, False)),
    *((10, True), (11, True), (12, True), (13, False), (14, True), (16, False), (17, True), (19, False)),
]  # lines that are done, and which of them go wrong
RATES = st.integers(0, 1000).map(lambda thousandths: thousandths / 1000)


def made(repeat: int = 1, lines: int = LINES, **options: Any) -> list[tuple[int, bool]]:
    """The numbers of the lines that are done, and which of them go wrong."""
    done = Mistakes(ClumsyOptions(**options), "episode", repeat).made(Line(str(number), nowhere) for number in range(lines))
    return [(int(line.words), is_missed) for line, is_missed in done]


def nowhere() -> list[Action]:
    raise OracleStuck("it looked for the elements of a line before it decided to do it")


@given(RATES, RATES, st.integers(0, 50))
def test_mistakes_come_at_their_rates(wrong_clicks: float, skipped_steps: float, seed: int) -> None:
    done = made(wrong_clicks=wrong_clicks, skipped_steps=skipped_steps, seed=seed)
    assert binomtest(LINES - len(done), LINES, skipped_steps).pvalue > UNLIKELY
    if done:
        assert binomtest(sum(missed for _, missed in done), len(done), wrong_clicks).pvalue > UNLIKELY


@given(st.floats(0.05, 0.9))
def test_it_stops_early_at_its_rate(rate: float) -> None:
    lengths = [len(made(repeat, 200, stops_early=rate)) for repeat in range(400)]
    at_once = sum(length == 0 for length in lengths)
    assert binomtest(at_once, len(lengths), rate).pvalue > UNLIKELY
    later = [length for length in lengths if length > 0]
    assert not later or binomtest(sum(length == 1 for length in later), len(later), rate).pvalue > UNLIKELY


@given(RATES, RATES, st.integers(0, 50))
def test_a_higher_rate_adds_mistakes_and_moves_none(one: float, other: float, seed: int) -> None:
    low, high = sorted([one, other])
    fewer, more = ({number for number, missed in made(lines=300, wrong_clicks=rate, seed=seed) if missed} for rate in (low, high))
    assert fewer <= more
    kept, left = ({number for number, _ in made(lines=300, skipped_steps=rate, seed=seed)} for rate in (low, high))
    assert left <= kept
    assert {number for number, missed in made(lines=300, wrong_clicks=low, stops_early=0.01, seed=seed) if missed} <= fewer


def test_the_same_seed_episode_and_repeat_make_the_same_mistakes_and_no_rate_makes_none() -> None:
    rates: dict[str, Any] = {"wrong_clicks": 0.3, "skipped_steps": 0.2, "stops_early": 0.01}
    assert made(**rates) == made(**rates)
    assert len({tuple(made(repeat, seed=seed, **rates)) for repeat in (1, 2) for seed in (0, 1)}) == 4
    assert made(seed=3) == [(number, False) for number in range(LINES)]
    assert made(lines=20, wrong_clicks=0.3, skipped_steps=0.2, seed=7) == PINNED, "a seed makes the same mistakes in every version"


def elements() -> Iterator[Element]:
    for number in range(1, 6):
        yield Element(
            number, "push button", f"b{number}", "", None, frozenset({"focusable", "enabled", "visible", "showing"}), (10 * number, 0, 9, 9), "w", "a"
        )


@given(st.integers(1, 5), st.integers(0, 20), st.booleans())
def test_a_missed_click_goes_to_another_element_and_all_else_stays(number: int, seed: int, is_there: bool) -> None:
    shown = list(elements()) if is_there else []
    actions = [Action("press", {"key": "tab"}), Action("move_id", {"id": number}), Action("single_click", {}), Action("write", {"text": "x"})]
    first, move, *rest = Mistakes(ClumsyOptions(seed=seed), "episode", 1).missed(actions, shown)
    assert [first, *rest] == [actions[0], *actions[2:]]
    assert (move.name == "move_id" and move.arguments["id"] != number) if is_there else move.name == "move_abs"
    hover = [Action("move_id", {"id": number}), Action("press", {"key": "tab"})]
    assert Mistakes(ClumsyOptions(seed=seed), "episode", 1).missed(hover, shown) == hover


@pytest.mark.slow(minutes=1)
def test_without_mistakes_it_is_the_oracle_and_with_all_steps_skipped_it_does_nothing(data: DataFolder, listed: Listed) -> None:
    name = listed("{level: L1, tasks: [mousepad.append_line]}")
    options = EpisodeOptions(workers=1)
    sound, idle = (
        evaluate_episodes(name, AgentChoice("clumsy", options=given), options, data, quiet).rows[0] for given in ({}, {"skipped_steps": 1.0})
    )
    assert (sound["status"], sound["is_success"]) == ("done", True)
    assert (idle["status"], idle["is_success"]) == ("done", False), "it looks for no dialog of a line that it leaves out"
    assert idle["agent"] == "clumsy (skipped_steps=1.0)" and idle["steps"] == 1
