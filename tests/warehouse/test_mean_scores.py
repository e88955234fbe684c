"""Protects the intervals of mean scores of sets and graphs: they take compositions as clusters, and no mean stands as certain."""

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest

from tests.warehouse.intervals import interval
from warehouse.query import rows_of

SQL = Path("warehouse/sql")
RUNS = """
    insert into runs by name select kind as run_id, 'd1' as dataset_id, 'demo' as dataset, 'zero_shot' as protocol, 'm' as model, kind as answer_kind,
        ['a', 'b', 'c'] as candidates, '2026-01-01' as started_at from unnest(['set', 'graph']) as kinds(kind)
"""
TASKS = 200


def answers(seed: int = 0) -> pd.DataFrame:
    """Tasks in compositions of one to many, whose scores hang together within a composition; some answers are missing."""
    chance = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {"task_id": [f"t{number}" for number in range(TASKS)], "composition_id": [f"c{int(c)}" for c in chance.geometric(0.03, TASKS)]}
    )
    frame["easy"] = frame["composition_id"].map({name: chance.random() for name in frame["composition_id"].unique()})
    frame["valid_applications"] = [list(chance.choice(["a", "b", "c"], size, replace=False)) for size in chance.integers(1, 4, TASKS)]
    frame["predicted_applications"] = [
        valid if chance.random() < easy else list(chance.choice(["a", "b", "c"], chance.integers(0, 4), replace=False))
        for valid, easy in zip(frame["valid_applications"], frame["easy"], strict=True)
    ]
    for name in ("node_precision", "node_recall", "node_f1", "edge_f1", "kendall_tau"):
        frame[name] = np.clip(frame["easy"] + chance.normal(0, 0.2, TASKS), 0, 1).round(2)
    frame["kendall_tau"] = 2 * frame["kendall_tau"] - 1
    frame.loc[chance.random(TASKS) < 0.3, "kendall_tau"] = None
    frame.loc[chance.random(TASKS) < 0.2, "edge_f1"] = None
    return frame.assign(is_exact=frame["node_f1"] > 0.9, shape="singleton", status="answered")


def views(frame: pd.DataFrame) -> dict[str, Any]:
    """The row of the run of sets and that of graphs, over all shapes, by their view."""
    connection = duckdb.connect()
    for path in (SQL / "schema.sql", SQL / "macros.sql", SQL / "views" / "046_set_scores.sql", SQL / "views" / "047_graph_scores.sql"):
        connection.execute(path.read_text().replace(" not null", ""))
    connection.execute(RUNS)
    connection.register("frame", frame)
    connection.execute(
        "insert into user_tasks by name select 'd1' as dataset_id, task_id, composition_id, valid_applications, shape, [] as edges from frame"
    )
    scores = "node_precision, node_recall, node_f1, edge_f1, kendall_tau, is_exact"
    for run in ("set", "graph"):
        connection.execute(f"insert into predictions by name select '{run}' as run_id, task_id, status, predicted_applications, {scores} from frame")
    [of_sets], [of_graphs] = rows_of(connection, "from set_scores"), rows_of(connection, "from graph_scores where shape = 'all'")
    return {"set": of_sets, "graph": of_graphs}


def clustered(values: pd.Series, clusters: pd.Series, lowest: int) -> list[float]:
    """Mean and 95% interval of values from `lowest` to 1."""
    there, width = values.notna(), 1 - lowest
    shares = (values[there].astype(float) - lowest) / width
    ends = interval(shares, np.ones(len(shares)), clusters[there])
    return [lowest + width * value for value in (shares.mean(), *ends)]


@pytest.mark.parametrize("seed", range(3))
def test_intervals_of_means_take_compositions_as_clusters(seed: int) -> None:
    frame = answers(seed)
    pairs = [(set(valid), set(said)) for valid, said in zip(frame["valid_applications"], frame["predicted_applications"], strict=True)]
    frame["mean_precision"] = [len(valid & said) / max(1, len(said)) for valid, said in pairs]
    frame["mean_recall"] = [len(valid & said) / len(valid) for valid, said in pairs]
    frame["mean_f1"] = [2 * len(valid & said) / (len(valid) + len(said)) for valid, said in pairs]
    rows = views(frame)
    for view, names in (
        ("set", ("mean_precision", "mean_recall", "mean_f1")),
        ("graph", ("node_precision", "node_recall", "node_f1", "edge_f1", "kendall_tau")),
    ):
        for name in names:
            found = [rows[view][key] for key in (name, f"{name}_low", f"{name}_high")]
            assert found == pytest.approx(clustered(frame[name], frame["composition_id"], -1 if name == "kendall_tau" else 0), abs=1e-5), name
    assert (rows["graph"]["with_edges"], rows["graph"]["chains"]) == (frame["edge_f1"].notna().sum(), frame["kendall_tau"].notna().sum())
    assert 0 < rows["set"]["exact_low"] < rows["set"]["exact_share"] < rows["set"]["exact_high"] < 1


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_a_mean_at_the_end_of_its_scale_is_not_certain(value: float) -> None:
    frame = answers()
    scores = ["node_precision", "node_recall", "node_f1", "edge_f1"]
    said: Any = frame["valid_applications"] if value else [[]] * TASKS
    frame = frame.assign(**dict.fromkeys(scores, value), kendall_tau=2 * value - 1, predicted_applications=said)
    rows = views(frame)
    for view, names in (("set", ("mean_precision", "mean_recall", "mean_f1")), ("graph", (*scores, "kendall_tau"))):
        for name in names:
            mean, low, high = (rows[view][key] for key in (name, f"{name}_low", f"{name}_high"))
            assert (mean == high and low < mean - 0.02) if value else (mean == low and high > mean + 0.02), name


def test_one_composition_is_one_observation_and_no_chain_has_no_tau() -> None:
    row = views(answers().assign(composition_id="one", kendall_tau=None))["graph"]
    assert all(row[f"{name}_low"] < 0.01 and row[f"{name}_high"] > 0.97 for name in ("node_f1", "edge_f1"))
    assert row["kendall_tau"] is row["kendall_tau_low"] is None
    assert row["chains"] == 0 and row["node_f1"] > 0
