"""Protects `deskmill show`: every kind of id is found, by its beginning too, and what is shown is what the tables hold."""

import json
import shutil
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.warehouse.episode_rows import episode_row, step_row, write_run, write_suite
from warehouse.errors import WarehouseError
from warehouse.layout import DataFolder
from warehouse.loader import load_warehouse
from warehouse.show import show

CALL = "c0ffee00c0ffee00"
STUDY = "57d1e5000057d1e5"
MIXTURE = "3125704e3125"
PROMPT = [{"role": "system", "content": "Choose one."}, {"role": "user", "content": "the task\nof two lines"}]


@pytest.fixture(scope="module")
def warehouse(tiny: DataFolder, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small dataset with two runs, and by hand a model call, a paraphrase, a graph and a study of its tasks."""
    copy = tmp_path_factory.mktemp("show") / "copy.duckdb"
    shutil.copy(tiny.warehouse, copy)
    connection = duckdb.connect(str(copy))
    connection.execute("insert into model_calls values (?, 'a run', 'some-model', 'http://here', now(), 'answered', 1, 10, 0, 5, 0.5, 20)", [CALL])
    connection.execute("update predictions set calls = [?], said = 'excel, I think' where task_id = (select min(task_id) from predictions)", [CALL])
    connection.execute("insert into quality_studies select ?, dataset_id, dataset, 1, 1, now() from datasets", [STUDY])
    connection.execute(
        "insert into quality_ratings select ?, 'anna', 'person', min(task_id), 4, 5, 'too narrow', 'paint can too' from predictions", [STUDY]
    )
    connection.execute("insert into mixtures select ?, dataset_id, dataset, 1, now() from datasets", [MIXTURE])
    connection.execute("insert into mixture_texts values ($1, 'a', 'dataset', 'x', null, '{}'), ($1, 'b', 'people', 'y', null, '{}')", [MIXTURE])
    connection.execute(
        "insert into mixture_ratings select study_id, 'anna', 'person', text_id, 4, 5, 3, false, 'stiff' from mixture_texts where study_id = ?",
        [MIXTURE],
    )
    connection.close()
    return copy


RUN, EPISODE = "e5e5e5e5e5e5e5e5", "ab12ab12ab12ab12"


@pytest.fixture(scope="module")
def of_episodes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of episodes: one that a model failed at in its second step, and one that succeeded."""
    data = DataFolder(tmp_path_factory.mktemp("episodes"))
    failed = episode_row(RUN, EPISODE, status="model failed", reward=0.0, steps=2, model_seconds=3.0)
    steps = [step_row(failed, 1, words="I press it.", calls=[CALL]), step_row(failed, 2, decision="NONE", actions=[], feedback="too long")]
    write_run(data, [failed, episode_row(RUN, "cd34")], steps)
    return load_warehouse(data)


def one(warehouse: Path, query: str) -> Any:
    connection = duckdb.connect(str(warehouse), read_only=True)
    ((value,),) = connection.execute(query).fetchall()
    connection.close()
    return value


def shown(warehouse: Path, asked: str) -> dict[str, Any]:
    (thing,) = json.loads(show(warehouse, asked, "json", lambda call: PROMPT if call == CALL else None))
    assert isinstance(thing, dict)
    return thing


def text_of(warehouse: Path, asked: str) -> str:
    return show(warehouse, asked, "table", lambda call: PROMPT if call == CALL else None)


def test_a_task_has_its_lineage_and_the_answer_of_each_run(warehouse: Path) -> None:
    identity = one(warehouse, "select min(task_id) from predictions")
    thing = shown(warehouse, identity)
    assert thing["kind"] == "task" and thing["id"] == identity
    assert thing["facts"][0]["text"] == one(warehouse, f"select text from user_tasks where task_id = '{identity}'")
    steps = one(warehouse, f"select c.atomic_tasks from user_tasks join compositions c using (composition_id) where task_id = '{identity}'")
    assert [step["atomic_task_id"] for step in thing["steps"]] == steps and all(step["title"] for step in thing["steps"])
    assert {answer["protocol"] for answer in thing["answers"]} == {"random", "heuristic"}
    assert {answer["said"] for answer in thing["answers"]} == {"excel, I think"}
    page = text_of(warehouse, identity)
    assert f"task {identity}" in page and "empty: nodes, edges" in page


def test_a_run_of_episodes_has_its_success_with_intervals_its_ends_and_its_episodes(of_episodes: Path) -> None:
    thing = shown(of_episodes, RUN[:4])
    assert thing["kind"] == "run of episodes" and thing["facts"][0]["suite"] == "smoke"
    whole = thing["success"][0]
    assert (whole["slice"], whole["played"], whole["success"]) == ("all", 2, 0.5) and whole["success_low"] < 0.5 < whole["success_high"]
    assert {row["status"]: row["episodes"] for row in thing["statuses"]} == {"done": 1, "model failed": 1}
    assert {row["episode_id"] for row in thing["episodes"]} == {EPISODE, "cd34"} and thing["cost"][0]["played"] == 2 and thing["pass_at_k"]
    assert text_of(of_episodes, RUN).startswith(f"run of episodes {RUN}")


def test_an_episode_has_what_its_oracle_and_the_best_demonstration_take(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    write_suite(data, "smoke", [{"episode_id": EPISODE, "oracle_lines": 6, "oracle_seconds": 2.5}])
    for run_id, steps in (("r1", 9), ("r2", 5)):
        write_run(data, [episode_row(run_id, EPISODE, agent="person", steps=steps)])
    thing = shown(load_warehouse(data), EPISODE)
    assert [(row["done_by"], row["steps"], row["seconds"]) for row in thing["reference"]] == [("oracle", 6, 2.5), ("person", 5, 3.0)]
    assert thing["reference"][1]["recording"] == f"runs/r2/trajectories/{EPISODE}_1"


def test_the_effort_is_told_for_each_suite_with_what_was_published_of_a_person_if_no_demonstration_is_here(tmp_path: Path) -> None:
    data, declared = DataFolder(tmp_path), {"human_steps": 20, "human_seconds": 60.0, "human_recording": "a film"}
    for name in ("smoke", "desktop"):
        write_suite(data, name, [{"episode_id": EPISODE, "oracle_lines": 6, "oracle_seconds": 2.5, **declared}])
    write_run(data, [episode_row("r1", EPISODE, agent="person", suite="smoke", steps=5)])
    told = [(row["suite"], row["done_by"], row["steps"], row["recording"]) for row in shown(load_warehouse(data), EPISODE)["reference"]]
    assert told == [
        ("desktop", "oracle", 6, None),
        ("desktop", "person, as published", 20, "a film"),
        ("smoke", "oracle", 6, None),
        ("smoke", "person", 5, f"runs/r1/trajectories/{EPISODE}_1"),
    ]


def test_an_episode_has_its_instruction_runs_checks_and_steps(of_episodes: Path) -> None:
    thing = shown(of_episodes, EPISODE[:5])
    assert thing["kind"] == "episode" and thing["facts"][0]["instruction"] == f"do {EPISODE}" and thing["facts"][0]["suites"] == ["smoke"]
    assert [(row["run_id"], row["status"], row["model_seconds"]) for row in thing["runs"]] == [(RUN, "model failed", 3.0)]
    assert [(row["check"], row["holds"]) for row in thing["checks"]] == [('{"text": "Documents/a.txt"}', True)]
    assert [(row["decision"], row["feedback"]) for row in thing["steps"]] == [("COMMAND", ""), ("NONE", "too long")]
    call = shown(of_episodes, CALL)
    assert call["kind"] == "model call" and call["steps"][0]["episode_id"] == EPISODE and call["steps"][0]["words"] == "I press it."


def test_dropped_steps_are_marked(warehouse: Path) -> None:
    identity = one(warehouse, "select min(task_id) from user_tasks where len(dropped_steps) = 1")
    (dropped,) = one(warehouse, f"select dropped_steps from user_tasks where task_id = '{identity}'")
    assert [step["position"] for step in shown(warehouse, identity)["steps"] if not step["is_said"]] == [dropped]


def test_a_run_has_its_accuracy_with_interval_statuses_and_cost(warehouse: Path) -> None:
    identity = one(warehouse, "select run_id from runs where protocol = 'heuristic'")
    thing = shown(warehouse, identity[:6])
    assert thing["kind"] == "run" and thing["id"] == identity
    (scores,) = thing["accuracy"]
    assert scores["accuracy"] == one(warehouse, f"select accuracy from accuracy where run_id = '{identity}'")
    assert scores["accuracy_low"] < scores["accuracy"] < scores["accuracy_high"]
    assert sum(row["tasks"] for row in thing["statuses"]) == one(warehouse, f"select count(*) from predictions where run_id = '{identity}'")
    assert len(thing["cost"]) == 1 and len(thing["by_category"]) > 5
    assert "empty: set scores, graph scores, calls" in text_of(warehouse, identity)


def test_a_call_has_its_prompt_and_what_came_of_it(warehouse: Path) -> None:
    thing = shown(warehouse, CALL[:5])
    assert (thing["kind"], thing["prompt"], thing["attempts"][0]["model"]) == ("model call", PROMPT, "some-model")
    assert [answer["said"] for answer in thing["answers"]] == ["excel, I think"] * 2
    page = text_of(warehouse, CALL)
    assert "  [system]\n    Choose one.\n  [user]\n    the task\n    of two lines" in page
    assert "prompt\n  not kept" in show(warehouse, CALL, "table", lambda call: None)


@pytest.mark.parametrize(
    ("query", "kind", "section"),
    [
        ("select dataset from datasets", "dataset", "splits"),
        ("select dataset_id from datasets", "dataset", "runs"),
        ("select composition_id from user_tasks order by task_id limit 1", "composition", "tasks"),
        ("select c.atomic_tasks[1] from compositions c order by composition_id limit 1", "atomic task", "tasks"),
        ("select target_application from user_tasks order by task_id limit 1", "application", "atomic_tasks"),
        (f"select '{STUDY}'", "quality study", "doubts"),
        (f"select '{MIXTURE}'", "mixture", "signs"),
        (f"select '{MIXTURE}'", "mixture", "auc"),
    ],
)
def test_every_kind_of_thing_is_shown(warehouse: Path, query: str, kind: str, section: str) -> None:
    identity = one(warehouse, query)
    thing = shown(warehouse, identity)
    assert thing["kind"] == kind and len(thing["facts"]) == 1 and thing[section]
    assert text_of(warehouse, identity).startswith(kind)


def test_a_name_goes_before_longer_names_that_begin_so_whatever_its_case(warehouse: Path) -> None:
    assert shown(warehouse, "Excel")["id"] == "excel"  # and excel.sum_column begins with it


def test_an_ambiguous_beginning_names_some_that_begin_so(warehouse: Path) -> None:
    with pytest.raises(
        WarehouseError, match=r"several ids begin with 'excel\.s'; give more characters:\n  excel\.save_workbook  atomic task SaveWorkbook"
    ):
        text_of(warehouse, "excel.s")


@pytest.mark.parametrize(
    ("asked", "message"), [("exel", "did you mean:\n  excel  application Microsoft Excel"), ("zzzz", "deskmill sql"), ("", "deskmill sql")]
)
def test_what_is_unknown_is_said_with_what_may_be_meant(warehouse: Path, asked: str, message: str) -> None:
    with pytest.raises(WarehouseError, match=f"nothing in the warehouse has the id '{asked}'") as raised:
        text_of(warehouse, asked)
    assert message in str(raised.value)
