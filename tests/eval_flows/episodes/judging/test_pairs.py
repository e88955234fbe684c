"""Protects the blindness of pairs: sides and order are drawn for each judge, stay the same, and nothing that a page shows names a run."""

from collections import Counter
from pathlib import Path

import pytest

from atomic_tasks.problems import BadInput
from eval_flows.episodes.judging.compare import Comparing
from eval_flows.episodes.judging.failures import failures_of
from eval_flows.episodes.judging.label import Labelling
from eval_flows.episodes.judging.pairs import in_order, pairs_of
from eval_flows.episodes.judging.results import read_run
from tests.eval_flows.episodes.judging.played import play
from warehouse.layout import DataFolder

NAMES = [f"e{number}" for number in range(40)]


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path)


def test_sides_and_order_are_drawn_for_each_judge_and_stay(data: DataFolder) -> None:
    runs = [play(data, name, dict.fromkeys(NAMES, 1.0), steps=1) for name in ("human", "agent")]
    pairs, again = pairs_of(runs), pairs_of(list(reversed(runs)))
    assert [pair.pair_id for pair in pairs] == [pair.pair_id for pair in again], "a pair is the same however it was asked for"
    lefts = Counter(pair.sides(judge)[0].run_id for pair in pairs for judge in ("ada", "bob"))
    assert min(lefts.values()) >= 25 and sum(lefts.values()) == 80
    assert any(pair.sides("ada")[0] is not pair.sides("bob")[0] for pair in pairs)
    orders = [[pair.pair_id for pair in in_order(pairs, judge)] for judge in ("ada", "ada", "bob")]
    assert orders[0] == orders[1] != orders[2] and sorted(orders[0]) == sorted(orders[2])


def test_what_a_page_gets_names_no_run(data: DataFolder) -> None:
    work = Comparing(pairs_of([play(data, name, {"e1": 1.0}) for name in ("human", "agent")]), data)
    [listed] = work.items("ada")
    told = f"{listed} {work.page(listed.item, 'ada')}"
    assert not any(word in told for word in ("human", "agent", "person", "model"))
    labelled = Labelling(failures_of([play(data, "other", {"e1": 0.0})]), data)
    assert [one.item for one in labelled.items("ada")] == ["1"]


def test_only_what_both_played_is_a_pair_and_levels_are_chosen(data: DataFolder) -> None:
    runs = [
        play(data, "human", {"e1": 1.0, "e2": 1.0}),
        play(data, "agent", {"e2": 0.0, "e3": 1.0}),
        play(data, "other", {"e1": 0.0, "e2": 0.0}, level="L4"),
    ]
    assert [(pair.a.run_id, pair.b.run_id, pair.a.key[0]) for pair in pairs_of(runs)] == [
        ("agent", "human", "e2"), ("agent", "other", "e2"), ("human", "other", "e1"), ("human", "other", "e2"),
    ]  # fmt: skip
    with pytest.raises(BadInput, match="no episode of level L4 was played to its end in two"):
        pairs_of(runs[:2], ["L4"])
    with pytest.raises(BadInput, match="two runs or more"):
        pairs_of(runs[:1])
    with pytest.raises(BadInput, match="there is no run 'nonesuch'"):
        read_run("nonesuch", data)


def test_failures_are_what_did_not_succeed(data: DataFolder) -> None:
    assert list(failures_of([play(data, "agent", {"e1": 1.0, "e2": 0.0, "e3": 0.5})])) == ["agent_e2_1", "agent_e3_1"]
    with pytest.raises(BadInput, match="every episode that was played in human succeeded"):
        failures_of([play(data, "human", {"e1": 1.0})])
