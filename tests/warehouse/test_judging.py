"""Protects what follows from judgements, labels and interventions: counts by hand, agreement by another library, people and models never mixed."""

import json
import random
from pathlib import Path
from typing import Any

import krippendorff
import numpy as np
import pytest

from language_models.registry import read_models
from tests.warehouse.episode_rows import FAULT, episode_row, write_run
from tests.warehouse.intervals import interval
from tests.warehouse.judged_rows import intervention_row, judgement_row, label_row, write_lines
from warehouse.errors import WarehouseError
from warehouse.judging import error_kinds
from warehouse.layout import DataFolder
from warehouse.loader import load_warehouse
from warehouse.parquet import write_rows
from warehouse.query import connect, rows_of

Row = dict[str, Any]
PAIR = ("agent", "human")


def asked(data: DataFolder, query: str) -> list[Row]:
    load_warehouse(data)
    with connect(data.warehouse) as connection:
        return rows_of(connection, query)


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path)


def with_people(run: Path, **more: Any) -> None:
    """Say in the file of a run that people took part."""
    path = run / "suite_run.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | more))


def test_scores_count_an_episode_once_whatever_its_judges_repeats_and_orders(data: DataFolder) -> None:
    write_run(data, [episode_row("human", "e1", agent="person")])
    write_run(data, [episode_row("agent", "e1")])
    write_lines(data, "judgements", [
        judgement_row(PAIR, "e1", "human", "ada"), judgement_row(PAIR, "e1", "human", "bob"), judgement_row(PAIR, "e1", "agent", "cy"),
        judgement_row(PAIR, "e1", "human", "ada", repeat=2),
        judgement_row(PAIR, "e2", None, "ada"),
    ])  # fmt: skip
    [agent, human] = asked(data, "from bradley_terry order by run_id")
    assert (human["reference_run_id"], human["score"], human["preferred"]) == ("human", 0, 0.5), "a person's run is the reference"
    assert agent["comparisons"] == 2 and agent["wins"] == pytest.approx(1 / 6 + 1 / 2)
    assert agent["score_low"] < agent["score"] < 0 < agent["score_high"]
    assert agent["preferred_low"] < agent["preferred"] < agent["preferred_high"]


def test_people_and_models_are_apart_and_so_are_runs_that_nothing_joins(data: DataFolder) -> None:
    write_lines(data, "judgements", [
        judgement_row(("a", "b"), "e1", "a"), judgement_row(("c", "d"), "e1", "d"),
        judgement_row(("a", "b"), "e1", "b", "judge-model", judge_kind="model"),
        judgement_row(("b", "a"), "e1", None, "judge-model", judge_kind="model"),
    ])  # fmt: skip
    found = asked(data, "select judge_kind, run_id, reference_run_id, wins from bradley_terry order by all")
    assert [tuple(row.values()) for row in found] == [
        ("model", "a", "a", 0.25), ("model", "b", "a", 0.75),
        ("person", "a", "a", 1), ("person", "b", "a", 0), ("person", "c", "c", 0), ("person", "d", "c", 1),
    ]  # fmt: skip
    [person, model] = asked(data, "from judges")
    assert (person["judge"], person["pairs"], person["judgements"], person["left_share"]) == ("ada", 2, 2, 0.5)
    assert (model["judge"], model["pairs"], model["judgements"], model["tie_share"], model["left_share"]) == ("judge-model", 1, 2, 0.5, 0)


def test_a_later_line_replaces_the_earlier_one_and_a_cut_off_line_does_not_count(data: DataFolder) -> None:
    write_lines(data, "judgements", [judgement_row(PAIR, "e1", "human"), judgement_row(PAIR, "e1", "agent", note="I looked again")])
    with (data.judging / "judgements" / "ada.jsonl").open("a") as file:
        file.write('{"pair_id": "e2", "jud')
    [row] = asked(data, "from judgements")
    assert (row["preferred_run_id"], row["note"]) == ("agent", "I looked again")


def test_a_line_of_another_form_is_named_and_the_old_warehouse_stays(data: DataFolder) -> None:
    load_warehouse(data)
    before = data.warehouse.stat().st_ino
    write_lines(data, "judgements", [judgement_row(PAIR, "e1", "human"), judgement_row(PAIR, "e2", "human", colour="red")])
    with pytest.raises(WarehouseError, match=r"ada\.jsonl, line 2: .*colour"):
        load_warehouse(data)
    assert data.warehouse.stat().st_ino == before


