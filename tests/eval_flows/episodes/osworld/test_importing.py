"""Protects importing: every file has its row, the table adds up, the suite holds what its runnable tasks need, and bad files stop nobody else's."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from atomic_tasks.catalog import sound_catalog
from atomic_tasks.problems import BadInput
from deskmill import main
from eval_flows.episodes.agents.choice import AgentChoice
from eval_flows.episodes.osworld import getters, metrics
from eval_flows.episodes.osworld.imported_task import ImportedTask
from eval_flows.episodes.osworld.importing import ROWS
from eval_flows.episodes.osworld.needs import reasons
from eval_flows.episodes.runs.pipeline import EpisodeOptions, planned_run
from eval_flows.episodes.tasks.needs import refuse_if_lacking
from eval_flows.episodes.tasks.suite import read_suite, suite_names, suite_tasks, valid_programs
from machines.errors import MachineNeeds
from machines.image import Image
from tests.eval_flows.episodes.osworld.made import GOLD, OFFERS, SHEET, cached, step, task, write
from warehouse.layout import DataFolder

FILES = {SHEET: b"sheet", GOLD: b"gold"}
Import = Callable[..., Result]


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DataFolder:
    monkeypatch.setenv("DESKMILL_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(getters, "GETTERS", {"vm_file": lambda guest, asked: None, "cloud_file": lambda guest, asked: None})
    monkeypatch.setattr(metrics, "METRICS", {"compare_table": lambda result, expected, rules=(): 0.0})
    return DataFolder(tmp_path / "data")


@pytest.fixture
def imports(data: DataFolder, tmp_path: Path) -> Import:
    """Imports task files from `tasks`, with the cache that a person has filled."""
    cached(tmp_path / "cache", FILES)

    def run(*more: str, name: str = "theirs") -> Result:
        return CliRunner().invoke(main, ["suite", "import", str(tmp_path / "tasks"), "--name", name, "--cache", str(tmp_path / "cache"), *more])

    return run


TASKS = {
    "libreoffice_calc/a": task(),
    "libreoffice_calc/b": task(proxy=True),
    "chrome/c": task(related_apps=["chrome"], config=[step("login", settings_file="s", platform="googledrive")]),
    "os/d": task(evaluator={"func": "infeasible"}, config=[], related_apps=["os"]),
    "notepad/e": task(id="e-WOS"),
    "gimp/f": task(evaluator={**task()["evaluator"], "expected": {"type": "cloud_file", "path": "https://files.example.org/none", "dest": "n"}}),
}


def written_under(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_every_file_has_its_row_and_the_table_adds_up(imports: Import, data: DataFolder, tmp_path: Path) -> None:
    write(tmp_path / "tasks", TASKS)
    (tmp_path / "tasks" / "test_all.json").write_text('{"os": ["d"]}')
    said = imports()
    assert said.exit_code == 0, said.output
    rows = ROWS.validate_json((data.imported / "theirs" / "tasks.json").read_bytes())
    assert {row.task: row.reason for row in rows} == {
        "chrome/c": "account", "gimp/f": "file", "libreoffice_calc/a": None, "libreoffice_calc/b": "internet", "notepad/e": "windows", "os/d": None,
    }  # fmt: skip
    head, *lines = [line.split() for line in said.output.split("\n\n")[0].splitlines()]
    assert head == ["application", "runnable", "windows", "account", "internet", "file", "all"]
    counts = [list(map(int, line[1:])) for line in lines]
    assert all(sum(line[:-1]) == line[-1] for line in counts) and [sum(column) for column in zip(*counts[:-1], strict=True)] == counts[-1]
    assert counts[-1][-1] == len(TASKS) and lines[2] == ["libreoffice_calc", "1", "0", "0", "1", "0", "2"]
    assert "6 task files: 2 runnable here, 4 not" in said.output and "test_all.json: lists tasks and is none itself" in said.output
    assert f"1 account: {reasons()['account'].title}" in said.output and "gimp/f: file: https://files.example.org/none" in said.output
    assert said.output.split("\n\n")[0] in (data.imported / "theirs" / "README.md").read_text()


def test_the_suite_holds_what_its_runnable_tasks_need_and_no_more(imports: Import, data: DataFolder, tmp_path: Path) -> None:
    write(tmp_path / "tasks", TASKS)
    imports()
    folder = data.imported / "theirs"
    assert sorted(path.relative_to(folder).as_posix() for path in (folder / "tasks").rglob("*.json")) == [
        "tasks/libreoffice_calc/a.json",
        "tasks/os/d.json",
    ]
    assert (folder / "tasks/libreoffice_calc/a.json").read_bytes() == (tmp_path / "tasks/libreoffice_calc/a.json").read_bytes(), "as it is"
    kept = json.loads((folder / "files.json").read_text())
    assert {address: (folder / "files" / one["sha256"]).read_bytes() for address, one in kept.items()} == FILES
    assert set(json.loads((tmp_path / "cache" / "manifest.json").read_text())) == set(FILES), "the hash of each file that was used is kept"
    suite = read_suite("theirs")
    assert suite.image == "osworld" and suite.home == "/home/user" and suite.imported == "theirs" and "theirs" in suite_names()
    made = suite_tasks(suite, sound_catalog())
    assert [one.lineage for one in made] == ["libreoffice_calc/a", "os/d"] and len({one.task.episode_id for one in made}) == 2
    assert (
        made[0].task.programs == ["libreoffice_calc"] and made[0].task.infeasible is None and made[1].task.infeasible and made[1].task.programs == []
    )
    assert isinstance(made[0].task, ImportedTask) and made[0].task.document == task() and made[0].task.instruction == "Sum up column B."
    assert valid_programs(made[0], sound_catalog(), ["libreoffice_calc"]) == ["libreoffice_calc"]
    listed = CliRunner().invoke(main, ["suite", "list"]).output
    assert "theirs: 2 runnable tasks of 6 imported task files." in listed


def test_what_is_runnable_can_be_played_on_the_image(imports: Import, data: DataFolder, tmp_path: Path) -> None:
    """The default image has the home folder that the task files name; for an image with another, tasks that name it are not runnable."""
    here = task(config=[step("launch", command=["localc"])], evaluator={"func": "infeasible"})
    write(tmp_path / "tasks", {"calc/a": task(), "calc/b": here})
    for image, runnable in (((), ["calc/a", "calc/b"]), (("--image", "desktop"), ["calc/b"])):
        said = imports(*image)
        suite = read_suite("theirs")
        found = suite_tasks(suite, sound_catalog())
        assert [one.lineage for one in found] == runnable and suite.image is not None
        refuse_if_lacking("theirs", suite, [one.task for one in found], "sandbox", Image(suite.image, tmp_path, None).offers)
    assert "calc/a: home: /home/user (it has /home/agent)" in said.output and "--image osworld" in said.output


def test_the_episode_depends_on_the_file_and_on_what_it_fetches_and_not_on_where_it_lies(imports: Import, data: DataFolder, tmp_path: Path) -> None:
    def episode(name: str) -> str:
        return suite_tasks(read_suite(name), sound_catalog())[0].task.episode_id

    write(tmp_path / "tasks", {"calc/a": task()})
    imports(name="one")
    imports(name="two")
    assert episode("one") == episode("two")
    cached(tmp_path / "cache", {SHEET: b"another"})
    (tmp_path / "cache" / "manifest.json").unlink()
    imports(name="two")
    assert episode("one") != episode("two")


def test_a_dry_run_reports_the_same_and_writes_nothing(imports: Import, data: DataFolder, tmp_path: Path) -> None:
    write(tmp_path / "tasks", TASKS)
    before = written_under(tmp_path)
    said = imports("--dry-run")
    assert said.exit_code == 0 and "6 task files: 2 runnable here, 4 not" in said.output and written_under(tmp_path) == before
    both = imports("--dry-run", "--fetch")
    assert both.exit_code == 2 and "--dry-run writes nothing, so it fetches nothing: leave --fetch out" in both.output


def test_bad_files_are_refused_with_file_and_place_and_the_rest_is_imported(imports: Import, data: DataFolder, tmp_path: Path) -> None:
    write(
        tmp_path / "tasks",
        {
            "calc/good": task(),
            "calc/bad": task(config=[step("slep", seconds=1)], sourc="x"),
            "calc/odd": task(evaluator={**task()["evaluator"], "options": {"ruls": []}}),
        },
    )
    (tmp_path / "tasks" / "calc" / "broken.json").write_text("{")
    said = imports()
    assert said.exit_code == 2
    assert "bad.json:8: config[0].type: unknown type of step 'slep'; did you mean 'sleep'?" not in said.output, "the form of the file comes first"
    assert "sourc: unknown key 'sourc'; did you mean 'source'?" in said.output and "broken.json:1: file: is not JSON" in said.output
    assert "odd.json:" in said.output and "evaluator.options.ruls: compare_table has no option 'ruls'; did you mean 'rules'?" in said.output
    assert "4 task files: 1 runnable here, 3 not" in said.output and "calc/bad: refused: 1 mistake" in said.output
    assert [one.lineage for one in suite_tasks(read_suite("theirs"), sound_catalog())] == ["calc/good"]


def test_a_wrong_hash_is_refused_with_the_field_of_the_task(imports: Import, data: DataFolder, tmp_path: Path) -> None:
    write(tmp_path / "tasks", {"calc/a": task(), "os/d": TASKS["os/d"]})
    imports()
    cached(tmp_path / "cache", {GOLD: b"tampered"})
    said = imports()
    assert (
        said.exit_code == 2
        and "a.json:" in said.output
        and "evaluator.expected.path: its SHA-256 is" in said.output
        and "put the right file there" in said.output
    )
    assert [one.lineage for one in suite_tasks(read_suite("theirs"), sound_catalog())] == ["os/d"], "the rest runs"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"name": "smoke"}, "--name smoke: Deskmill has a suite of this name; choose another"),
        ({"name": "My Suite"}, "--name My Suite: a name begins with a letter"),
        ({"image": "desktp"}, "--image: there is no image 'desktp' in machines/desktop.yaml; did you mean 'desktop'?"),
    ],
)
def test_a_suite_that_cannot_be_is_refused(imports: Import, tmp_path: Path, options: dict[str, str], told: str) -> None:
    write(tmp_path / "tasks", TASKS)
    more = ["--image", options.pop("image")] if "image" in options else []
    said = imports(*more, **options)
    assert said.exit_code == 2 and told in said.output


def test_a_file_whose_name_is_not_utf_8_is_refused_and_the_rest_imported(imports: Import, data: DataFolder, tmp_path: Path) -> None:
    write(tmp_path / "tasks", {"os/d": TASKS["os/d"]})
    folder = tmp_path / "tasks" / "os"
    shutil.copy(folder / "d.json", folder / os.fsdecode(b"\xff.json"))
    said = imports()
    assert said.exit_code == 2 and "file: its name is not UTF-8: rename it" in said.output
    assert [one.lineage for one in suite_tasks(read_suite("theirs"), sound_catalog())] == ["os/d"]


def test_a_folder_without_task_files_is_refused(imports: Import, tmp_path: Path) -> None:
    (tmp_path / "tasks").mkdir()
    assert imports().exit_code == 2


def test_a_suite_without_runnable_tasks_says_where_the_reasons_are(imports: Import, data: DataFolder, tmp_path: Path) -> None:
    write(tmp_path / "tasks", {"calc/b": TASKS["libreoffice_calc/b"]})
    assert imports().exit_code == 0
    with pytest.raises(BadInput, match=r"no task of the suite 'theirs' is runnable here: .*README\.md says why"):
        suite_tasks(read_suite("theirs"), sound_catalog())


def test_machines_that_lack_what_the_tasks_need_are_refused_before_anything_starts(imports: Import, data: DataFolder, tmp_path: Path) -> None:
    write(tmp_path / "tasks", TASKS)
    imports()
    suite = read_suite("theirs")
    tasks = [one.task for one in suite_tasks(suite, sound_catalog())]
    refuse_if_lacking("theirs", suite, tasks, "sandbox", OFFERS)
    other: Any = {**OFFERS.__dict__, "home": "/home/agent", "programs": {}}
    with pytest.raises(MachineNeeds, match="lacks: the home folder /home/user \\(it has /home/agent\\); the programs libreoffice_calc"):
        refuse_if_lacking("theirs", suite, tasks, "sandbox", type(OFFERS)(**other))


def test_the_suite_says_whose_metrics_judge(imports: Import, data: DataFolder, tmp_path: Path) -> None:
    write(tmp_path / "tasks", TASKS)
    for asked, judge in (((), "ours"), (("--metrics", "theirs"), "theirs")):
        assert imports(*asked).exit_code == 0
        suite = read_suite("theirs")
        assert suite.judged_by == judge and {one.task.model_dump()["judged_by"] for one in suite_tasks(suite, sound_catalog())} == {judge}


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("tasks.json", None, r"tasks\.json: is gone, or is not what the import wrote: import the suite again"),
        ("tasks.json", "{", r"tasks\.json: is gone, or is not what the import wrote: import the suite again"),
        ("files.json", None, f"has no hash of {SHEET}, which libreoffice_calc/a fetches: import the suite again"),
        ("tasks/libreoffice_calc/a.json", None, r"a\.json:1: file: cannot be read"),
    ],
)
def test_an_imported_suite_that_was_changed_is_refused(
    imports: Import, data: DataFolder, tmp_path: Path, name: str, text: str | None, told: str
) -> None:
    write(tmp_path / "tasks", TASKS)
    imports()
    path = data.imported / "theirs" / name
    path.unlink() if text is None else path.write_text(text)
    with pytest.raises(BadInput, match=told):
        suite_tasks(read_suite("theirs"), sound_catalog())


def test_an_imported_suite_is_not_published(imports: Import, data: DataFolder, tmp_path: Path) -> None:
    write(tmp_path / "tasks", TASKS)
    imports()
    said = CliRunner().invoke(main, ["suite", "publish", "theirs"])
    assert said.exit_code == 2 and "the tasks of the suite 'theirs' are imported: they are their authors' to publish" in said.output


def test_imported_tasks_set_their_own_start(imports: Import, data: DataFolder, tmp_path: Path) -> None:
    write(tmp_path / "tasks", TASKS)
    imports()
    with pytest.raises(BadInput, match="--start bare: the tasks of the imported suite 'theirs' say themselves what is open"):
        planned_run("theirs", AgentChoice("idle"), EpisodeOptions(start="bare"), data)
