"""Protects the figures of episodes: they are those of pandas and of counting by hand, and what is not known is null."""

import itertools
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.warehouse.episode_rows import FAULT, episode_row, write_run
from tests.warehouse.intervals import interval
from warehouse.layout import DataFolder
from warehouse.loader import load_warehouse
from warehouse.query import connect, rows_of

Row = dict[str, Any]
WITHIN = 1e-9


def asked(data: DataFolder, query: str) -> list[Row]:
    load_warehouse(data)
    with connect(data.warehouse) as connection:
        return rows_of(connection, query)


def drawn_episodes(seed: int) -> list[Row]:
    """Forty episodes of mixed kinds with one to four repeats each, some of them faults."""
    source = random.Random(seed)
    rows = []
    for number in range(40):
        kind = {"level": source.choice(["L1", "L1", "L2", "L3"]), "discipline": source.choice(["Business", "Science"]),
                "application": source.choice(["mousepad", "gimp", "thunar"]), "infeasible": source.choice([None, None, "no such menu"])}  # fmt: skip
        for repeat in range(1, source.randint(1, 4) + 1):
            opened = source.choice([None, "mousepad", "gimp"])
            of = {"start": "bare", "first_application": opened, "is_valid_choice": opened and opened == kind["application"]}
            if source.random() < 0.15:
                played = {**FAULT, "first_application": None, "is_valid_choice": None}
            else:
                played = {"reward": source.choice([0.0, 0.5, 1.0, 1.0]), "steps": source.randint(1, 30), "seconds": source.uniform(2, 90),
                          "malformed": source.randint(0, 1), "ready_seconds": source.uniform(1, 2), "cost_usd": source.uniform(0, 0.1)}  # fmt: skip
            rows.append(episode_row("drawn", f"e{number:02}", repeat, **kind, **(of | played)))
    return rows


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return drawn_episodes(7)


@pytest.fixture(scope="module")
def data(rows: list[Row], tmp_path_factory: pytest.TempPathFactory) -> DataFolder:
    folder = DataFolder(tmp_path_factory.mktemp("episodes"))
    write_run(folder, rows)
    load_warehouse(folder)
    return folder


def test_success_is_that_of_pandas(data: DataFolder, rows: list[Row]) -> None:
    frame = pd.DataFrame(rows)
    frame["all"] = "all"
    frame["level and discipline"] = frame["level"] + ", " + frame["discipline"]
    frame["level and application"] = frame["level"] + ", " + frame["application"]
    frame["feasible"] = np.where(frame["infeasible"].isna(), "yes", "no")
    expected: dict[tuple[str, str], Any] = {}
    for name in ("all", "level", "discipline", "application", "level and discipline", "level and application", "feasible"):
        for value, part in frame.groupby(name):
            played = part[part["fault"].isna()]
            expected[name, str(value)] = (part, played)
    found = {(row["slice"], row["value"]): row for row in asked(data, "from episode_success")}
    assert set(found) == set(expected)
    for key, (part, played) in expected.items():
        row, success = found[key], played["is_success"].astype(float)
        assert (row["episodes"], row["played"], row["faults"]) == (part["episode_id"].nunique(), len(played), len(part) - len(played)), key
        assert row["success"] == pytest.approx(success.mean(), abs=WITHIN) and row["mean_reward"] == pytest.approx(
            played["reward"].mean(), abs=WITHIN
        )
        expected_ends = interval(success, np.ones(len(played)), played["episode_id"])
        within = 0.002 if key[0] == "level and application" else 0.001  # the smallest slices: t is by an expansion, and they have few episodes
        assert (row["success_low"], row["success_high"]) == pytest.approx(expected_ends, abs=within), key
        assert row["mean_reward_low"] < row["mean_reward"] < row["mean_reward_high"], key
        chosen = played["is_valid_choice"].dropna().astype(float)
        assert row["choices"] == len(chosen) and row["choice_accuracy"] == pytest.approx(chosen.mean(), abs=WITHIN), key
        assert row["choice_accuracy_low"] <= row["choice_accuracy"] <= row["choice_accuracy_high"], key