def values(seed: int, judges: int, items: int) -> list[list[str | None]]:
    """What judges say of items: they follow a truth more often than not, and leave some items out."""
    source = random.Random(seed)
    truth = [source.choice("xyz") for _ in range(items)]
    return [[None if source.random() < 0.2 else one if source.random() < 0.6 else source.choice("xyz") for one in truth] for _ in range(judges)]


def alpha(said: list[list[str | None]]) -> float:
    numbered = [[np.nan if one is None else "xyz".index(one) for one in judge] for judge in said]
    return float(krippendorff.alpha(np.array(numbered, float), level_of_measurement="nominal"))


@pytest.mark.parametrize("seed", range(4))
def test_agreement_is_krippendorffs_and_its_interval_the_jackknife(data: DataFolder, seed: int) -> None:
    said = values(seed, 3, 12)
    kinds = dict(zip("xyz", ("planning", "knowledge", "grounding"), strict=True))
    rows = [
        label_row("r", f"e{item}", kinds[one], f"judge {number}", step="xyz".index(one) or None)
        for number, judge in enumerate(said)
        for item, one in enumerate(judge)
        if one
    ]
    choices: dict[str, str | None] = {"x": "agent", "y": "human", "z": None}
    judged = [
        judgement_row(PAIR, f"e{item}", choices[one], f"judge {number}") for number, judge in enumerate(said) for item, one in enumerate(judge) if one
    ]
    write_lines(data, "labels", rows)
    write_lines(data, "judgements", judged)
    found = asked(data, "from judging_agreement")
    assert [row["measure"] for row in found] == ["kind of error", "preference", "step of error"]
    kept = [item for item in range(12) if sum(judge[item] is not None for judge in said) >= 2]
    left_out = [alpha([[one for place, one in enumerate(judge) if place != item] for judge in said]) for item in kept]
    half = (len(kept) - 1) * np.var(left_out)
    for row in found:
        assert row["alpha"] == pytest.approx(alpha(said), abs=1e-9) and row["items"] == len(kept) and row["who"] == 3
        assert -1 <= row["alpha_low"] <= row["alpha"] <= row["alpha_high"] <= 1
        if row["alpha_high"] < 1:
            assert ((row["alpha_high"] - row["alpha"]) / 2.2) ** 2 == pytest.approx(half, rel=0.25), "t of about 11 degrees of freedom is near 2.2"


def test_full_agreement_is_one_and_what_nobody_judged_twice_has_no_row(data: DataFolder) -> None:
    assert asked(data, "from judging_agreement") == []
    write_lines(
        data, "labels", [label_row("r", f"e{n}", kind, who) for n, kind in enumerate(["planning", "grounding"] * 3) for who in ("ada", "bob")]
    )
    write_lines(data, "labels", [label_row("r", "e0", "planning", "a-model", labeller_kind="model")])
    [row, of_steps] = asked(data, "from judging_agreement")
    assert (row["kind"], row["who"], row["items"], row["same"], row["alpha"]) == ("person", 2, 6, 1, 1)
    assert {(one["alpha_low"], one["alpha_high"]) for one in (row, of_steps)} == {(None, None)}, "without any spread there is no interval"
    assert (of_steps["measure"], of_steps["same"], of_steps["alpha"]) == ("step of error", 1, None), (
        "one step for all shows no agreement beyond chance"
    )


def test_shares_of_errors_count_an_episode_once_and_hold_every_kind(data: DataFolder) -> None:
    write_run(data, [episode_row("r", name, reward=0.0, agent="clicker") for name in ("e1", "e2", "e3")])
    write_lines(data, "labels", [
        label_row("r", "e1", "planning", "ada"), label_row("r", "e1", "grounding", "bob"), label_row("r", "e2", "planning", "ada"),
        label_row("r", "e3", "planning", "a-model", labeller_kind="model"),
    ])  # fmt: skip
    found = asked(data, "from error_shares")
    people = {row["kind"]: row for row in found if row["labeller_kind"] == "person"}
    assert list(people) == [one.kind for one in error_kinds()]
    assert [people[kind]["share"] for kind in ("planning", "knowledge", "grounding")] == [0.75, 0, 0.25]
    assert sum(row["share"] for row in people.values()) == pytest.approx(1)
    assert (people["planning"]["labelled"], people["planning"]["errors"], people["planning"]["agent"]) == (2, 1.5, "clicker")
    assert all(0 <= row["share_low"] <= row["share"] <= row["share_high"] <= 1 for row in found)
    assert {row["kind"]: row["share"] for row in found if row["labeller_kind"] == "model"}["planning"] == 1


