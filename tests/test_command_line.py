"""Protects the command line: fast help, clear messages, exit code 2 for bad input, and documentation that runs."""

import json
import re
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
import yaml
from jsonschema import Draft202012Validator

from atomic_tasks.problems import BadInput
from flows.recipe import read_recipe
from tests.commands import OF_EPISODES, deskmill, documented_arguments, documented_commands, invoked
from tests.conftest import REPOSITORY, copy_of
from tests.language_models.fake_server import fake_server
from warehouse.layout import DataFolder


@pytest.fixture(scope="module")
def built(tiny: DataFolder, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the tiny dataset."""
    return copy_of(tiny, tmp_path_factory.mktemp("built") / "data").root


def test_help_imports_nothing_heavy() -> None:
    code = "import sys, deskmill\ntry: deskmill.main(['--help'])\nexcept SystemExit: pass\nprint(sorted(set(sys.modules) & {'duckdb', 'pyarrow', 'pandas', 'torch', 'prefect', 'pydantic', 'altair', 'yaml'}))"
    done = subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.slow(minutes=0.6)
def test_the_whole_way_by_command_line(tmp_path: Path) -> None:
    built = deskmill("build", "tiny", data=tmp_path)
    assert built.returncode == 0 and "600 user tasks" in built.stdout
    assert deskmill("sql", "select count(*) as n from user_tasks", "--format", "csv", data=tmp_path).stdout == "n\n600\n"
    selected = deskmill("select", "tiny", "--protocol", "random", "--protocol", "heuristic", "--limit", "100", "--split", "all", data=tmp_path)
    assert selected.returncode == 0 and "heuristic" in selected.stdout and "(2 rows)" in selected.stdout
    asked = deskmill("sql", "select count(*) as n from predictions", "--format", "csv", data=tmp_path)
    assert asked.stdout == "n\n200\n"
    reported = deskmill("report", data=tmp_path)
    assert Path(reported.stdout.strip()).read_text().startswith("<!doctype html>")


def test_bad_input_of_a_build_ends_with_two_and_a_remedy(tmp_path: Path) -> None:
    done = deskmill("build", "dmo", data=tmp_path)
    assert done.returncode == 2 and "no recipe 'dmo'; did you mean 'demo'?" in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("select", "demo", "--protocol", "random"), "no dataset 'demo' (there is none yet; make it with: deskmill build demo)"),
        (("sql", "select 1"), "there is no warehouse"),
        (("report",), "there is no warehouse"),
    ],
)
def test_bad_input_ends_with_two_and_a_remedy(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    done = invoked(*arguments, data=tmp_path)
    assert done.exit_code == 2 and message in done.stderr


def test_a_recipe_that_is_not_there_is_said() -> None:
    with pytest.raises(BadInput, match=r"no recipe 'nowhere/x.yaml'"):
        read_recipe("nowhere/x.yaml")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--model", "gpt5"), "no model 'gpt5'; did you mean 'gpt-5'? (registered: gpt-5, gpt-4o-mini"),
        (("--model", "gpt-5"), "the environment variable OPENAI_API_KEY holds no key"),
        (("--model", "m", "--base-url", "http://127.0.0.1:9/v1"), "http://127.0.0.1:9/v1 cannot be reached; is the server running?"),
        (("--model", "m", "--base-url", "http://me:sk-1@host/v1"), "holds a key or a password"),
        (("--model", "phi-4", "--budget", "1"), "a budget needs prices"),
        ((), "protocol zero_shot asks a language model: name one with --model"),
    ],
)
def test_a_model_that_cannot_be_asked_is_one_clear_line(built: Path, arguments: tuple[str, ...], message: str) -> None:
    done = invoked("select", "tiny", "--protocol", "zero_shot", *arguments, data=built)
    assert done.exit_code == 2 and message in done.stderr and done.stderr.count("\n") == 1


def test_a_language_model_by_command_line(built: Path) -> None:
    tasks = built / "tasks.jsonl"
    tasks.write_text(
        '{"text": "Add up the sales by region", "valid_applications": ["excel"]}\n{"text": "Rain?", "valid_applications": ["weather"]}\n'
    )
    assert "mine: 2 user tasks" in invoked("import", str(tasks), "--name", "mine", data=built).stdout
    with fake_server(lambda request: "Microsoft Excel") as server:
        where = ("--model", "m", "--base-url", server.base_url)
        expected = invoked("select", "mine", "--protocol", "zero_shot", *where, "--dry-run", data=built)
        assert expected.stdout.startswith("zero_shot: 2 calls, about") and server.requests == []
        done = deskmill("select", "mine", "--protocol", "zero_shot", "--protocol", "heuristic", *where, data=built)
        assert done.returncode == 0 and "0.5000" in done.stdout, done.stderr
    runs = json.loads(invoked("sql", "select run_id from accuracy where dataset = 'mine'", "--format", "json", data=built).stdout)
    compared = invoked("compare", *(run["run_id"] for run in runs), data=built)
    assert compared.exit_code == 0 and "2 tasks of 2 compositions" in compared.stdout
    again = invoked("compare", runs[0]["run_id"], "ffff", data=built)
    assert again.exit_code == 2 and "ffff" in again.stderr


def test_a_warehouse_of_another_version_is_said_with_the_remedy(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "warehouse.duckdb")) as connection:
        connection.execute("create table gone (x int); create view accuracy as select x from gone; drop table gone")
    for command in (["report"], ["show", "excel"], ["export", str(tmp_path / "out")]):
        done = invoked(*command, data=tmp_path)
        assert done.exit_code == 2 and "deskmill load" in done.stderr, done.output


def test_an_application_that_a_suite_does_not_have_is_said_with_those_it_has(tmp_path: Path) -> None:
    done = invoked("prove", "smoke", "--application", "gimp", data=tmp_path)
    assert done.exit_code == 2 and "'gimp'; there are galculator, mousepad, thunar" in done.stderr, done.stderr


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    done = deskmill("build", "tiny", data=tmp_path / "file" / "data")
    assert done.returncode == 2 and "Not a directory" in done.stderr and "Traceback" not in done.stderr


def test_a_recipe_with_mistakes_is_refused_with_all_of_them(tmp_path: Path) -> None:
    text = (REPOSITORY / "flows/recipes/tiny.yaml").read_text()
    recipe = tmp_path / "mine.yaml"
    recipe.write_text(text.replace("graph_tasks:", "graph_task:").replace("drop_out: [0.2, 0.8]", "drop_out: [0.8, 0.2]", 1))
    done = deskmill("build", str(recipe), data=tmp_path)
    assert done.returncode == 2
    assert "unknown key 'graph_task'; did you mean 'graph_tasks'?" in done.stderr and "from low to high" in done.stderr
    assert "is missing" not in done.stderr, "that follows from the misspelt key"


def test_the_json_schemas_are_current() -> None:
    from eval_flows.episodes.sweeps.recipe import SCHEMA, json_schema
    from flows.checks import json_schemas

    for path, text in json_schemas().items():
        assert path.read_text() == text, "run: make schemas"
    assert SCHEMA.read_text() == json_schema(), "run: make schemas"


@pytest.mark.parametrize(
    ("schema", "files"),
    [
        ("application", "atomic_tasks/applications/*.yaml"),
        ("pools", "atomic_tasks/pools/*.yaml"),
        ("kinds", "atomic_tasks/kinds.yaml"),
        ("locale", "atomic_tasks/locales/*.yaml"),
        ("equivalence", "atomic_tasks/equivalence.yaml"),
        ("candidates", "atomic_tasks/candidates/*.yaml"),
        ("workflows", "compositions/workflows/*.yaml"),
        ("styles", "narrators/styles.yaml"),
        ("recipe", "flows/recipes/*.yaml"),
        ("sweep", "eval_flows/episodes/sweeps/recipes/*.yaml"),
    ],
)
def test_the_json_schemas_accept_what_the_program_accepts(schema: str, files: str) -> None:
    validator = Draft202012Validator(json.loads((REPOSITORY / f"atomic_tasks/json_schemas/{schema}.schema.json").read_text()))
    paths = list(REPOSITORY.glob(files))
    assert paths
    for path in paths:
        assert [error.message for error in validator.iter_errors(yaml.load(path.read_text(), yaml.CSafeLoader))] == [], path


COMMANDS = [one for one in documented_arguments() if one[0] not in OF_EPISODES and one[:2] != ["build", "paper"]]


def test_the_documentation_shows_commands() -> None:
    assert len(COMMANDS) >= 6


@pytest.mark.parametrize(
    "arguments",
    [pytest.param(one, id=" ".join(one)[:60], marks=() if one[0] in ("sql", "show") else pytest.mark.rotates(number=3)) for one in COMMANDS],
)
def test_a_command_of_the_documentation_runs(arguments: list[str], built: Path) -> None:
    """On a dataset with runs; those of episodes stand in tests/eval_flows/episodes, since they take minutes."""
    people = built / "people.txt"
    people.write_text("Make the text bigger, I can't read it\nTurn off the sound when I lock the screen\n")
    done = deskmill(*(str(people) if argument == people.name else argument for argument in arguments), data=built)
    assert done.returncode == 0, (done.stdout, done.stderr)


def test_make_targets_of_the_documentation_exist() -> None:
    makefile = (REPOSITORY / "Makefile").read_text()
    targets = {match for line in documented_commands() for match in re.findall(r"^make (\w+)", line)}
    assert {"demo", "test"} <= targets
    for target in targets:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
