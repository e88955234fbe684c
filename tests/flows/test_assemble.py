"""Protects the late stage: the rules look at rows in their order, and it is all the same into how many shards the rows are cut."""

from collections import Counter
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from flows.assemble import assembled, judged, shared_shortage
from narrators.valid_applications import valid_applications
from tests.flows.golden_dataset import CAPABLE, golden_catalog, golden_recipe
from warehouse.parquet import write_rows

Row = dict[str, Any]
CATALOG, RECIPE = golden_catalog(), golden_recipe().model_copy(update={"recurrences": 2})
APPLICATIONS = CATALOG.candidates["metals"].applications
CATEGORIES = {name: application.category for name, application in CATALOG.applications.items()}
WANTED = {"golden": 3, "silver": 2, "bronze": 2, "in_a_row": 1}


def capabilities(least: int) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(sorted(CAPABLE)), min_size=least, max_size=3, unique=True).map(sorted)


@st.composite
def some_rows(draw: st.DrawFn) -> Row:
    """A row of a shard, its text one of few, so that texts recur."""
    text, alone = draw(st.integers(0, 5)), draw(st.integers(0, 4)) > 0
    nodes = [] if alone else draw(st.lists(st.sampled_from(APPLICATIONS), min_size=2, max_size=3))
    return {
        "text": f"text {text}",
        "text_key": text,
        "masked_key": text // 2,
        "target_application": draw(st.sampled_from(APPLICATIONS)) if alone else None,
        "workflow": None if alone else "in_a_row",
        "said_capabilities": draw(capabilities(1)),
        "named": draw(st.none() | st.lists(st.sampled_from(APPLICATIONS), min_size=1, unique=True)) if alone else None,
        "said_tasks": [],
        "node_applications": nodes,
        "node_capabilities": [draw(capabilities(0)) for _ in nodes],
        "edges": draw(st.sampled_from([[(n, n + 1) for n in range(len(nodes) - 1)], [(0, 1)], []])) if nodes else [],
        "rejected_stage": draw(st.sampled_from([None, None, None, "near_duplicates"])),
    }


def expected(rows: list[Row]) -> list[tuple[str | None, list[list[str]], str]]:
    """Stage of refusal, valid applications of each node and shape of every row, by the rules as they are written down."""
    texts: Counter[int] = Counter()
    masked: Counter[int] = Counter()
    taken: Counter[str] = Counter()
    found = []
    for row in rows:
        asked = list(zip(row["node_applications"], row["node_capabilities"], strict=True)) or [(row["target_application"], row["said_capabilities"])]
        valid = [valid_applications(said, CAPABLE, APPLICATIONS, row["named"]) for _, said in asked]
        graph = row["target_application"] is None
        unfit = not all(valid) or (graph and valid_applications(row["said_capabilities"], CAPABLE, APPLICATIONS, None))
        quota = row["target_application"] or row["workflow"]
        stage = row["rejected_stage"]
        if stage is None and unfit:
            stage = "valid_applications"
        elif stage is None:
            texts[row["text_key"]] += 1
            if texts[row["text_key"]] > 1:
                stage = "duplicates"
            else:
                masked[row["masked_key"]] += 1
                if masked[row["masked_key"]] > 2:
                    stage = "recurrences"
                else:
                    taken[quota] += 1
                    stage = "quota" if taken[quota] > WANTED[quota] else None
        chained = row["edges"] == list(pairwise(range(len(asked))))
        found.append((stage, valid, ("sequential" if chained else "parallel") if graph else "singleton"))
    return found


@settings(max_examples=60, deadline=None)
@given(rows=st.lists(some_rows(), min_size=1, max_size=25), cuts=st.lists(st.integers(0, 25), max_size=3), at_once=st.integers(2, 30))
def test_rows_are_judged_in_their_order_however_they_are_cut_and_compared(rows: list[Row], cuts: list[int], at_once: int) -> None:
    ends = [*sorted(cuts), len(rows)]
    with TemporaryDirectory() as folder:
        shards = [Path(folder) / f"{number}.parquet" for number in range(len(ends))]
        for shard, start, end in zip(shards, [0, *ends], ends, strict=False):
            edged = [row | {"edges": [{"source": source, "target": target} for source, target in row["edges"]]} for row in rows[start:end]]
            write_rows(shard, "shard", edged)
        with patch("flows.assemble._COMPARED_AT_ONCE", at_once), patch("flows.assemble._AT_ONCE", at_once):
            found = judged(shards, CATALOG, RECIPE, WANTED)
        whole = pl.concat(assembled(shards, found, CATEGORIES)).to_dicts()
    said = [(row["stage"], [node["valid_applications"] for node in row["nodes"]], row["shape"]) for row in whole]
    assert said == expected(rows)
    assert [row["text"] for row in whole] == [row["text"] for row in rows]
    for row in whole:
        target = row["target_application"]
        assert row["valid_applications"] == (row["nodes"][0]["valid_applications"] if target else [])
        assert row["category"] == (CATEGORIES[target] if target else None)
    stages = Counter(row["stage"] for row in whole)
    assert found.accepted == stages.pop(None, 0)
    assert Counter({stage: sum(reasons.values()) for stage, reasons in found.rejected.items()}) == stages
    kept = Counter(row["target_application"] or row["workflow"] for row in whole if row["stage"] is None)
    assert found.missing == {name: number - kept[name] for name, number in WANTED.items() if number > kept[name]}


def test_workflows_with_rows_to_spare_stand_in_for_those_with_too_few() -> None:
    wanted, workflows = {"excel": 5, "a": 4, "b": 4, "c": 4}, {"a", "b", "c"}
    assert shared_shortage(wanted, {"excel": 4, "a": 2, "b": 5, "c": 6}, workflows) == {"excel": 5, "a": 2, "b": 5, "c": 5}
    assert shared_shortage(wanted, {"excel": 9, "a": 1, "b": 5, "c": 4}, workflows) == {"excel": 5, "a": 3, "b": 5, "c": 4}, (
        "what is still short is told"
    )
    assert shared_shortage(wanted, {"excel": 9, "a": 4, "b": 9, "c": 4}, workflows) == wanted
