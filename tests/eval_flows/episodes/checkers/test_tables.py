"""Protects tables of data: what a table holds is found whatever its separator, row names and case, and what is simulated is as declared."""

import pytest

from eval_flows.episodes.checkers.tables import table
from eval_flows.episodes.tasks.makers.maker import made_file
from tests.eval_flows.episodes.tasks.examples import got

WITH_COMMAS = b"food,rr,low\nsalad,3.6,1.8\ncake,0.9,0.5\n"
AS_R_WRITES = b'"","food","rr","low"\n"1","cake",0.9,0.5\n"2","salad",3.6,1.8\n'
WITH_SEMICOLONS = b"Food;RR;Low\r\nsalad;3.6;1.8\r\n\r\ncake;0.9;0.5\r\n"


@pytest.mark.parametrize("content", [WITH_COMMAS, AS_R_WRITES, WITH_SEMICOLONS])
def test_values_are_found_whatever_wrote_the_table(content: bytes) -> None:
    assert table(content, "rows") == 2 and table(content, "value.rr:salad") == "3.6" and table(content, "value.low:CAKE") == "0.5"
    assert sorted(table(content, "column.rr")) == ["0.9", "3.6"] and table(content, "largest.low") == 1.8
    assert table(content, "value.rr:soup") is None


@pytest.mark.parametrize(
    ("content", "what"), [(WITH_COMMAS, "column.high"), (b"", "rows"), (WITH_COMMAS, "largest.food"), (b"\0\xff" * 9, "column.rr")]
)
def test_what_is_not_there_counts_as_nothing(content: bytes, what: str) -> None:
    assert got("table", content, what=what) is None


def test_simulated_data_are_as_declared_and_the_same_each_time() -> None:
    columns = {
        "plot": {"count": 7},
        "arm": {"cycle": ["a", "b"]},
        "x": {"normal": [10, 2], "digits": 3},
        "y": {"linear": {"x": 2, "constant": 1}, "noise": 0, "digits": 3},
        "ill": {"chance": {"of": "arm", "a": 1, "b": 0}},
    }
    asked = {"path": "a.csv", "seed": "s", "rows": 200, "columns": columns}
    made = made_file("simulated", asked)
    assert made == made_file("simulated", asked) != made_file("simulated", {**asked, "seed": "t"})
    assert table(made, "rows") == 200 and table(made, "column.plot")[:2] == ["7", "8"]
    x, y = (list(map(float, table(made, f"column.{name}"))) for name in "xy")
    assert all(abs(2 * one + 1 - other) < 0.003 for one, other in zip(x, y, strict=True)) and abs(sum(x) / 200 - 10) < 0.6
    assert all((arm == "a") == (ill == "yes") for arm, ill in zip(table(made, "column.arm"), table(made, "column.ill"), strict=True))