def test_marks_are_means_of_each_run(data: DataFolder) -> None:
    marks = [{"criterion": "It is readable.", "mark_a": 1.0, "mark_b": 0.5}, {"criterion": "It is right.", "mark_a": 1.0, "mark_b": 0.0}]
    write_lines(data, "judgements", [judgement_row(PAIR, "e1", "agent", marks=marks), judgement_row(PAIR, "e2", None)])
    found = asked(data, "from rubric_scores")
    assert [(row["run_id"], row["marks"], row["mean_mark"]) for row in found] == [("agent", 2, 1), ("human", 2, 0.25)]


def test_table_5_counts_who_came_and_the_seconds_of_their_work(data: DataFolder) -> None:
    alone = [episode_row("alone", name, reward=reward, agent="clicker", steps=9) for name, reward in (("e1", 1.0), ("e2", 0.0), ("e3", 0.0))]
    helped = [episode_row("helped", name, agent="clicker", steps=4) for name in ("e1", "e2")] + [
        episode_row("helped", "e3", agent="clicker", **FAULT)
    ]
    write_run(data, alone)
    run = write_run(data, helped)
    with_people(run, people={"asks": True, "wait_seconds": 60, "most_seconds": 600})
    write_rows(run / "interventions" / "00000.parquet", "interventions", [
        intervention_row("helped", "e1"), intervention_row("helped", "e1", 2, initiated_by="agent", reason="which?", request="say it", helped_in="words"),
        intervention_row("helped", "e2", initiated_by="agent", person="", seconds=60.0, waited_seconds=60.0, actions=0, acts=[], helped_in="none"),
    ])  # fmt: skip
    found = {(row["mode"], row["level"]): row for row in asked(data, "from with_people")}
    assert set(found) == {(mode, level) for mode in ("alone", "assistance") for level in ("L1", "all")}
    one, other = found["alone", "L1"], found["assistance", "L1"]
    assert (one["played"], one["success"], one["mean_steps"], one["interventions"], one["mean_seconds"]) == (3, pytest.approx(1 / 3), 9, 0, 0)
    assert (one["success_low"], one["success_high"]) == pytest.approx(interval([1, 0, 0], [1, 1, 1], ["e1", "e2", "e3"]), abs=1e-6)
    assert (other["played"], other["success"], other["interventions"], other["calls"]) == (2, 1, 2, 2), "a fault counts in nothing"
    assert (other["mean_interventions"], other["mean_seconds"]) == (1, 10), "nobody came to e2, and waiting is no work"
    assert other["mean_seconds_low"] == 0 and other["mean_seconds_high"] > 10
    [row] = asked(data, "from calibration")
    assert (row["episodes"], row["asked_fails"], row["asked_succeeds"], row["recall"], row["precision"]) == (2, 1, 1, 1, 0.5)
    [row] = asked(data, "from people_time")
    assert (row["activity"], row["person"], row["times"], row["seconds"]) == ("intervention", "ada", 2, 20)
    assert row["cost_usd"] == pytest.approx(40 * 20 / 3600)
    data.models.write_text("people: {dollars_an_hour: 90}")
    assert [one["cost_usd"] for one in asked(data, "from people_time")] == [0.5] and read_models(data.models), "beside the prices of models"
    data.models.write_text("people: {dollars_an_hour: much}")
    with pytest.raises(WarehouseError, match="say what an hour costs"):
        load_warehouse(data)


