"""Protects the protocols that ask a language model: what is asked, and how answers are read and scored."""

import json
import re
from typing import Any

import pytest

from atomic_tasks.catalog import Catalog
from eval_flows.datasets import open_dataset
from eval_flows.selection.tasks import scored_tasks
from retrieval.cards import card
from tests.eval_flows.knowing_model import Knowing, predictions, run, task_of
from tests.language_models.fake_server import Fault, fake_server
from warehouse.layout import DataFolder
from warehouse.query import connect, rows_of


def test_zero_shot_asks_with_the_list_first_and_the_task_last(data: DataFolder, knowing: Knowing, catalog: Catalog) -> None:
    with fake_server(knowing.name) as server:
        evaluated = run(data, server, "zero_shot", limit=20)
        requests = server.requests
    assert {row["status"] for row in predictions(data)} == {"answered"} and all(row["is_correct"] for row in predictions(data))
    systems = {request["messages"][0]["content"] for request in requests}
    assert len(systems) == 1, "what is the same for all tasks must be the same text, so that servers can reuse it"
    assert f"Applications: {', '.join(catalog.candidates['windows'].applications)}" in systems.pop()
    assert all(request["messages"][1]["content"].endswith("\nApplication:") and request["temperature"] == 0 for request in requests)
    (row,) = rows_of(connect(data.warehouse), "select * from runs")
    assert row["prompt"] and row["at_once"] == 8 and json.loads(row["sampling"])["reply"] == "text" and row["run_id"] == evaluated.runs[0].run_id


def test_few_shot_shows_the_same_examples_of_the_train_split(data: DataFolder, knowing: Knowing, catalog: Catalog) -> None:
    with fake_server(knowing.name) as server:
        run(data, server, "few_shot", limit=10, examples=4)
        (system,) = {request["messages"][0]["content"] for request in server.requests}
    shown = re.findall(r"Task: (.*)\nApplication: (.*)", system)
    train = {task.text: task for task in scored_tasks(open_dataset("tiny", data), "train")}
    assert len(shown) == 4 and all(name in train[text].valid_applications for text, name in shown)
    assert len({catalog.applications[name].category for _, name in shown}) == 4


@pytest.mark.rotates(of="selectors that read all cards or tasks", number=2)
@pytest.mark.slow
def test_few_shot_shows_the_nearest_examples_and_ras_the_nearest_cards(data: DataFolder, knowing: Knowing, catalog: Catalog) -> None:
    with fake_server(knowing.name) as server:
        run(data, server, "few_shot", limit=10, examples=3, example_choice="nearest")
        assert all(request["messages"][1]["content"].count("Task: ") == 4 for request in server.requests)
        server.requests.clear()
        run(data, server, "ras", limit=30, cards=5)
        for request in server.requests:
            assert request["messages"][1]["content"].count("\n- ") == 5
    rows = predictions(data, 1)
    assert all(len(row["retrieved"]) == 5 for row in rows)
    (scored,) = rows_of(connect(data.warehouse), "select * from accuracy where protocol = 'ras'")
    tasks = {task.task_id: task for task in knowing.tasks.values()}
    found = sum(bool(set(row["retrieved"]) & set(tasks[row["task_id"]].valid_applications)) for row in rows)
    assert scored["retrieval_recall"] == pytest.approx(found / len(rows)) and found > 0


def test_ras_with_all_cards_shows_them_in_the_static_part(data: DataFolder, knowing: Knowing, catalog: Catalog) -> None:
    with fake_server(knowing.name) as server:
        run(data, server, "ras", limit=5, cards=None)
        (system,) = {request["messages"][0]["content"] for request in server.requests}
    assert all(card(catalog.applications[name]) in system for name in catalog.candidates["windows"].applications)


def test_under_a_schema_the_answer_is_one_of_the_list(data: DataFolder, knowing: Knowing, catalog: Catalog) -> None:
    with fake_server(lambda request: json.dumps({"application": knowing.name(request)})) as server:
        run(data, server, "zero_shot", limit=10, reply="schema")
        schema = server.requests[0]["response_format"]["json_schema"]
    assert schema["strict"] and schema["schema"]["properties"]["application"]["enum"] == list(catalog.candidates["windows"].applications)
    assert all(row["is_correct"] for row in predictions(data))


