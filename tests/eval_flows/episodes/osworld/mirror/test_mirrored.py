"""Protects tasks with a mirror: they run if it has their addresses, are named with what it lacks, belong to its content, and each episode serves it anew."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from atomic_tasks.catalog import sound_catalog
from deskmill import main
from eval_flows.episodes.environment import DONE, Environment
from eval_flows.episodes.osworld.imported_task import MirroredTask
from eval_flows.episodes.osworld.importing import ROWS
from eval_flows.episodes.osworld.mirror.folder import read_mirror
from eval_flows.episodes.osworld.mirror.serving import FLAGS, FOLDER
from eval_flows.episodes.osworld.needs import Need, need_of, uses_mirror
from eval_flows.episodes.osworld.task_file import TaskFile
from eval_flows.episodes.tasks.suite import read_suite, suite_tasks
from machines.errors import MachineError
from tests.eval_flows.episodes.osworld.made import Client, Fake, step, task, write
from tests.eval_flows.episodes.osworld.mirror.made import SHOP, made_mirror
from tests.eval_flows.episodes.osworld.mirror.test_serving import READS_NO_FLAGS
from tests.eval_flows.episodes.osworld.test_needs import HERE, judged
from warehouse.layout import DataFolder

Json = dict[str, Any]
Import = Callable[..., Result]
START = step("launch", command=["google-chrome", "--remote-debugging-port=1337"])
HOME = "https://www.example.com/"


def opens(*addresses: str, **changes: Any) -> Json:
    """A task that opens these pages in the browser, and looks at the tab in front."""
    judge = judged({"type": "active_tab_info", "goto_prefix": "https://www."}, {"expected": ["example\\.com/news"]})
    made = {"related_apps": ["chrome"], "config": [START, step("chrome_open_tabs", urls_to_open=list(addresses))], "evaluator": judge, "proxy": True}
    return task(**{**made, **changes})


def looked_at(tmp_path: Path, document: Json) -> tuple[Need | None, bool]:
    """The need of a task with the made mirror, and whether it uses it."""
    getters = [*HERE.getters, "page_info", "info_from_website", "number_of_search_results"]
    here = replace(HERE, getters=getters, has_page=read_mirror(made_mirror(tmp_path)).pages.has)
    file = TaskFile.model_validate(document)
    return need_of(file, here), uses_mirror(file, here)


@pytest.mark.parametrize(
    "document",
    [
        opens(HOME),
        opens("http://example.com", f"{SHOP}/find?q=lamp"),
        opens(config=[step("launch", command=["google-chrome", HOME])]),
        opens(config=[step("launch", command=f"sleep 1; google-chrome --a {HOME}", shell=True)]),
        opens(HOME, evaluator=judged({"type": "open_tabs_info"}, {"expected": [f"{SHOP}/find?q=lamp", HOME]})),
        opens(HOME, evaluator=judged({"type": "active_tab_info"}, {"expected": ["https://www\\.example\\.com/(news|x)"]})),
        opens(config=[START], evaluator=judged({"type": "page_info", "url": HOME})),
        opens(config=[START], evaluator=judged({"type": "bookmarks"}, {"expected": [f"{SHOP}/"]})),
        opens(config=[START], evaluator=judged({"type": "info_from_website", "url": HOME, "infos": []})),
    ],
)
def test_a_task_whose_addresses_the_mirror_has_is_runnable_and_uses_it(tmp_path: Path, document: Json) -> None:
    assert looked_at(tmp_path, document) == (None, True)


@pytest.mark.parametrize(
    ("document", "what"),
    [
        (opens(HOME, "https://live.example.net/a"), "https://live.example.net/a"),
        (opens(HOME, f"{SHOP}/find?q=table"), f"{SHOP}/find?q=table"),
        (opens(HOME, evaluator=judged({"type": "open_tabs_info"}, {"expected": [HOME, f"{SHOP}/none"]})), f"{SHOP}/none"),
        (opens(HOME, evaluator=judged({"type": "page_info", "url": "https://live.example.net/"})), "https://live.example.net/"),
        (opens(HOME, evaluator=judged({"type": "number_of_search_results"})), "number_of_search_results"),
        (opens(HOME, config=[*opens(HOME)["config"], step("proxy")]), "proxy"),
        (opens(HOME, config=[*opens(HOME)["config"], step("execute", command=["pip", "install", "a"])]), "pip install"),
        (opens(config=[step("launch", command=["vlc", f"{SHOP}/data"])]), f"proxy, {SHOP}/data, active_tab_info"),
        (task(proxy=True), "proxy"),
    ],
)
def test_a_task_with_an_address_that_the_mirror_lacks_is_named_with_it(tmp_path: Path, document: Json, what: str) -> None:
    assert looked_at(tmp_path, document)[0] == Need("internet", what)


def test_a_stream_that_another_program_plays_is_not_of_the_mirror(tmp_path: Path) -> None:
    document = task(evaluator=judged({"type": "vlc_playing_info", "dest": "a.xml"}, {"url": f"{SHOP}/data"}))
    assert looked_at(tmp_path, document) == (Need("internet", f"{SHOP}/data"), False)


def test_a_task_without_an_address_does_not_use_it(tmp_path: Path) -> None:
    assert looked_at(tmp_path, task()) == (None, False)


@pytest.fixture
def imports(own_data: DataFolder, tmp_path: Path) -> Import:
    """Imports two tasks that open a page, and one that does not, with a mirror."""
    infeasible = {"evaluator": {"func": "infeasible"}}
    write(
        tmp_path / "tasks",
        {"chrome/a": opens(HOME, **infeasible), "chrome/b": opens("https://live.example.net/", **infeasible), "os/c": task(**infeasible, config=[])},
    )
    made_mirror(tmp_path / "sites")

    def run(*more: str, name: str = "web", sites: str = "sites") -> Result:
        mirror = ["--mirror", str(tmp_path / sites)] if sites else []
        return CliRunner().invoke(main, ["suite", "import", str(tmp_path / "tasks"), "--name", name, "--image", "osworld", *mirror, *more])

    return run


def test_the_table_adds_up_and_says_how_many_use_the_mirror(imports: Import, own_data: DataFolder) -> None:
    without, said = imports("--dry-run", sites=""), imports()
    assert "3 task files: 1 runnable here, 2 not" in without.output and "name a mirror of its sites (--mirror)" in without.output
    assert said.exit_code == 0 and "3 task files: 2 runnable here (1 of them with the mirror), 1 not" in said.output
    assert "chrome/b: internet: proxy, https://live.example.net/" in said.output
    head, *lines = [line.split() for line in said.output.split("\n\n")[0].splitlines()]
    assert head == ["application", "runnable", "internet", "all"] and lines == [
        ["chrome", "1", "1", "2"],
        ["os", "1", "0", "1"],
        ["all", "2", "1", "3"],
    ]
    assert "web: 2 runnable tasks of 3 imported task files (1 of them with the mirror)." in CliRunner().invoke(main, ["suite", "list"]).output


def test_the_suite_holds_the_mirror_by_its_hash_and_its_tasks_belong_to_its_content(imports: Import, own_data: DataFolder, tmp_path: Path) -> None:
    def ids(name: str) -> dict[str, str]:
        return {one.lineage: one.task.episode_id for one in suite_tasks(read_suite(name), sound_catalog())}

    imports(name="without", sites="")
    imports(name="web")
    mirror = read_mirror(tmp_path / "sites")
    rows = {row.task: row.mirror for row in ROWS.validate_json((own_data.imported / "web" / "tasks.json").read_bytes())}
    assert rows == {"chrome/a": mirror.sha256, "chrome/b": None, "os/c": None}
    assert (own_data.imported / "web" / "files" / mirror.sha256).read_bytes() == mirror.archive
    (tmp_path / "sites").rename(tmp_path / "elsewhere")
    imports(name="moved", sites="elsewhere")
    assert ids("web") == ids("moved") and ids("web")["os/c"] == ids("without")["os/c"]
    made_mirror(tmp_path / "elsewhere", {"shop.example.org/data": b"changed"})
    imports(name="changed", sites="elsewhere")
    assert ids("changed")["chrome/a"] != ids("web")["chrome/a"] and ids("changed")["os/c"] == ids("web")["os/c"]


def test_a_bad_mirror_and_a_machine_that_serves_none_are_refused_and_nothing_is_written(
    imports: Import, own_data: DataFolder, tmp_path: Path
) -> None:
    (tmp_path / "sites" / "localhost").mkdir()
    said = imports()
    assert said.exit_code == 2 and "localhost:1: mirror: 'localhost' is no name of a host" in said.output and not own_data.imported.exists()
    (tmp_path / "sites" / "localhost").rmdir()
    named = imports("--machine", "sandbox")
    assert named.exit_code == 2 and "--mirror: only machines of ours serve a mirror of sites: leave --mirror or --machine out" in named.output


def test_each_episode_serves_the_mirror_anew_before_its_steps(imports: Import, own_data: DataFolder) -> None:
    imports()
    one = suite_tasks(read_suite("web"), sound_catalog())[0].task
    assert isinstance(one, MirroredTask)
    client = Client(says=READS_NO_FLAGS)
    with Environment(Fake(client).as_machine, sees=()) as environment:
        for _ in range(2):
            client.asked.clear()
            client.files.clear()
            environment.reset(one)
            did = [asked for asked in client.done if asked[0] in ("upload", "launch")]
            assert [asked[0] for asked in did] == ["upload"] * 4 + ["launch"] and f"{FOLDER}/mirror.zip" in client.files
            flags = client.files[FLAGS].decode().splitlines()
            assert did[-1][1] == ["google-chrome", *flags, "--user-data-dir=/home/user/.config/chromium", "--remote-debugging-port=1337"]
        environment.step(DONE)
        (own_data.imported / "web" / "files" / one.mirror).write_bytes(b"tampered")
        with pytest.raises(MachineError, match="the imported mirror of sites was changed .*: import the suite again"):
            environment.reset(one)