def test_asking_is_paired_with_the_same_agent_on_the_same_episodes_without_people(data: DataFolder) -> None:
    """Alone, the agent fails e1 and e2, fails e3 as often as not, and succeeds in e4 and e5; e6 it never played alone, and another agent did."""
    alone = {"e1": (0.0, 0.0), "e2": (0.0, 0.0), "e3": (0.0, 1.0), "e4": (1.0, 1.0), "e5": (1.0, 1.0)}
    write_run(
        data, [episode_row("alone", name, repeat=n, reward=reward, agent="m") for name, two in alone.items() for n, reward in enumerate(two, 1)]
    )
    write_run(data, [episode_row("other", "e6", agent="other"), episode_row("other", "e4", agent="other", reward=0.0)])
    takeover = write_run(data, [episode_row("takeover", "e4", agent="m", reward=0.0)])
    with_people(takeover, people={"asks": False, "wait_seconds": 60, "most_seconds": 600})
    asking = write_run(data, [episode_row("asking", f"e{number}", agent="m") for number in range(1, 7)])
    unpaired = write_run(data, [episode_row("unpaired", "e1", agent="never alone")])
    for run in (asking, unpaired):
        with_people(run, people={"asks": True, "wait_seconds": 60, "most_seconds": 600})
    write_rows(asking / "interventions" / "00000.parquet", "interventions", [
        intervention_row("asking", name, number, initiated_by="agent") for number, name in enumerate(("e1", "e1", "e2", "e4", "e6"), 1)
    ] + [intervention_row("asking", "e5", 9)])  # fmt: skip
    paired, lonely = asked(data, "from calibration order by agent")
    counts = ("episodes", "never_alone", "asked_fails", "asked_succeeds", "silent_fails", "silent_succeeds")
    assert [paired[name] for name in counts] == [5, 1, 2, 1, 1, 1], "a person who took over was not asked"
    assert (paired["recall"], paired["false_alarms"], paired["precision"]) == pytest.approx((2 / 3, 1 / 2, 2 / 3))
    assert (paired["recall_low"], paired["recall_high"]) == pytest.approx(interval([1, 1, 0], [1, 1, 1], ["e1", "e2", "e3"]), abs=1e-6)
    assert (paired["false_alarms_low"], paired["false_alarms_high"]) == pytest.approx(interval([1, 0], [1, 1], ["e4", "e5"]), abs=1e-6)
    assert [lonely[name] for name in counts] == [0, 1, 0, 0, 0, 0]
    assert {lonely[name] for name in lonely if name.startswith(("recall", "false_alarms", "precision"))} == {None}


def test_the_figures_of_table_5_are_the_papers(data: DataFolder) -> None:
    found = {(row["subject"], row["measure"]): row["value"] for row in asked(data, "from published_figures where place = 'Table 5'")}
    assert len(found) == 40, "people have no figures where they took no part"
    assert [found["GPT-5, L2, takeover", measure] for measure in ("success", "steps", "interventions", "seconds")] == [0.733, 19.8, 2.9, 47.5]
    assert [found["Qwen2.5-VL, L2, assistance", measure] for measure in ("success", "steps", "interventions", "seconds")] == [0.133, 42.3, 0.2, 2.6]


def test_demonstrations_are_what_a_person_played(data: DataFolder) -> None:
    rows = [
        episode_row("shown", "e1", agent="person", seconds=14.5, ready_seconds=1.5, steps=5), episode_row("shown", "e2", agent="person", level="L2", seconds=31.5, steps=8),
        episode_row("shown", "e3", agent="person", status="failed by agent", reward=0.0), episode_row("shown", "e4", agent="person", **FAULT),
    ]  # fmt: skip
    with_people(write_run(data, rows), person="ada")
    found = asked(data, "select * from demonstrations order by episode_id")
    assert [(row["person"], row["seconds"], row["gave_up"]) for row in found] == [
        ("ada", 13, False),
        ("ada", 30, False),
        ("ada", 3, True),
        ("ada", None, False),
    ]
    reached = {(row["slice"], row["value"]): row for row in asked(data, "from human_reference")}
    overall, of_l2 = reached["all", "all"], reached["level", "L2"]
    assert (overall["people"], overall["played"], overall["success"]) == (1, 3, pytest.approx(2 / 3))
    assert (overall["mean_steps"], overall["mean_seconds"], overall["least_seconds"], overall["most_seconds"]) == (6.5, 21.5, 13, 30), (
        "of those that succeeded"
    )
    assert (of_l2["success"], of_l2["mean_seconds"], of_l2["mean_seconds_low"]) == (1, 30, None)
    assert {(row["slice"], row["value"]) for row in reached.values()} == {
        ("all", "all"),
        ("level", "L1"),
        ("level", "L2"),
        ("application", "mousepad"),
    }
