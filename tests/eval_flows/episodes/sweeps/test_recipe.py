"""Protects the recipes of sweeps: what they cross, what cannot be and why, and that a cell is the run that `deskmill episodes` makes."""

import shlex
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from pydantic import ValidationError

from atomic_tasks.problems import BadInput
from deskmill import main
from eval_flows.episodes.agents.elements.detector import ADDRESS_VARIABLE
from eval_flows.episodes.runs import pipeline
from eval_flows.episodes.runs.pipeline import SuiteRun
from eval_flows.episodes.sweeps.cells import Cell, cells_of
from eval_flows.episodes.sweeps.recipe import RECIPES, read_sweep
from tests.conftest import REPOSITORY
from warehouse.layout import DataFolder

AGENTS = "tests.eval_flows.episodes.sweeps.agents"
HEAD = "title: Small\ndescription: Small.\nsuite: smoke\n"


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DataFolder:
    """A data folder with a model of the user's own."""
    monkeypatch.setenv("DESKMILL_DATA", str(tmp_path / "data"))
    found = DataFolder.from_environment()
    found.root.mkdir()
    models = "mine: {base_url: 'http://localhost:1/v1', openness: open, context_tokens: 1000}, base: {openness: open, interface: completion, context_tokens: 9}"
    found.models.write_text(f"models: {{{models}}}\n")
    return found


def cells(data: DataFolder, runs: str, head: str = HEAD) -> list[Cell]:
    path = data.root / "mine.yaml"
    path.write_text(f"{head}runs:\n{runs}")
    _, recipe, source = read_sweep(str(path))
    return cells_of(recipe, source, data)


def test_a_cross_has_a_cell_for_every_combination_and_scripts_have_one_each(data: DataFolder) -> None:
    made = cells(
        data,
        "  - agents: [oracle, {agent: clumsy, options: {wrong_clicks: [0.1, 0.3], seed: 2}}]\n"
        f"  - agents: ['{AGENTS}:Remembering']\n    models: [mine]\n    observations: [tree, marks]\n    histories: [0, all]\n    cards: [false, true]\n",
    )
    assert [cell.number for cell in made] == list(range(1, 12))
    assert [cell.label for cell in made[:3]] == ["oracle", "clumsy, wrong_clicks=0.1, seed=2", "clumsy, wrong_clicks=0.3, seed=2"]
    assert made[3].factors == {"agent": f"{AGENTS}:Remembering", "model": "mine", "observation": "tree", "history": 0, "cards": False}
    assert made[-1].agent.observation.words == "cards+marks" and made[-1].agent.options == {"history": "all"}
    assert made[-1].label.endswith("mine, marks, history=all, cards=yes")


