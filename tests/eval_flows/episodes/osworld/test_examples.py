"""Protects the task files of the documentation: the metrics and getters that are here judge them, on a machine that is told what to answer."""

from pathlib import Path

import pytest

from atomic_tasks.catalog import sound_catalog
from eval_flows.episodes.environment import DONE, FAIL, Environment
from eval_flows.episodes.osworld.file_cache import FileCache
from eval_flows.episodes.osworld.importing import Asked, import_suite
from eval_flows.episodes.tasks.suite import read_suite, suite_tasks
from tests.conftest import REPOSITORY
from tests.eval_flows.episodes.osworld.made import Client, Fake
from warehouse.layout import DataFolder

PAGE = REPOSITORY / "docs" / "imports"


@pytest.mark.parametrize(("last_line", "reward"), [("milk\n", 1), ("bread\n", 0), ("", 0)])
def test_the_documented_tasks_are_imported_and_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, last_line: str, reward: int) -> None:
    monkeypatch.setenv("DESKMILL_DATA", str(tmp_path))
    found = import_suite(Asked(PAGE / "tasks", "example", "smoke", FileCache.of(PAGE / "files")), DataFolder(tmp_path), is_dry=False)
    assert {row.task: row.reason for row in found.rows} == {"chrome/bookmark_a_page": "internet", "os/add_milk": None, "os/print_on_the_moon": None}
    milk, moon = (one.task for one in suite_tasks(read_suite("example"), sound_catalog()))
    client = Client(says={"tail -n 1 notes.txt": {"output": last_line, "error": "", "returncode": 0}})
    with Environment(Fake(client).as_machine, sees=()) as environment:
        environment.reset(milk)
        assert client.files["notes.txt"] == b"bread\n" and ("launch", ["mousepad", "notes.txt"], False) in client.asked
        environment.step(DONE)
        assert environment.evaluate().value == reward
        for ending, earned in ((DONE, 0), (FAIL, 1)):
            environment.reset(moon)
            environment.step(ending)
            assert environment.evaluate().value == earned
