"""Protects recipes: what could not be built is refused before anything is made, with its line and a remedy, all mistakes at once."""

import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import get_args

import pytest
from pydantic import BaseModel

from atomic_tasks.catalog import Catalog
from atomic_tasks.problems import BadInput
from compositions.schema import Workflow
from flows.jobs import shard_jobs
from flows.publish import size_category
from flows.recipe import RECIPES_ROOT, Recipe, read_recipe
from flows.shard import ShardMaker
from narrators.coverage import steps_without_style, styles_for_all
from narrators.rates import NamingRates
from narrators.styles import read_styles
from tests.conftest import REPOSITORY

TINY = (RECIPES_ROOT / "tiny.yaml").read_text()
STYLES = TINY[TINY.index("  styles: {") : TINY.index("splits:")]


def problems(folder: Path, *changes: tuple[str, str]) -> list[str]:
    """What is wrong with the recipe `tiny` after replacements, without the folder's name."""
    text = TINY
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    path = folder / "mine.yaml"
    path.write_text(text)
    with pytest.raises(BadInput) as refused:
        read_recipe(str(path))
    return str(refused.value).replace(f"{folder}/", "").splitlines()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("locales: {en: 0.88, de: 0.03, fr: 0.03, es: 0.03, it: 0.03}", "locales: {en: 0}", "mine.yaml:14: locales: every weight is 0"),
        ("locales: {en: 0.88,", "locales: {en: -1,", "mine.yaml:14: locales.en: must be at least 0, not -1"),
        ("locales: {en: 0.88,", "locales: {en: .inf,", "mine.yaml:14: locales.en: "),
        ("locales: {en: 0.88,", "locales: {eng: 0.88,", "mine.yaml:14: locales.eng: unknown locale 'eng'; did you mean 'en'? (locales: de, en, es, fr, it)"),
        ("splits: {dev: 0.1, test: 0.25}", "splits: {dev: 0.8, test: 0.4}", "mine.yaml:25: splits: dev and test add up to 1.2, which is more than 1"),
        ("splits: {dev: 0.1, test: 0.25}", "splits: {dev: 0.8, test: 1.2}", "mine.yaml:25: splits.test: must be at most 1"),
        ("  chain_lengths: {1: 0.75, 2: 0.25}", "  chain_lengths: {1: 0}", "mine.yaml:13: compositions.chain_lengths: every weight is 0"),
        ("  chain_lengths: {1: 0.75, 2: 0.25}", "  chain_lengths: {0: 1}", "mine.yaml:13: compositions.chain_lengths.0"),
        ("  single: 0.65\n  chain: 0.05\n  workflow: 0.3", "  single: 0\n  chain: 0\n  workflow: 0", "mine.yaml:9: compositions: every weight is 0"),
        ("graph_tasks: 0", "graph_tasks: 600", "mine.yaml:6: graph_tasks: must be less than `tasks`, 600"),
        ("candidates: windows", "candidates: window", "mine.yaml:4: candidates: unknown candidate list 'window'; did you mean 'windows'?"),
        ("drop_out: [0.2, 0.8]", "drop_out: [0.8, 0.2]", "mine.yaml:16: narration.drop_out: a drop-out range must go from low to high"),
        ("application: 0.25", "application: 0.99", "mine.yaml:19: narration.naming: the rates of naming add up to more than 1"),
        ("most_attempts: 12", "most_attempts: .inf", "mine.yaml:8: most_attempts: "),
        (STYLES, "  styles: {command: 0}\n", "mine.yaml:24: narration.styles: every weight is 0"),
        (STYLES, "  styles: {question: 1}\n", "no style here can say 1 step in any words; add one that can say everything: command or polite or statement"),
        (STYLES, "  styles: {question: 1, command: 0}\n", "mine.yaml:24: narration.styles: no style here can say 1 step"),
        ("voices: {careful: 5,", "voices: {carful: 4,", "mine.yaml:23: narration.voices.carful: unknown voice 'carful'; did you mean 'careful'?"),
        ("voices: {careful: 5, plain: 3, friendly: 0.6, hurried: 0.7, clumsy: 0.2, learner: 0.2}", "voices: {careful: 0}", "mine.yaml:23: narration.voices: every weight is 0"),
    ],
)  # fmt: skip
def test_what_could_not_be_built_is_refused_with_its_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    found = problems(tmp_path, (old, new))
    assert len(found) == 1 and message in found[0], found