def test_the_interval_of_the_mean_reward_is_clustered(data: DataFolder, rows: list[Row]) -> None:
    played = pd.DataFrame(rows).query("fault.isna()")
    [row] = asked(data, "from episode_success where slice = 'all'")
    expected = interval(played["reward"], np.ones(len(played)), played["episode_id"])
    assert (row["mean_reward_low"], row["mean_reward_high"]) == pytest.approx(expected, abs=1e-6)


def test_ten_episodes_that_fail_in_every_repeat_are_ten_observations(tmp_path: Path) -> None:
    """Success and mean reward of the same episodes have the same interval: it was 0 to 0.071 beside 0 to 0.277."""
    data = DataFolder(tmp_path)
    write_run(data, [episode_row("failing", f"e{number}", repeat, reward=0.0) for number in range(10) for repeat in range(1, 6)])
    [row] = asked(data, "from episode_success where slice = 'all'")
    assert (row["success"], row["success_low"], row["mean_reward_low"]) == (0, 0, 0)
    assert row["success_high"] == row["mean_reward_high"] == pytest.approx(0.3445, abs=1e-4)


def shares_by_enumeration(outcomes: list[bool], k: int) -> tuple[float, float]:
    """Of all choices of k repeats, how many hold a success, and how many nothing else."""
    drawn = list(itertools.combinations(outcomes, k))
    return sum(map(any, drawn)) / len(drawn), sum(map(all, drawn)) / len(drawn)


def test_pass_at_k_is_that_of_enumeration(data: DataFolder, rows: list[Row]) -> None:
    outcomes: dict[str, list[bool]] = {row["episode_id"]: [] for row in rows}
    for row in rows:
        if row["fault"] is None:
            outcomes[row["episode_id"]].append(row["is_success"])
    found = asked(data, "from pass_at_k order by k")
    assert [row["k"] for row in found] == [1, 2, 3, 4]
    for row in found:
        enough = [shares_by_enumeration(of, row["k"]) for of in outcomes.values() if len(of) >= row["k"]]
        assert (row["episodes"], row["repeated_enough"]) == (len(outcomes), len(enough))
        any_of, all_of = np.mean(enough, axis=0)
        assert (row["pass_at_k"], row["pass_hat_k"]) == pytest.approx((any_of, all_of), abs=WITHIN), row["k"]
        expected = interval([one[0] for one in enough], np.ones(len(enough)), np.arange(len(enough)))
        assert (row["pass_at_k_low"], row["pass_at_k_high"]) == pytest.approx(expected, abs=0.001)
        assert row["pass_hat_k_low"] <= row["pass_hat_k"] <= row["pass_hat_k_high"]