REFUSED = {
    "  - agents: [oracle]\n    observations: [tree, marks, changes]\n    prompts: [react, reflexion]\n": [
        "mine.yaml:5: runs[0].agents[0]: 'oracle' is a script: it asks no model and sees no observation, so observations and prompts would give one run, not 6; "
        "list it in a cross of its own"
    ],
    "  - agents: [clumzy]\n": ["runs[0].agents[0]: there is no agent 'clumzy'; did you mean 'clumsy'?"],
    "  - agents:\n      - agent: clumsy\n        options: {wrong_clicks: [0.1, 7], speed: 2}\n": [
        "mine.yaml:7: runs[0].agents[0].options: option 'wrong_clicks' of agent 'clumsy': must be at most 1, not",
        "agent 'clumsy' has no option 'speed'; did you mean 'seed'?; its options: wrong_clicks",
    ],
    "  - agents:\n      - agent: clumsy\n        options: {wrong_clicks: [0.1, 0.1]}\n": ["options.wrong_clicks: the value 0.1 stands twice"],
    "  - agents: [openai_computer, ui_tars]\n    models: [mine, base]\n  - agents: [anthropic_computer]\n    models: [mine]\n": [
        "mine.yaml:5: runs[0].agents[0]: the agent 'openai_computer' speaks the interface 'responses', and model 'mine' is declared with 'chat'",
        "runs[0].agents[0]: the agent 'openai_computer' speaks the interface 'responses', and model 'base' is declared with 'completion'",
        "runs[0].agents[1]: the agent 'ui_tars' speaks the interface 'chat', and model 'base' is declared with 'completion'",
        "mine.yaml:7: runs[1].agents[0]: the agent 'anthropic_computer' speaks the interface 'anthropic', and model 'mine'",
    ],
    "  - agents: [ui_tars]\n    models: [mine]\n    observations: [tree, marks]\n": [
        "runs[0].agents[0]: 'ui_tars' has one observation of its own, so observations cannot be crossed with it"
    ],
    "  - agents: [model]\n": ["runs[0].agents[0]: 'model' asks a language model: list `models` in this cross"],
    "  - agents: [model]\n    models: [mine]\n    histories: [0, 3]\n": [
        "runs[0].agents[0]: cannot be crossed with `histories`: agent 'model' has no option 'history'"
    ],
    "  - agents: [model]\n    models: [mine, base]\n    observations:\n      - tree\n      - screenshot\n": [
        "mine.yaml:9: runs[0].observations[1]: 'screenshot' has pictures, but model 'base' only completes texts and takes no pictures"
    ],
    "  - agents: [model]\n    models: [yours]\n    observations: [scent, tree+cards, tree+cards]\n    cards: [true]\n": [
        "mine.yaml:6: runs[0].models[0]: no model 'yours'",
        "runs[0].observations[0]: there is no observation source 'scent'",
        "observations[1]: has the cards already",
        "observations[2]: stands twice in the list",
    ],
    "  - agents: [oracle, idle]\n  - agents: [fail, oracle]\n": ["mine.yaml:6: runs[1]: cell 4 (oracle) is the same run as cell 1 (oracle): list it once"],
    "  - agent: oracle\n": ["mine.yaml:5: runs[0].agents: is missing"],
    "  - agents: [oracle]\n    repeats: 0\n": ["mine.yaml:6: runs[0].repeats: must be at least 1, not 0"],
    "  - agents: [model]\n    models: [mine]\n    histories: [some]\n": ["runs[0].histories[0]"],
}  # fmt: skip


@pytest.mark.parametrize("runs", REFUSED)
def test_what_cannot_be_is_refused_with_file_line_field_and_reason(data: DataFolder, runs: str) -> None:
    with pytest.raises(BadInput) as refused:
        cells(data, runs)
    for told in REFUSED[runs]:
        assert told in str(refused.value), str(refused.value)


def test_names_of_suites_and_sweeps_are_suggested(data: DataFolder) -> None:
    with pytest.raises(BadInput, match=r"mine.yaml:3: suite: there is no suite 'smok'; did you mean smoke"):
        cells(data, "  - agents: [oracle]\n", HEAD.replace("smoke", "smok"))
    with pytest.raises(BadInput, match=r"no sweep 'demmo'; did you mean 'demo'.*sweeps: demo, prosoftarena_figure_6, "):
        read_sweep("demmo")


