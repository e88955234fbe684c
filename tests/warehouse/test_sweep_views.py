"""Protects the views of sweeps: results are those of counting, factors keep all else the same, and pairs differ in one thing alone."""

import json
from typing import Any

import numpy as np
import pytest

from tests.warehouse.sweep_rows import write_drawn_sweep
from warehouse.layout import DataFolder
from warehouse.loader import load_warehouse
from warehouse.query import connect, rows_of
from warehouse.show import show

Row = dict[str, Any]
RUNS: dict[str, list[Row]] = {}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> DataFolder:
    folder = DataFolder(tmp_path_factory.mktemp("sweeps"))
    RUNS.update(write_drawn_sweep(folder))
    load_warehouse(folder)
    return folder


def asked(data: DataFolder, query: str) -> list[Row]:
    with connect(data.warehouse) as connection:
        return rows_of(connection, query)


def succeeded(run_id: str) -> dict[tuple[str, int], bool]:
    return {(row["episode_id"], row["repeat"]): row["is_success"] for row in RUNS[run_id] if row["fault"] is None}


def test_pairs_differ_in_one_thing_alone_and_have_the_counts_of_counting(data: DataFolder) -> None:
    pairs = asked(data, "select distinct factor, value_a, value_b, cell_a, cell_b, run_a, run_b from sweep_pairs where sweep_id = 'drawn'")
    found = {factor: sum(pair["factor"] == factor for pair in pairs) for factor in ("observation", "history", "cards")}
    assert found == {"observation": 6, "history": 12, "cards": 6} and len(pairs) == 24
    for pair in pairs:
        a, b = succeeded(pair["run_a"]), succeeded(pair["run_b"])
        both = a.keys() & b.keys()
        told = asked(
            data,
            f"select sum(episodes)::int as n, sum(only_a)::int as a, sum(only_b)::int as b, sum(both_succeeded)::int as both from sweep_pairs "
            f"where sweep_id = 'drawn' and cell_a = {pair['cell_a']} and cell_b = {pair['cell_b']}",
        )
        only_a, only_b = sum(a[key] and not b[key] for key in both), sum(b[key] and not a[key] for key in both)
        assert told == [{"n": len(both), "a": only_a, "b": only_b, "both": sum(a[key] and b[key] for key in both)}]


def part(of_slice: str, row: Row) -> str:
    """The value of a slice that an episode is in."""
    parts: dict[str, str] = {
        "all": "all",
        "level": row["level"],
        "application": row["application"],
        "level and application": f"{row['level']}, {row['application']}",
    }
    return parts[of_slice]


def test_results_have_the_means_of_counting_and_intervals_around_them(data: DataFolder) -> None:
    rows = asked(data, "select * from sweep_results where sweep_id = 'drawn'")
    assert {row["slice"] for row in rows} == {"all", "level", "application", "level and application"}
    for row in rows:
        of = [one for one in RUNS[row["run_id"]] if part(row["slice"], one) == row["value"]]
        played = [one for one in of if one["fault"] is None]
        assert (row["played"], row["faults"]) == (len(played), len(of) - len(played))
        assert row["success"] == pytest.approx(np.mean([one["is_success"] for one in played]))
        assert row["mean_tokens"] == pytest.approx(np.mean([one["input_tokens"] + one["output_tokens"] for one in played]))
        assert row["mean_seconds"] == pytest.approx(np.mean([one["seconds"] for one in played]))
        assert row["mean_cost_usd"] == pytest.approx(np.mean([one["cost_usd"] for one in played]))
        for name in ("success", "mean_seconds", "mean_tokens", "mean_cost_usd"):
            assert row[f"{name}_low"] is None or row[f"{name}_low"] - 1e-9 <= row[name] <= row[f"{name}_high"] + 1e-9


def test_a_factor_keeps_all_else_the_same(data: DataFolder) -> None:
    rows = asked(data, "select * from sweep_factors where sweep_id = 'drawn'")
    assert {row["factor"] for row in rows} == {"observation", "history", "cards"}
    one = next(row for row in rows if row["factor"] == "history" and row["number"] == 2)
    assert (one["value"], one["others"]) == ("0", "conversation, m, tree, cards=no")
    assert sorted({row["value"] for row in rows if row["factor"] == "cards"}) == ["no", "yes"]


def test_a_sweep_is_shown_by_its_id_and_by_its_name(data: DataFolder) -> None:
    told = show(data.warehouse, "drawn", "table", lambda call: None)
    assert told == show(data.warehouse, "mine", "table", lambda call: None)
    assert told.startswith("sweep drawn") and "Memory and eyes" in told and "conversation, m, tree, history=0" in told
    (sweep,) = json.loads(show(data.warehouse, "mine", "json", lambda call: None))
    assert (len(sweep["cells"]), sweep["cells"][0]["played_by"], sweep["cells"][13]["played"]) == (14, "script", None)
    assert sweep["commands"][0]["command"] == "deskmill episodes smoke oracle"
