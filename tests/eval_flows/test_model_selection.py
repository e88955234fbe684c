"""Protects the protocols that ask a language model: what is asked, how answers are read and scored, and that runs outlive what befalls them."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from atomic_tasks.catalog import Catalog
from atomic_tasks.problems import BadInput
from eval_flows.datasets import open_dataset
from eval_flows.selection.pipeline import Choices, Evaluated, evaluate_selection, expect_calls
from eval_flows.selection.tasks import Task, scored_tasks
from flows.parallel import process_pool_map
from flows.pipeline import build_dataset
from flows.recipe import read_recipe
from language_models.client import Endpoint, Patience, Prices
from language_models.errors import ModelError
from retrieval.cards import card
from tests.conftest import REPOSITORY
from tests.language_models.fake_server import MIXED, FakeServer, Fault, failing, fake_server
from warehouse.layout import DataFolder
from warehouse.query import connect, rows_of

QUICK = Patience(attempts=6, timeout=1.0, first_pause=0.01, longest_pause=0.05)


def quiet(stage: str, done: int, total: int, note: str = "") -> None:
    """No progress in tests."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> DataFolder:
    data = DataFolder(tmp_path_factory.mktemp("built"))
    recipe = read_recipe("tiny")[1].model_copy(update={"tasks": 660, "graph_tasks": 60})
    build_dataset("tiny", recipe, data, process_pool_map(1), quiet)
    return data


@pytest.fixture
def data(built: DataFolder, tmp_path: Path) -> Iterator[DataFolder]:
    """The built dataset in a data folder of the test's own."""
    (tmp_path / "datasets").symlink_to(built.labels)
    (tmp_path / "store").symlink_to(built.root / "store")
    yield DataFolder(tmp_path)


def run(data: DataFolder, server: FakeServer, *protocols: str, **chosen: Any) -> Evaluated:
    endpoint = chosen.pop("endpoint", Endpoint("m", server.base_url, patience=QUICK))
    return evaluate_selection("tiny", protocols, data, quiet, Choices(endpoint=endpoint, **chosen))


def predictions(data: DataFolder, number: int = 0) -> list[dict[str, Any]]:
    connection = connect(data.warehouse)
    ids = [row["run_id"] for row in rows_of(connection, "select run_id from runs order by protocol")]
    rows = rows_of(connection, "select * from predictions where run_id = ? order by position", [ids[number]])
    connection.close()
    return rows


def task_of(request: dict[str, Any]) -> str:
    """The task that a prompt asks about: the last one in it."""
    return str(request["messages"][1]["content"].rpartition("Task: ")[2].partition("\n")[0])


class Knowing:
    """A model that knows the right answer to the test tasks of `tiny`, and says it as it is told."""

    def __init__(self, data: DataFolder, catalog: Catalog, shapes: Any = "singletons") -> None:
        self.tasks = {task.text: task for task in scored_tasks(open_dataset("tiny", data, catalog), "test", shapes)}
        self.catalog = catalog

    def __getitem__(self, request: dict[str, Any]) -> Task:
        return self.tasks[task_of(request)]

    def name(self, request: dict[str, Any]) -> str:
        return str(self[request].target_application)

    def category(self, request: dict[str, Any]) -> str:
        return self.catalog.applications[self.name(request)].category


@pytest.fixture
def knowing(built: DataFolder, catalog: Catalog) -> Knowing:
    return Knowing(built, catalog)


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
    train = {task.text: task for task in scored_tasks(open_dataset("tiny", data, catalog), "train")}
    assert len(shown) == 4 and all(name in train[text].valid_applications for text, name in shown)
    assert len({catalog.applications[name].category for _, name in shown}) == 4


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


