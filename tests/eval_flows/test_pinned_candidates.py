"""Protects old figures: a dataset holds its candidates, so what the catalog says later changes no prompt, answer or score of it."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from atomic_tasks.catalog import Catalog
from atomic_tasks.problems import BadInput
from eval_flows.datasets import open_dataset
from eval_flows.selection import pipeline
from eval_flows.selection.selectors.options import Choices, SelectorOptions
from eval_flows.selection.selectors.pool import Pool, read_pool
from eval_flows.selection.selectors.shown import _fixed, cards_of
from flows import import_tasks as importing
from tests.conftest import copy_of
from tests.eval_flows.knowing_model import Knowing, run
from tests.language_models.fake_server import fake_server
from warehouse.layout import DataFolder
from warehouse.loader import load_warehouse
from warehouse.parquet import write_rows
from warehouse.query import connect, rows_of

FIGURES = (
    "select * from category_confusion order by all",
    "select * exclude (started_at) from accuracy order by all",
    "select * from scored_predictions order by all",
    "select * from error_decomposition order by all",
)


@pytest.fixture(scope="module")
def later(catalog: Catalog) -> Catalog:
    """The catalog after a while: an application more in the list, called as Excel is, and Excel with other names and in another category."""
    excel, windows = catalog.applications["excel"], catalog.candidates["windows"]
    added = excel.model_copy(update={"application": "added", "title": "Added", "tasks": ()})
    moved = excel.model_copy(update={"title": "Excel of Today", "aliases": ("Sheets of Today",), "category": catalog.categories[-1]})
    return replace(
        catalog,
        applications={**catalog.applications, "excel": moved, "added": added},
        candidates={**catalog.candidates, "windows": windows.model_copy(update={"applications": ("added", *windows.applications)})},
        categories=tuple(reversed(catalog.categories)),
    )


def answers(data: DataFolder) -> list[dict[str, Any]]:
    rows = [row for path in sorted(data.runs.glob("*/predictions/*.parquet")) for row in pq.read_table(path).to_pylist()]
    return [{name: value for name, value in row.items() if name not in ("latency_ms", "calls")} for row in rows]


def test_an_application_that_is_added_changes_no_run_prompt_or_score(
    tiny: DataFolder, catalog: Catalog, later: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    knowing = Knowing(tiny, catalog)

    def said(request: dict[str, Any]) -> str:
        asked_for_category = request["messages"][1]["content"].endswith("Category:")
        return knowing.category(request) if asked_for_category else catalog.applications[knowing.name(request)].title

    seen: list[tuple[list[str], list[str], list[dict[str, Any]]]] = []
    with fake_server(said) as server:
        for number, now in enumerate((catalog, later)):
            data = copy_of(tiny, tmp_path / str(number))
            monkeypatch.setattr(pipeline, "sound_catalog", lambda now=now: now)
            runs = run(data, server, "random", "heuristic", "zero_shot", "few_shot", "hierarchical", limit=40).runs
            prompts = sorted(json.dumps(request["messages"]) for request in server.requests)
            server.requests.clear()
            seen.append((sorted(one.run_id for one in runs), prompts, answers(data)))
    (runs_before, prompts_before, answers_before), after = seen
    assert (runs_before, prompts_before, answers_before) == after
    assert len(runs_before) == 5 and len(prompts_before) > 80 and {row["is_correct"] for row in answers_before} == {True, False}


def test_a_newer_dataset_changes_no_figure_of_an_older_one(tiny: DataFolder, later: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = copy_of(tiny, tmp_path / "data")
    load_warehouse(data)
    before = [rows_of(connect(data.warehouse), query) for query in FIGURES]
    monkeypatch.setattr(importing, "read_declared", lambda: (later, {}))
    file = tmp_path / "tasks.jsonl"
    file.write_text('{"text": "Add this up for me, will you.", "valid_applications": ["excel", "added"]}\n')
    importing.import_tasks(file, "mine", "windows", data)
    load_warehouse(data)
    connection = connect(data.warehouse)
    (excel,) = rows_of(connection, "select category from applications where application = 'excel'")
    assert excel["category"] == later.applications["excel"].category, "the table of applications is of the newest dataset"
    held = rows_of(
        connection, "select dataset, category from candidates join datasets using (dataset_id) where application = 'excel' order by dataset"
    )
    assert [row["category"] == excel["category"] for row in held] == [True, False]
    assert [rows_of(connection, query) for query in FIGURES] == before


def test_an_imported_dataset_holds_its_candidates(
    catalog: Catalog, later: Catalog, data: DataFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "tasks.jsonl"
    file.write_text('{"text": "Add this up for me, will you.", "valid_applications": ["excel"]}\n')
    first = importing.import_tasks(file, "mine", "windows", data)
    assert open_dataset("mine", data).candidates["excel"].title == catalog.applications["excel"].title
    monkeypatch.setattr(importing, "read_declared", lambda: (later, {}))
    second = importing.import_tasks(file, "mine", "windows", data)
    assert second.dataset_id != first.dataset_id, "what answers are read by is part of what a dataset is"
    assert "added" in open_dataset("mine", data).candidates and open_dataset("mine", data).candidates.categories == later.categories


@pytest.mark.parametrize(
    ("made_from", "again"), [({}, r"build it again \(deskmill build tiny\)"), ({"imported_from": {}}, r"import its file again .*--name tiny")]
)
def test_a_dataset_from_before_is_refused_with_what_to_do(tiny: DataFolder, tmp_path: Path, made_from: dict[str, Any], again: str) -> None:
    data = copy_of(tiny, tmp_path / "data")
    path = data.labels / "tiny" / "manifest.json"
    manifest = json.loads(path.read_text())
    del manifest["candidates"]
    path.write_text(json.dumps(manifest | {"made_from": manifest["made_from"] | made_from}))
    with pytest.raises(BadInput, match=f"dataset 'tiny' is from before.*{again}"):
        open_dataset("tiny", data)
    load_warehouse(data)
    assert rows_of(connect(data.warehouse), "select count(*) > 100 as all_of_the_catalog from candidates") == [{"all_of_the_catalog": True}]


def test_a_card_that_the_catalog_no_longer_has_is_named(tiny: DataFolder, catalog: Catalog) -> None:
    fewer = {name: application for name, application in catalog.applications.items() if name != "excel"}
    with pytest.raises(BadInput, match="no knowledge card of excel"):
        cards_of(replace(catalog, applications=fewer), open_dataset("tiny", tiny).candidates)


def _options(data: DataFolder, **chosen: Any) -> SelectorOptions:
    dataset = open_dataset("tiny", data)
    return SelectorOptions(dataset.candidates, dataset, data.vectors, Choices(**chosen))


@pytest.mark.parametrize("examples", [1, 5, 12, 25])
def test_as_many_examples_are_shown_as_were_asked_for_and_categories_take_turns(tiny: DataFolder, examples: int) -> None:
    options = _options(tiny, examples=examples)
    pool = read_pool(options)
    few = Pool(
        tuple(task for task in pool.tasks if options.candidates[str(task.target_application)].category in options.candidates.categories[:2]), ""
    )
    for tasks, categories in ((pool, len(options.candidates.categories)), (few, 2)):
        chosen = [options.candidates[str(task.target_application)].category for task in _fixed(tasks, options)]
        assert len(chosen) == examples
        assert {chosen.count(category) for category in chosen} <= {examples // categories, -(-examples // categories)}


def test_more_examples_than_the_pool_holds_are_refused(tiny: DataFolder, catalog: Catalog, tmp_path: Path) -> None:
    data = copy_of(tiny, tmp_path / "data")
    path = data.labels / "tiny" / "data" / "train-00000-of-00001.parquet"
    write_rows(path, "user_tasks", pq.read_table(path).slice(0, 3).to_pylist())
    with (
        fake_server(Knowing(tiny, catalog).name) as server,
        pytest.raises(BadInput, match=r"holds 3 tasks, and no more can be shown \(--examples 3\)"),
    ):
        run(data, server, "few_shot", limit=5, examples=4)