def test_few_styles_that_say_every_step_do_without_graphs_alone(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(TINY.replace(STYLES, "  styles: {polite: 1}\n"))
    assert read_recipe(str(path))[1].narration.styles == {"polite": 1}
    found = problems(tmp_path, (STYLES, "  styles: {polite: 1}\n"), ("graph_tasks: 0", "graph_tasks: 60"))
    assert "no style here can say 4 steps" in found[0]


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    found = problems(
        tmp_path,
        ("title: ", "titel: "),
        ("polite: 2,", "plite: 2,"),
        ("locales: {en:", "locales: {eng:"),
        ("candidates: windows", "candidates: win"),
    )
    assert len(found) == 4 and any("unknown style 'plite'; did you mean 'polite'?" in line for line in found), found


def test_mutated_recipes_give_no_traceback(tmp_path: Path) -> None:
    """Any line left out, any number replaced: refused with a line, or a recipe."""
    random = Random(17)
    lines = TINY.splitlines()
    refused = 0
    for _ in range(120):
        mutated = list(lines)
        number = random.randrange(len(mutated))
        numbers = [place for place, character in enumerate(mutated[number]) if character.isdigit()]
        if numbers and random.random() < 0.8:
            place = random.choice(numbers)
            mutated[number] = mutated[number][:place] + random.choice(["-1", "x", ".nan", "[", "0", "'", "{}"]) + mutated[number][place + 1 :]
        else:
            del mutated[number]
        path = tmp_path / "mine.yaml"
        path.write_text("\n".join(mutated) + "\n")
        try:
            read_recipe(str(path))
        except BadInput as error:
            refused += 1
            assert error.problems and all(1 <= problem.line <= len(lines) for problem in error.problems)
    assert 60 < refused < 120


def test_the_styles_that_say_everything_are_those_that_say_each_number_of_steps() -> None:
    styles = read_styles()
    assert styles_for_all(styles, 8) == ["command"]
    assert {"polite", "command"} == set(styles_for_all(styles, 3)) and "statement" in styles_for_all(styles, 1)
    assert steps_without_style(styles, ["polite"], 8) == [4, 5, 6, 7, 8]


@pytest.mark.parametrize(("style", "graphs"), [("command", 60), ("statement", 0), ("polite", 0)])
def test_a_style_that_a_recipe_may_choose_alone_says_whatever_is_composed(
    catalog: Catalog, workflows: dict[str, Workflow], tiny_recipe: Recipe, style: str, graphs: int
) -> None:
    alone = {"styles": {style: 1.0}, "naming": NamingRates(application=0, kind=0, vendor=0), "rewordings": 0.0}
    narration = tiny_recipe.narration.model_copy(update=alone)
    recipe = tiny_recipe.model_copy(update={"tasks": 6_000, "graph_tasks": graphs, "narration": narration})
    jobs = [job for job in shard_jobs(catalog, workflows, read_styles(), recipe) if graphs == 0 or job.wanted_graphs]
    rows = [row for job in jobs[:: len(jobs) // 5] for row in ShardMaker(job).rows()]
    assert len(rows) > 300 and {row["style"] for row in rows} == {style}


def test_workflows_alone_are_refused_where_an_application_has_none(catalog: Catalog, workflows: dict[str, Workflow], tiny_recipe: Recipe) -> None:
    recipe = tiny_recipe.model_copy(update={"compositions": tiny_recipe.compositions.model_copy(update={"single": 0.0, "chain": 0.0})})
    assert len(shard_jobs(catalog, workflows, read_styles(), recipe)) == 100
    without = {name: workflow for name, workflow in workflows.items() if not workflow.steps[-1].task.startswith("excel.")}
    with pytest.raises(BadInput, match="the recipe makes only workflows, but these applications have none: excel; give `single` or `chain` a weight"):
        shard_jobs(catalog, without, read_styles(), recipe)


def fields_of(model: type[BaseModel], prefix: str = "") -> Iterator[str]:
    """The dotted names of all fields, those of models inside included."""
    for name, field in model.model_fields.items():
        inner = next((one for one in (field.annotation, *get_args(field.annotation)) if isinstance(one, type) and issubclass(one, BaseModel)), None)
        yield from fields_of(inner, f"{prefix}{name}.") if inner else (f"{prefix}{name}",)


def test_the_document_tells_every_field_and_every_style() -> None:
    text = (REPOSITORY / "docs/recipes.md").read_text()
    fields, styles, voices = re.split("## (?:Styles|Voices)", text.split("## Fields")[1])
    assert re.findall(r"^\| `([\w.]+)` \|", fields, re.MULTILINE) == list(fields_of(Recipe))
    assert re.findall(r"^\| `(\w+)` \|", styles, re.MULTILINE) == list(read_styles().styles)
    assert re.findall(r"^\| `(\w+)` \|", voices, re.MULTILINE) == list(read_styles().voices)


def test_the_recipe_in_the_document_is_one(tmp_path: Path) -> None:
    text = (REPOSITORY / "docs/recipes.md").read_text()
    (tmp_path / "mine.yaml").write_text(text.split("```yaml\n")[1].split("```")[0])
    assert read_recipe(str(tmp_path / "mine.yaml"))[1].tasks == 300


@pytest.mark.parametrize(
    ("rows", "category"),
    [(600, "n<1K"), (2_000, "1K<n<10K"), (9_999, "1K<n<10K"), (10_000, "10K<n<100K"), (105_000, "100K<n<1M"), (1_050_000, "1M<n<10M")],
)
def test_the_card_tells_the_size_that_the_dataset_has(rows: int, category: str) -> None:
    assert size_category(rows) == category
