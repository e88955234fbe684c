"""Protects imports: a user's file becomes a whole dataset that is scored like a built one, or every problem of it is said and nothing is left behind."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from atomic_tasks.catalog import Catalog
from atomic_tasks.problems import BadInput
from compositions.schema import Workflow
from eval_flows.datasets import open_dataset
from eval_flows.selection.pipeline import evaluate_selection
from flows.import_tasks import import_tasks
from flows.pipeline import Built, build_dataset
from flows.recipe import Recipe
from reports.report import write_report
from runners.processes import process_pool_map
from tests.conftest import REPOSITORY, quiet
from warehouse.errors import WarehouseError
from warehouse.layout import DataFolder
from warehouse.loader import load_warehouse
from warehouse.query import connect, rows_of

Task = dict[str, Any]
SHEET = {"text": "Sum up the second column of the spreadsheet with a formula", "valid_applications": ["google_search", "excel"]}
MAIL = {"valid_applications": ["outlook"]}
CHAIN = {"text": "Sum the column up and mail it", "nodes": [{"valid_applications": ["excel"]}, MAIL], "edges": [[0, 1]]}
TASKS: list[Task] = [
    SHEET,
    {"instruction": "  Open Spotify and play something calm\t", "valid_applications": ["spotify"], "split": "train"},
    {"text": "écris une note ☕", "valid_applications": ["notepad", "notion"], "target_application": "notion", "split": None},
    CHAIN,
    {"text": "Sum up, then mail and print", "nodes": [{"valid_applications": ["excel"]}, MAIL, MAIL], "edges": [[0, 2], [0, 1]]},
    {"text": "Just mail it", "nodes": [MAIL], "split": "dev"},
]


@pytest.fixture(autouse=True)
def _declared(monkeypatch: pytest.MonkeyPatch, catalog: Catalog, workflows: dict[str, Workflow]) -> None:
    """The catalog as the session has read it: to read and validate it anew for every import takes seconds."""
    monkeypatch.setattr("flows.import_tasks.read_declared", lambda: (catalog, workflows))


def lines(tasks: list[Task]) -> bytes:
    return "".join(json.dumps(task, ensure_ascii=False) + "\r\n" for task in tasks).encode()


def imported(content: bytes, data: DataFolder, name: str = "mine", candidates: str = "windows") -> Built:
    path = data.root.parent / "tasks.jsonl"
    path.write_bytes(content)
    return import_tasks(path, name, candidates, data)


def rows_in(built: Built) -> dict[str, Task]:
    return {row["row_seed"]: row for row in ds.dataset(built.folder / "data").to_table().to_pylist()}


def test_rows_are_what_the_lines_say(data: DataFolder, catalog: Catalog) -> None:
    built = imported(lines(TASKS), data)
    sheet, named, note, chain, tree, alone = (rows_in(built)[f"imported/{number}"] for number in range(1, 7))
    assert sheet["target_application"] == "google_search" and sheet["valid_applications"] == ["excel", "google_search"]
    assert sheet["category"] == catalog.applications["google_search"].category
    assert (sheet["split"], named["split"], note["split"], alone["split"]) == ("test", "train", "test", "dev")
    assert named["text"] == named["masked_text"] == "Open Spotify and play something calm"
    assert (named["naming"], named["names_application"]) == ("application", True)
    assert (sheet["naming"], sheet["names_application"]) == ("none", False)
    assert (
        note["text"] == "écris une note ☕" and note["target_application"] == "notion" and note["category"] == catalog.applications["notion"].category
    )
    assert [row["shape"] for row in (sheet, chain, tree, alone)] == ["singleton", "sequential", "parallel", "singleton"]
    assert sheet["nodes"] == [{name: sheet[name] for name in ("target_application", "valid_applications")}] and sheet["edges"] == []
    for graph in (chain, tree):
        assert (graph["target_application"], graph["valid_applications"], graph["category"]) == (None, [], None)
    assert chain["nodes"][1] == {"target_application": "outlook", "valid_applications": ["outlook"]}
    assert tree["edges"] == [{"source": 0, "target": 1}, {"source": 0, "target": 2}]
    assert alone["target_application"] == "outlook"
    assert len({row["task_id"] for row in (sheet, named, note, chain, tree, alone)}) == 6


def test_a_name_that_is_a_word_names_only_with_its_capital(data: DataFolder) -> None:
    texts = ["put all photos in one folder", "put it into Photos for me", "Put it into SPOTIFY for me", "the spotifying of music"]
    valid = ["photos", "photos", "spotify", "spotify"]
    built = imported(lines([{"text": text, "valid_applications": [name]} for text, name in zip(texts, valid, strict=True)]), data)
    assert [rows_in(built)[f"imported/{number}"]["names_application"] for number in range(1, 5)] == [False, True, True, False]


def test_the_dataset_lies_like_a_built_one(data: DataFolder, tiny_recipe: Recipe) -> None:
    built = build_dataset("tiny", tiny_recipe, data, process_pool_map(1), quiet)
    mine = imported(lines(TASKS), data)

    def files(dataset: Built) -> set[str]:
        folder = data.datasets / dataset.dataset_id
        return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file() and "data_docs" not in path.parts}

    assert files(mine) == files(built)
    assert set(mine.manifest) == set(built.manifest) - {"shards_made", "applications_without"}
    for split in ("train", "dev", "test"):
        name = f"data/{split}-00000-of-00001.parquet"
        assert pq.read_schema(mine.folder / name).equals(pq.read_schema(built.folder / name), check_metadata=True)
        stated = mine.manifest["files"][name]
        assert stated == {
            "rows": pq.read_metadata(mine.folder / name).num_rows,
            "sha256": hashlib.sha256((mine.folder / name).read_bytes()).hexdigest(),
        }
    assert pq.read_table(data.datasets / mine.dataset_id / "rejected.parquet").num_rows == 0
    assert mine.manifest["rows"] == {"made": 6, "accepted": 6, "rejected": 0, "rejected_by_stage_and_reason": {}}
    assert mine.manifest["made_from"]["imported_from"] == {"file": "tasks.jsonl", "sha256": hashlib.sha256(lines(TASKS)).hexdigest()}
    card = (mine.folder / "README.md").read_text()
    assert "imported from | `tasks.jsonl`" in card and "size_categories: [n<1K]" in card and "sequential 1" in card


def test_selectors_run_and_the_warehouse_and_report_show_it(data: DataFolder, catalog: Catalog) -> None:
    mine = imported(lines(TASKS), data)
    opened = open_dataset("mine", data)
    assert (opened.dataset_id, tuple(opened.candidates)) == (mine.dataset_id, catalog.candidates["windows"].applications)
    load_warehouse(data)
    connection = connect(data.warehouse)
    assert rows_of(connection, "select dataset, title, user_tasks, rows_made from datasets") == [
        {"dataset": "mine", "title": "Imported from tasks.jsonl", "user_tasks": 6, "rows_made": 6}
    ]
    assert rows_of(connection, "select distinct composition_kind, atomic_tasks from compositions") == [
        {"composition_kind": "imported", "atomic_tasks": []}
    ]
    connection.close()
    evaluated = evaluate_selection("mine", ["random", "heuristic"], data, quiet)
    assert [run.tasks for run in evaluated.runs] == [2, 2], "graphs and other splits stay out"
    connection = connect(data.warehouse)
    answers = rows_of(connection, "select s.* from scored_predictions s join runs using (run_id) where protocol = 'heuristic'")
    assert len(answers) == 2
    (sheet,) = (row for row in answers if row["text"] == SHEET["text"])
    assert (sheet["predicted_application"], sheet["counted_application"]) == ("excel", "google_search"), "a valid answer counts as the target"
    connection.close()
    assert ">Imported from tasks.jsonl</h2>" in write_report(data).read_text(encoding="utf-8")


def test_the_datasets_library_reads_it_by_its_card_though_splits_are_empty(data: DataFolder, tmp_path: Path) -> None:
    from datasets import load_dataset

    loaded = load_dataset(str(imported(lines([SHEET, CHAIN]), data).folder), cache_dir=str(tmp_path / "cache"))
    assert set(loaded) == {"test"} and {row["text"] for row in loaded["test"]} == {SHEET["text"], CHAIN["text"]}


def test_the_same_again_is_there_already(data: DataFolder) -> None:
    first = imported(lines(TASKS), data)
    kept = {path: path.stat().st_mtime_ns for path in data.datasets.rglob("*")}
    again = imported(lines(TASKS), data)
    assert not first.was_there and again.was_there and again.dataset_id == first.dataset_id
    assert {path: path.stat().st_mtime_ns for path in data.datasets.rglob("*")} == kept
    under_another_name = imported(lines(TASKS), data, "yours")
    assert under_another_name.was_there and (data.labels / "yours").resolve() == (data.labels / "mine").resolve()
    assert imported(lines(TASKS[:1]), data).dataset_id != first.dataset_id


def test_another_candidate_list_is_another_dataset(data: DataFolder) -> None:
    tasks = [{**SHEET, "valid_applications": ["excel"]}]
    assert imported(lines(tasks), data).dataset_id != imported(lines(tasks), data, candidates="appselectbench").dataset_id
    with pytest.raises(BadInput, match=r"no candidate list 'window'; did you mean 'windows'\? \(lists: appselectbench, windows\)"):
        imported(lines(tasks), data, candidates="window")
    with pytest.raises(BadInput, match=r"valid_applications\[0\]: no application 'google_search' in the candidate list 'appselectbench'"):
        imported(lines([SHEET]), data, candidates="appselectbench")


def test_other_content_moves_the_name_and_keeps_what_runs_refer_to(data: DataFolder, catalog: Catalog) -> None:
    first = imported(lines(TASKS), data)
    evaluate_selection("mine", ["random"], data, quiet)
    second = imported(lines(TASKS[:3]), data)
    assert open_dataset("mine", data).dataset_id == second.dataset_id
    load_warehouse(data)
    counts = rows_of(connect(data.warehouse), "select dataset_id, count(*) as n from user_tasks group by all")
    assert {row["dataset_id"]: row["n"] for row in counts} == {first.dataset_id: 6, second.dataset_id: 3}


def test_lost_files_are_written_again(data: DataFolder) -> None:
    first = imported(lines(TASKS), data)
    lost = data.datasets / first.dataset_id / "dataset" / "data" / "test-00000-of-00001.parquet"
    before = lost.read_bytes()
    lost.unlink()
    again = imported(lines(TASKS), data)
    assert not again.was_there and lost.read_bytes() == before


@pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbf" + lines(TASKS), lines([*TASKS, {**SHEET, "text": "Sum", "split": "all"}])])
def test_a_file_with_a_problem_leaves_nothing_behind(data: DataFolder, content: bytes) -> None:
    with pytest.raises(BadInput, match=r"tasks\.jsonl:\d: "):
        imported(content, data)
    assert not data.root.exists()


@pytest.mark.parametrize("name", sorted(path.stem for path in (REPOSITORY / "flows/recipes").glob("*.yaml")))
def test_the_name_of_a_recipe_is_refused(data: DataFolder, name: str) -> None:
    with pytest.raises(BadInput, match=f"'{name}' is the name of a recipe.*choose another --name"):
        imported(lines(TASKS), data, name)
    assert not data.root.exists()


@pytest.mark.parametrize("name", ["", "..", "../mine", "a/b", ".hidden", "-mine", "my tasks", "mine\n", "é", "m" * 101])
def test_a_name_that_is_no_folder_of_its_own_is_refused(data: DataFolder, name: str) -> None:
    with pytest.raises(BadInput, match="cannot name a dataset: use"):
        imported(lines(TASKS), data, name)
    assert not data.root.exists()


def test_a_failure_while_writing_leaves_no_dataset(data: DataFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    from flows import import_tasks as module

    def fail(folder: Path, catalog: Catalog) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module, "write_catalog", fail)
    with pytest.raises(WarehouseError, match="is full: free some of it"):
        imported(lines(TASKS), data)
    assert not list(data.datasets.iterdir()) and not data.labels.exists()