class Detector(BaseHTTPRequestHandler):
    """It is there; nothing is asked of it."""

    def do_GET(self) -> None:
        self.send_error(404)

    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing."""


@pytest.mark.parametrize("path", sorted(RECIPES.glob("*.yaml")), ids=lambda path: path.stem)
def test_the_recipes_of_deskmill_have_only_what_there_is(data: DataFolder, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Detector) as detector:
        threading.Thread(target=detector.serve_forever, daemon=True).start()
        monkeypatch.setenv(ADDRESS_VARIABLE, f"http://127.0.0.1:{detector.server_port}")
        _, recipe, source = read_sweep(path.stem)
        assert len(cells_of(recipe, source, data)) > 1
        detector.shutdown()


def test_an_agent_says_of_a_recipe_what_pictures_it_cannot_play_with(data: DataFolder) -> None:
    with pytest.raises(BadInput, match=r"mine.yaml:6: runs\[0\].agents\[0\]: the agent 'ui_tars' points into one picture of the whole screen"):
        cells(data, "  - agents: [ui_tars]\n    models: [mine]\n", f"{HEAD}picture: tiles\n")


@pytest.mark.parametrize(("table", "observations", "prompts"), [
    (4, {"marks[dom,ocr,icons]", "marks[tree,dom,ocr,icons]", "marks[detector]", "marks[tree,detector]"}, {None}),
    (9, {"screenshot", "screenshot+tree"}, {None}),
    (10, {"marks", "marks[detector]", "marks[tree,detector]"}, {"reflexion"}),
])  # fmt: skip
def test_recipes_of_windows_agent_arena_are_the_set_up_of_its_paper(table: int, observations: set[str], prompts: set[str | None]) -> None:
    """Section 4.1, Appendix D.1 and D.2: the agent is Navi, which acts by code; its prompts are like ReAct in Tables 4 and 9, like Reflexion in 10."""
    _, recipe, _ = read_sweep(f"windows_agent_arena_table_{table}")
    (cross,) = recipe.runs
    assert [(one.agent, one.actions) for one in cross.agents] == [("navi", "code")]
    assert set(cross.observations) == observations and set(cross.prompts or (None,)) == prompts


def test_the_documented_recipe_has_the_cells_that_its_page_counts(data: DataFolder) -> None:
    page = (REPOSITORY / "docs/sweeps.md").read_text()
    head, _, runs_of = page.partition("```yaml\n")[2].partition("```")[0].partition("runs:\n")
    assert len(cells(data, runs_of, head)) == 37 and "= 36 cells, and one for the oracle" in page


def test_the_command_of_a_cell_makes_the_same_run(data: DataFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sweep whose cells were other runs than those of the commands would play everything again."""
    made = cells(
        data,
        "  - agents: [{agent: clumsy, options: {wrong_clicks: 0.25}}]\n    repeats: 3\n"
        f"  - agents: [{{agent: '{AGENTS}:Remembering', actions: computer}}]\n"
        "    models: [mine, {model: other, base_url: 'http://localhost:2/v1', interface: chat, ask_anew: v2}]\n"
        "    observations: [tree, 'marks[tree,icons]']\n    prompts: [reflexion]\n    histories: [3]\n    cards: [true]\n"
        "    temperature: 0.5\n    model_seconds: 9\n",
        HEAD + "start: bare\npicture: 1024,jpeg\nlevels: [L1, L2]\nlimit: 3\nmachine_options: {memory_mb: '900'}\n",
    )
    asked: list[tuple[Any, ...]] = []

    def evaluated(*given: Any) -> SuiteRun:
        asked.append(given[:3])
        return SuiteRun("run", [])

    monkeypatch.setattr(pipeline, "evaluate_episodes", evaluated)
    for cell in made:
        words = shlex.split(cell.command)
        assert words[0] == "deskmill" and (told := CliRunner().invoke(main, words[1:])).exit_code == 0, told.output
    for cell, (suite, agent, options) in zip(made, asked, strict=True):
        assert (suite, agent.described, options.endpoint) == ("smoke", cell.agent.described, cell.options.endpoint)
        assert (options.start, options.machine, dict(options.machine_options)) == ("bare", "sandbox", {"memory_mb": "900"})
        assert (options.repeats, options.form, options.levels, options.limit) == (cell.options.repeats, cell.options.form, ("L1", "L2"), 3)


def test_values_that_replace_those_of_a_recipe_are_checked_as_these_are() -> None:
    _, declared, _ = read_sweep("demo")
    assert declared.with_changes(None, None, None) == declared
    changed = declared.with_changes(3, 1, 0.5)
    assert (changed.workers, changed.limit, changed.budget, changed.runs) == (3, 1, 0.5, declared.runs)
    with pytest.raises(ValidationError, match="limit"):
        declared.with_changes(None, 0, None)