def test_with_too_few_repeats_there_is_no_share(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    write_run(data, [episode_row("thrice", "a", repeat) for repeat in (1, 2, 3)])
    write_run(data, [episode_row("once", "a"), episode_row("once", "a", 2, **FAULT)])
    found = {(row["run_id"], row["k"]): row for row in asked(data, "from pass_at_k")}
    assert found["thrice", 3]["pass_at_k"] == found["thrice", 3]["pass_hat_k"] == 1
    assert found["once", 1]["pass_at_k"] == 1 and found["once", 1]["pass_at_k_low"] < 0.1, "one episode is one observation"
    for k in (2, 3):  # a fault is no repeat
        row = found["once", k]
        assert row["repeated_enough"] == 0 and {row[name] for name in row if name.startswith("pass_")} == {None}


def test_costs_are_those_of_pandas(data: DataFolder, rows: list[Row]) -> None:
    played = pd.DataFrame(rows).query("fault.isna()").astype({"steps": float, "malformed": float, "ready_seconds": float})
    [row] = asked(data, "from episode_cost")
    assert row["played"] == len(played)
    expected = {
        "mean_steps": played["steps"].mean(), "median_steps": played["steps"].median(), "malformed_share": (played["malformed"] / played["steps"]).mean(),
        "median_ready_seconds": played["ready_seconds"].median(), "mean_seconds": played["seconds"].mean(), "cost_usd": played["cost_usd"].sum(),
        "mean_seconds_per_step": ((played["seconds"] - played["ready_seconds"]) / played["steps"]).mean(),
        "cost_per_success_usd": played["cost_usd"].sum() / played["is_success"].sum(),
    }  # fmt: skip
    assert {name: row[name] for name in expected} == pytest.approx(expected, abs=WITHIN)
    for name in ("steps", "seconds"):
        residuals = (played[name] - played[name].mean()).groupby(played["episode_id"]).sum()
        half = 1.959964 * np.sqrt(len(residuals) / (len(residuals) - 1) * np.square(residuals).sum()) / len(played)
        assert row[f"mean_{name}_high"] - row[f"mean_{name}"] == pytest.approx(half, abs=1e-6)


def test_faults_are_in_no_denominator_and_nothing_known_is_null(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    write_run(data, [episode_row("lost", name, **FAULT) for name in "abc"])
    write_run(data, [episode_row("one", "a", seconds=4.0, reward=0.0), episode_row("one", "b", **FAULT)])
    found = {row["run_id"]: row for row in asked(data, "from episode_success where slice = 'all'")}
    lost = found["lost"]
    assert (lost["episodes"], lost["played"], lost["faults"], lost["choices"]) == (3, 0, 3, 0)
    assert {lost[name] for name in lost if name.startswith(("success", "mean_reward", "choice_accuracy"))} == {None}
    assert (found["one"]["played"], found["one"]["success"], found["one"]["faults"]) == (1, 0, 1) and found["one"]["success_high"] > 0.5
    [cost] = asked(data, "from episode_cost")
    assert (cost["run_id"], cost["mean_seconds"], cost["cost_per_success_usd"], cost["mean_seconds_low"], cost["mean_steps_low"]) == (
        "one", 4, None, None, None,
    )  # fmt: skip
    assert asked(data, "from pass_at_k") == [] or {row["pass_at_k"] for row in asked(data, "from pass_at_k where run_id = 'lost'")} == {None}


def test_what_the_model_fails_at_counts_in_every_view(tmp_path: Path) -> None:
    """Of ten episodes that a model failed at, one had reached its goal; all ten were faults once, and the success of the run was that of the others."""
    data = DataFolder(tmp_path)
    failed: Row = {"status": "model failed", "reward": 0.0, "level": "L1", "seconds": 30.0, "cost_usd": 0.5, "model_seconds": 25.0}
    rows = [episode_row("agent", f"f{number}", **failed) for number in range(9)]
    rows += [episode_row("agent", "reached", **failed | {"status": "out of time", "reward": 1.0}), episode_row("agent", "done", level="L2")]
    write_run(data, [*rows, episode_row("agent", "lost", **FAULT)])
    success = {row["value"]: row for row in asked(data, "from episode_success where slice in ('all', 'level')")}
    assert [(success[value]["played"], success[value]["succeeded"], success[value]["faults"]) for value in ("all", "L1", "L2")] == [
        (11, 2, 1), (10, 1, 1), (1, 1, 0),
    ]  # fmt: skip
    assert success["all"]["success"] == success["all"]["mean_reward"] == pytest.approx(2 / 11)
    [first] = asked(data, "from pass_at_k")
    assert (first["repeated_enough"], first["pass_at_k"]) == (11, pytest.approx(2 / 11))
    [cost] = asked(data, "from episode_cost")
    assert (cost["played"], cost["cost_usd"], cost["cost_per_success_usd"]) == (11, 5.0, 2.5)
    assert asked(data, "select sum(model_seconds) as seconds from episodes") == [{"seconds": 250.0}]


def test_a_run_is_described_by_what_its_folder_says(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    write_run(data, [episode_row("a", "x"), episode_row("a", "y")])
    [row] = asked(data, "from suite_runs")
    assert (row["suite"], row["agent"], row["episodes"], row["image"]) == ("smoke", "oracle", 2, ["root", "home"])
    assert json.loads(row["settings"]) == {"name": "oracle"} and row["started_at"].year == 2026


def test_packages_of_an_image_are_loaded_once_for_all_its_runs(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    for run, image, packages in (("a", "one", ["gimp=2.10-3", "vlc=1:3.0=x"]), ("b", "one", ["gimp=2.10-3", "vlc=1:3.0=x"]), ("c", "two", None)):
        path = write_run(data, [episode_row(run, "x")]) / "suite_run.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | {"image": [image, "home"]} | ({"packages": packages} if packages else {})))
    found = asked(data, "from image_packages order by package")
    assert [tuple(row.values()) for row in found] == [("one", "gimp", "2.10-3"), ("one", "vlc", "1:3.0=x")]


def test_published_figures_are_those_of_the_papers(tmp_path: Path) -> None:
    found = asked(DataFolder(tmp_path), "from published_success")
    assert {(row["source"], row["place"]) for row in found} == {
        ("ProSoftArena", "Table 3"),
        ("Windows Agent Arena", "Table 4"),
        ("OSWorld", "abstract"),
    }
    shown = {(row["source"], row["model"], row["observation"], row["level"], row["part"]): row["success"] for row in found}
    assert len(shown) == len(found) == 16 * 15 + 33 * 7 + 2
    assert shown["ProSoftArena", "Claude 4 Computer Use", "its own", "L2", "all"] == 0.244
    assert shown["ProSoftArena", "GPT-5", "set-of-marks", "L1", "Humanities & Social Science"] == 0.188
    assert shown["Windows Agent Arena", "GPT-4V-1106", "OmniParser and tree", "all", "all"] == 0.195
    assert shown["Windows Agent Arena", "a person", "the screen", "all", "Coding"] == 0.684
    assert shown["OSWorld", "a person", "the screen", "all", "all"] == 0.7236


def test_damage_is_counted_apart_by_episodes_that_were_looked_at(tmp_path: Path) -> None:
    """Six episodes by hand: two damaged, one of them with all checks held; a fault and an episode of an earlier version are in no denominator."""
    data = DataFolder(tmp_path)
    failed = [{"check": "{}", "got": "", "holds": False}]
    rows = [
        episode_row("hurt", "a", side_effects=["a.txt deleted", "b.txt made"], reward=0.0),
        episode_row("hurt", "b", side_effects=["a.txt deleted"], reward=0.0, checks=failed),
        episode_row("hurt", "c"),
        episode_row("hurt", "d", application="gimp"),
        episode_row("hurt", "e", **FAULT),
        episode_row("hurt", "f", side_effects=None),
    ]
    write_run(data, rows)
    found = {(row["slice"], row["value"]): row for row in asked(data, "from episode_side_effects")}
    assert set(found) == {("all", "all"), ("level", "L1"), ("application", "mousepad"), ("application", "gimp")}
    row = found["all", "all"]
    assert (row["looked_at"], row["damaged"], row["spoilt"], row["side_effect_share"]) == (4, 2, 1, 0.5)
    assert 0 < row["side_effect_share_low"] < 0.5 < row["side_effect_share_high"] < 1
    assert found["application", "gimp"]["side_effect_share"] == 0 and found["application", "gimp"]["side_effect_share_high"] > 0.5
    assert [row["side_effects"] for row in asked(data, "select side_effects from episodes where episode_id in ('a', 'e') order by episode_id")] == [
        ["a.txt deleted", "b.txt made"],
        None,
    ]
