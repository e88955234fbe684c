"""Protects what flows leave on their run pages: pictures that open, words where there is nothing, keys that Prefect takes."""

import base64
from pathlib import Path
from xml.etree import ElementTree

import pytest

from warehouse.layout import DataFolder
from warehouse.loader import load_warehouse
from warehouse.query import connect
from warehouse.run_page import accuracy_picture, artifact_key, dataset_picture, places, rows_table


def run(number: int, accuracy: float) -> dict[str, object]:
    return {
        "run_id": f"{number:016}",
        "protocol": "random",
        "model": "a [b]",
        "accuracy": accuracy,
        "accuracy_low": accuracy / 2,
        "accuracy_high": 1.0,
    }


def test_a_picture_of_runs_is_an_svg_in_markdown_with_words_for_those_who_do_not_see_it() -> None:
    markdown = accuracy_picture([run(1, 0.25), run(2, 0.75)])
    told, _, address = markdown.partition("](data:image/svg+xml;base64,")
    assert told == "![Accuracy of the runs with 95% intervals: random by a (b) 0.250; random by a (b) 0.750"
    svg = base64.b64decode(address.removesuffix(")"))
    assert (
        ElementTree.fromstring(svg).tag.endswith("svg")
        and svg.count(b'aria-roledescription="rule mark"') == svg.count(b'aria-roledescription="point"') == 2
    )


def test_where_there_is_nothing_to_draw_words_say_so(tmp_path: Path) -> None:
    assert "no accuracy to draw" in accuracy_picture([])
    connection = connect(load_warehouse(DataFolder(tmp_path)))
    assert "nothing to draw" in dataset_picture(connection, "unknown")
    connection.close()


def test_rows_made_are_those_accepted_and_rejected() -> None:
    counted = {"made": 9, "accepted": 6, "rejected_by_stage_and_reason": {"quota": {"not needed": 2}, "typos": {"odd": 1}}}
    table = rows_table({"rows": counted})
    assert [(row["rows"], row["stage"], row["reason"], row["number"]) for row in table] == [
        ("made", "", "", 9), ("accepted", "", "", 6), ("rejected", "quota", "not needed", 2), ("rejected", "typos", "odd", 1),
    ]  # fmt: skip


def test_places_say_what_is_not_written_yet(tmp_path: Path) -> None:
    (tmp_path / "there").write_text("")
    said = places({"card": tmp_path / "there", "report": tmp_path / "gone"})
    assert f"- card: `{tmp_path / 'there'}`, of 2" in said and "- report: not written yet" in said


@pytest.mark.parametrize(
    ("parts", "key"), [(("dataset", "My_Data.v2"), "dataset-my-data-v2"), (("selection", "demo", "links"), "selection-demo-links")]
)
def test_keys_are_those_that_prefect_takes(parts: tuple[str, ...], key: str) -> None:
    assert artifact_key(*parts) == key