def test_failed_rows_are_asked_again_and_a_larger_limit_extends_the_run(data: DataFolder, knowing: Knowing) -> None:
    broken = [True]

    def reply(request: dict[str, Any]) -> str | int:
        return 500 if broken[0] and hash(task_of(request)) % 5 == 0 else knowing.name(request)

    with fake_server(reply) as server:
        first = run(data, server, "zero_shot", limit=40)
        failed = sum(row["status"] == "failed" for row in predictions(data))
        assert failed
        broken[0] = False
        second = run(data, server, "zero_shot", limit=60)
        assert first.runs[0].run_id == second.runs[0].run_id
        assert [row["status"] for row in predictions(data)] == ["answered"] * 60
        assert len(server.paid) == 60 and set(server.paid.values()) == {1}
        before = len(server.requests)
        run(data, server, "zero_shot", limit=60)
        assert len(server.requests) == before


def test_a_budget_ends_a_run_cleanly_and_more_goes_on(data: DataFolder, knowing: Knowing) -> None:
    with fake_server(knowing.name) as server:
        priced = Endpoint("m", server.base_url, prices=Prices(0, 1_000_000 / 7), patience=QUICK)  # a dollar an answer, forty reserved
        ended = run(data, server, "zero_shot", limit=100, endpoint=priced, budget=30)
        assert ended.ended_early and "budget of $30 is reached" in ended.ended_early
        done = len(predictions(data))
        assert 0 < done < 100 and len(server.requests) <= 30
        finished = run(data, server, "zero_shot", limit=100, endpoint=priced, budget=1000)
        assert finished.ended_early is None and len(predictions(data)) == 100 and set(server.paid.values()) == {1}
    assert sum(row["cost_usd"] for row in predictions(data)) == pytest.approx(100)
    (spent,) = rows_of(connect(data.warehouse), "select sum(cost_usd) as dollars, count(*) as calls, min(purpose) as purpose from model_calls")
    assert spent["dollars"] == pytest.approx(100) and spent["calls"] == 100 and spent["purpose"] == finished.runs[0].run_id


def test_a_dry_run_counts_and_asks_nothing(data: DataFolder, knowing: Knowing) -> None:
    with fake_server(knowing.name) as server:
        endpoint = Endpoint("m", server.base_url, prices=Prices(1, 1))
        run(data, server, "zero_shot", limit=10)
        asked = len(server.requests)
        zero, chosen, random = expect_calls("tiny", ["zero_shot", "hierarchical", "random"], data, quiet, Choices(endpoint=endpoint, limit=30))
        assert len(server.requests) == asked
    assert (zero.calls, zero.most_output_tokens) == (20, 20 * 40) and zero.most_dollars == pytest.approx((zero.input_tokens + 800) / 1e6)
    assert (chosen.calls, random.calls) == (60, 0)
    assert "20 calls, about" in str(zero) and "at most $0.0" in str(zero)


def test_replay_needs_no_server_and_gives_the_same(data: DataFolder, knowing: Knowing) -> None:
    with fake_server(knowing.name) as server:
        run(data, server, "zero_shot", limit=30)
        address = server
    first = predictions(data)
    for path in data.runs.rglob("*.parquet"):
        path.unlink()
    run(data, address, "zero_shot", limit=30, replay=True)
    assert predictions(data) == first
    with pytest.raises(ModelError, match="not in the cache"):
        run(data, address, "zero_shot", limit=31, replay=True)
    assert len(predictions(data)) == 30


def test_a_batch_gives_what_single_calls_give(data: DataFolder, knowing: Knowing) -> None:
    with fake_server(knowing.name) as server:
        run(data, server, "zero_shot", limit=30, batch=True)
        assert server.requests == [] and len(server.batches) == 1
    assert all(row["is_correct"] for row in predictions(data))


def test_what_cannot_be_asked_is_said_before_anything_is(data: DataFolder, knowing: Knowing) -> None:
    with pytest.raises(BadInput, match=r"zero_shot asks a language model: name one with --model \(others need none: random, heuristic"):
        evaluate_selection("tiny", ["random", "zero_shot"], data, quiet)
    with fake_server(knowing.name, models=["other"]) as server:
        with pytest.raises(ModelError, match="does not serve model 'm'"):
            run(data, server, "zero_shot", limit=5)
        assert server.requests == []
    with fake_server(knowing.name, models=["m"], context=200) as server:
        with pytest.raises(ModelError, match="too long for the 200 of model 'm'"):
            run(data, server, "zero_shot", limit=5)
        assert server.requests == []


