"""A model that knows the right answers, and what asks it in tests."""

from typing import Any

from atomic_tasks.catalog import Catalog
from eval_flows.datasets import open_dataset
from eval_flows.selection.pipeline import Choices, Evaluated, evaluate_selection
from eval_flows.selection.tasks import Task, scored_tasks
from language_models.client import Endpoint, Patience
from tests.conftest import quiet
from tests.language_models.fake_server import FakeServer
from warehouse.layout import DataFolder
from warehouse.query import connect, rows_of

QUICK = Patience(attempts=6, timeout=60, first_pause=0.01, longest_pause=0.05)


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
        self.tasks = {task.text: task for task in scored_tasks(open_dataset("tiny", data), "test", shapes)}
        self.catalog = catalog

    def __getitem__(self, request: dict[str, Any]) -> Task:
        return self.tasks[task_of(request)]

    def name(self, request: dict[str, Any]) -> str:
        return str(self[request].target_application)

    def category(self, request: dict[str, Any]) -> str:
        return self.catalog.applications[self.name(request)].category
