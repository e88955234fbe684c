"""Protects the gate: what it looks at of the rows, and that every expectation can fail and names the rows."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from warehouse.errors import WarehouseError
from warehouse.expectations import gate_columns
from warehouse.gate import Gate, gate
from warehouse.parquet import write_rows

Row = dict[str, Any]
CANDIDATES, CATEGORIES = ["excel", "word", "outlook"], ["Office"]


def sound() -> list[Row]:
    """Three singletons and a graph, of which everything holds that must hold."""
    rows = [_row(number, name, [{"target_application": name, "valid_applications": [name, "word"]}]) for number, name in enumerate(CANDIDATES)]
    graph = _row(3, None, [{"target_application": name, "valid_applications": [name]} for name in ("excel", "word")])
    return [*rows, graph | {"shape": "parallel", "category": None}]


def _row(number: int, target: str | None, nodes: list[Row]) -> Row:
    identity = {"task_id": f"{2**64 - 1 - number:016x}", "text": f"Total column {number}", "target_application": target, "category": "Office"}
    return identity | {"split": "test", "shape": "singleton", "drop_out_rate": 0.5, "nodes": nodes}


def failures(dataset: Path, rows: int) -> list[str]:
    return gate().ask(dataset, CANDIDATES, CATEGORIES, rows)()


def written(folder: Path, rows: list[Row]) -> Path:
    write_rows(folder / "data" / "test-00000-of-00001.parquet", "user_tasks", rows)
    return folder


def test_the_gate_looks_at_figures_of_every_node(tmp_path: Path) -> None:
    rows = sound()
    rows[0]["nodes"] = []
    rows[1]["nodes"][0]["valid_applications"] = ["excel"]
    rows[3]["nodes"][1] = {"target_application": None, "valid_applications": []}
    seen = gate_columns(written(tmp_path, rows)).to_dict(as_series=False)
    assert seen["task_id"] == [-1, -2, -3, -4], "an id is a number of 64 bits"
    assert seen["target_is_valid"] == [False, False, True, False]
    assert seen["least_valid_applications"] == [0, 1, 2, 0]
    assert seen["text_length"] == [14] * 4 and all(seen["text_is_clean"])


SPOILT: dict[str, tuple[Callable[[Row], Row], str]] = {
    "an id twice": (lambda row: row | {"task_id": "f" * 16}, "task_id: expect_column_values_to_be_unique"),
    "a text twice, case aside": (lambda row: row | {"text": "total COLUMN 0"}, "text: expect_column_values_to_be_unique"),
    "a text too short": (lambda row: row | {"text": "Total"}, "text_length: expect_column_values_to_be_between"),
    "a brace": (lambda row: row | {"text": "Total {column} 9"}, "text_is_clean: expect_column_values_to_be_in_set"),
    "two spaces": (lambda row: row | {"text": "Total  column 9"}, "text_is_clean: expect_column_values_to_be_in_set"),
    "a line's end": (lambda row: row | {"text": "Total column 9\n"}, "text_is_clean: expect_column_values_to_be_in_set"),
    "no such split": (lambda row: row | {"split": "validation"}, "split: expect_column_values_to_be_in_set"),
    "no such shape": (lambda row: row | {"shape": "circle"}, "shape: expect_column_values_to_be_in_set"),
    "no candidate": (lambda row: row | {"target_application": "vim"}, "target_application: expect_column_values_to_be_in_set"),
    "no such category": (lambda row: row | {"category": "Nonsense"}, "category: expect_column_values_to_be_in_set"),
    "a target that is not valid": (
        lambda row: row | {"nodes": [{"target_application": "word", "valid_applications": ["excel"]}]},
        "target_is_valid: expect_column_values_to_be_in_set",
    ),
    "nobody can do it": (
        lambda row: row | {"nodes": [{"target_application": "word", "valid_applications": []}]},
        "least_valid_applications: expect_column_values_to_be_between",
    ),
    "a rate above one": (lambda row: row | {"drop_out_rate": 1.5}, "drop_out_rate: expect_column_values_to_be_between"),
}


@pytest.mark.slow(minutes=0.3)
def test_every_expectation_can_fail_and_names_the_row(tmp_path: Path) -> None:
    assert failures(written(tmp_path / "sound", sound()), 4) == []
    assert (tmp_path / "sound" / "data_docs" / "index.html").is_file()
    short = failures(tmp_path / "sound", 5)
    assert len(short) == 1 and "expect_table_row_count_to_equal" in short[0]
    for number, (name, (spoil, expected)) in enumerate(SPOILT.items()):
        rows = sound()
        rows[1] = spoil(rows[1])
        lines = failures(written(tmp_path / str(number), rows), 4)
        assert any(expected in line and rows[1]["task_id"] in line for line in lines), (name, lines)


def test_a_gate_that_ended_says_so_and_the_next_one_is_started(tmp_path: Path) -> None:
    broken = Gate()
    with pytest.raises(WarehouseError, match="ended without an answer"):
        broken.ask(tmp_path / "nothing", CANDIDATES, CATEGORIES, 4)()
    assert broken.ask(written(tmp_path / "sound", sound()), CANDIDATES, CATEGORIES, 4)() == []