def test_a_key_is_in_nothing_that_is_written(data: DataFolder, knowing: Knowing, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "sk-very-secret-indeed")
    with fake_server(failing(knowing.name, 0.2, [Fault("500", message="for sk-very-secret-indeed"), Fault("429")])) as server:
        run(data, server, "zero_shot", limit=30, endpoint=Endpoint("m", server.base_url, "MY_KEY", patience=QUICK))
        assert set(server.keys) == {"Bearer sk-very-secret-indeed"}
    written = [path for path in data.root.rglob("*") if path.is_file() and "store" not in path.parts]
    assert len(written) >= 4 and not any(b"sk-very-secret" in path.read_bytes() for path in written)


_KILLED = """
import sys
from eval_flows.selection.pipeline import Choices, evaluate_selection
from language_models.client import Endpoint
from warehouse.layout import DataFolder
from pathlib import Path
evaluate_selection("tiny", ["zero_shot"], DataFolder(Path(sys.argv[1])), lambda *shown: None, Choices(endpoint=Endpoint("m", sys.argv[2], at_once=4)))
"""


def test_a_killed_run_goes_on_and_repeats_at_most_what_was_in_flight(data: DataFolder, knowing: Knowing) -> None:
    with fake_server(knowing.name, latency=0.02) as server:
        kills = 0
        while kills < 3:
            process = subprocess.Popen([sys.executable, "-c", _KILLED, str(data.root), server.base_url], cwd=REPOSITORY)
            before = len(server.requests)
            while len(server.requests) < before + 15 and process.poll() is None:
                time.sleep(0.01)
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
            kills += 1
        finished = run(data, server, "zero_shot")
        total = finished.runs[0].tasks
        assert len(server.paid) == total and sum(server.paid.values()) <= total + kills * 4
    killed = predictions(data)
    assert len(killed) == total and all(row["is_correct"] for row in killed)
    straight = DataFolder(data.root / "straight")
    straight.root.mkdir()
    for name in ("datasets", "store"):
        (straight.root / name).symlink_to((data.root / name).resolve())
    with fake_server(knowing.name) as server:
        run(straight, server, "zero_shot")
    same = ("task_id", "position", "predicted_application", "status", "is_correct", "said", "input_tokens")
    assert [[row[name] for name in same] for row in killed] == [[row[name] for name in same] for row in predictions(straight)]


@pytest.mark.slow
def test_a_run_of_five_thousand_with_a_third_failing_completes(tmp_path: Path, catalog: Catalog) -> None:
    """Thirty in a hundred calls fail, in mixed ways; every row has a status, and no answer is paid for twice."""
    recipe = read_recipe("demo")[1].model_copy(update={"tasks": 5100, "graph_tasks": 100})
    data = DataFolder(tmp_path)
    build_dataset("big", recipe, data, process_pool_map(2), quiet)
    with fake_server(failing(lambda request: "excel", 0.3, MIXED)) as server:
        endpoint = Endpoint("m", server.base_url, at_once=64, patience=QUICK)
        evaluate_selection("big", ["zero_shot"], data, quiet, Choices(endpoint=endpoint, split="all"))
        assert set(server.paid.values()) == {1}
        rows = predictions(data)
        assert len(rows) == 5000 and all(row["status"] for row in rows)
        failed = sum(row["status"] == "failed" for row in rows)
        assert failed < 50
        for _ in range(5):
            evaluate_selection("big", ["zero_shot"], data, quiet, Choices(endpoint=endpoint, split="all"))
        assert not any(row["status"] == "failed" for row in predictions(data)) and set(server.paid.values()) == {1} and len(server.paid) == 5000
    assert sum(pq.read_metadata(path).num_rows for path in data.runs.rglob("*.parquet")) == 5000