def test_the_category_is_asked_before_the_application(data: DataFolder, knowing: Knowing, catalog: Catalog) -> None:
    def reply(request: dict[str, Any]) -> str:
        return knowing.category(request) if request["messages"][1]["content"].endswith("Kind:") else knowing.name(request)

    with fake_server(reply) as server:
        run(data, server, "hierarchical", limit=10)
        assert len(server.requests) == 20
        seconds = [request["messages"][0]["content"] for request in server.requests if request["messages"][1]["content"].endswith("Application:")]
    assert all(len(system.partition("Applications: ")[2].split(", ")) < 40 for system in seconds)
    rows = predictions(data)
    assert all(row["is_correct"] and len(row["calls"]) == 2 and row["input_tokens"] == 22 for row in rows)


def test_a_category_that_cannot_be_read_is_the_answer(data: DataFolder, knowing: Knowing) -> None:
    with fake_server(lambda request: "Sports") as server:
        run(data, server, "hierarchical", limit=5)
        assert len(server.requests) == 5
    assert {row["status"] for row in predictions(data)} == {"not_in_list"}


def test_sets_are_scored_against_all_that_is_valid(data: DataFolder, knowing: Knowing) -> None:
    with fake_server(lambda request: ", ".join([*sorted(knowing[request].valid_applications), "Lotus"])) as server:
        run(data, server, "zero_shot", limit=20, choose="set")
    (row,) = rows_of(connect(data.warehouse), "select * from set_scores")
    sizes = [len(prediction["predicted_applications"]) for prediction in predictions(data)]
    assert (
        row["mean_recall"] == 1 and row["mean_precision"] == pytest.approx(sum((size - 1) / size for size in sizes) / 20) and row["exact_share"] == 0
    )
    assert all(prediction["is_correct"] for prediction in predictions(data))


def test_graphs_are_scored_by_their_own_measures(data: DataFolder, built: DataFolder, catalog: Catalog) -> None:
    graphs = Knowing(built, catalog, "graphs")

    def reply(request: dict[str, Any]) -> str:
        task = graphs[request]
        return json.dumps({"nodes": [sorted(node)[0] for node in task.nodes], "edges": task.edges})

    with fake_server(reply) as server:
        run(data, server, "graph", reply="schema")
    rows = predictions(data)
    assert rows and all(row["is_exact"] and row["is_correct"] and row["node_f1"] == 1 and row["edge_f1"] in {1, None} for row in rows)
    assert all(row["kendall_tau"] in {1, None} for row in rows) and any(row["kendall_tau"] == 1 for row in rows)
    connection = connect(data.warehouse)
    assert rows_of(connection, "select * from scored_predictions") == [], "graphs stay outside the views of single tasks"
    (row,) = rows_of(connection, "select * from graph_scores where shape = 'all'")
    assert row["tasks"] == len(rows) and row["exact_share"] == 1


def test_a_single_task_is_the_graph_of_one_node(data: DataFolder, knowing: Knowing) -> None:
    def reply(request: dict[str, Any]) -> str:
        return json.dumps({"nodes": [knowing.name(request) if task_of(request) in knowing.tasks else "excel"], "edges": []})

    with fake_server(reply) as server:
        run(data, server, "graph", limit=60, with_singletons=True)
    shapes = {row["shape"]: row for row in rows_of(connect(data.warehouse), "select * from graph_scores")}
    assert shapes["singleton"]["exact_share"] == 1 and shapes["singleton"]["edge_f1"] is None
    assert shapes["all"]["tasks"] == 60 > shapes["singleton"]["tasks"]


def test_every_status_stays_in_the_denominator(data: DataFolder, knowing: Knowing) -> None:
    said: list[str | Fault] = ["excel", "Lotus", "I'm sorry, no.", Fault("empty"), Fault("long"), Fault("refusal"), Fault("500")]
    order = {text: said[number % len(said)] for number, text in enumerate(knowing.tasks)}
    with fake_server(lambda request: order[task_of(request)]) as server:
        run(data, server, "zero_shot", limit=70)
    statuses = {row["status"] for row in predictions(data)}
    assert statuses == {"answered", "not_in_list", "refused", "empty", "truncated", "failed"}
    (row,) = rows_of(connect(data.warehouse), "select * from accuracy")
    assert row["tasks"] == 70 and row["answered"] == sum(prediction["status"] == "answered" for prediction in predictions(data)) < 20
    assert row["accuracy"] == row["correct"] / 70 and row["accuracy_of_answered"] == row["correct"] / row["answered"]
