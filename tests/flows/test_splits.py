"""Protects the splits: nothing that a test row says of a task is said by a train or dev row, with drop-out on, and few rows are of no split."""

from collections import Counter, defaultdict
from random import Random
from typing import Any

import pyarrow.dataset as ds
import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomic_tasks.catalog import Catalog, read_catalog
from atomic_tasks.schema import PLACEHOLDER
from compositions.engine import Engine
from compositions.graph import application_graph
from compositions.library import by_id, read_workflows
from compositions.model import Composition
from compositions.schema import Workflow
from compositions.splits import SplitShares, no_split, shared_splits, split_by, split_of, task_split
from flows.jobs import wanted_rows
from flows.pipeline import Built, build_dataset
from flows.publish import applications_without
from flows.recipe import RECIPES_ROOT, Recipe, read_recipe
from narrators.drop_out import DropOut
from runners.processes import process_pool_map
from tests.conftest import made_once, quiet
from tests.flows.leaks import leaks, said, shared_words
from warehouse.layout import DataFolder

CATALOG, _ = read_catalog()
WORKFLOWS = by_id(read_workflows()[0])
SHARES = SplitShares(dev=0.1, test=0.25)
SPLIT_OF = split_by(SHARES)
Rows = list[dict[str, Any]]


@pytest.fixture(scope="session")
def broad(tiny_recipe: Recipe, tmp_path_factory: pytest.TempPathFactory) -> DataFolder:
    """A dataset with graphs, in the proportions of the recipe `demo`, large enough that its splits meet."""
    recipe = tiny_recipe.model_copy(update={"tasks": 2000, "graph_tasks": 100, "spare": 0.03})
    return made_once("broad", lambda data: build_dataset("broad", recipe, data, process_pool_map(1), quiet), tmp_path_factory)


@pytest.fixture(scope="session")
def rows(broad: DataFolder) -> Rows:
    found: Rows = ds.dataset(broad.labels / "broad" / "data").to_table().to_pylist()
    return found


def test_no_split_says_what_another_says(rows: Rows, catalog: Catalog, workflows: dict[str, Workflow]) -> None:
    assert leaks(rows, catalog, workflows) == {}


def test_no_split_of_tiny_says_what_another_says(tiny: DataFolder, catalog: Catalog, workflows: dict[str, Workflow]) -> None:
    assert leaks(ds.dataset(tiny.labels / "tiny" / "data").to_table().to_pylist(), catalog, workflows) == {}


def test_tasks_and_goals_of_two_splits_share_no_phrasing(catalog: Catalog, workflows: dict[str, Workflow]) -> None:
    """A model that has seen the text of one would know the text of the other, though no task is in both splits: reword one of them."""
    for shares in {read_recipe(path.stem)[1].splits for path in RECIPES_ROOT.glob("*.yaml")}:
        assert shared_words(catalog, workflows, split_by(shares)) == {}


@pytest.mark.parametrize("of_test", ["say", "named"])
def test_a_phrasing_that_is_borrowed_across_splits_is_found(catalog: Catalog, workflows: dict[str, Workflow], of_test: str) -> None:
    """The check above can fail, also where the borrowed words differ in their arguments, in capitals and in the full stop."""
    lender = next(task for task in catalog.tasks.values() if SPLIT_OF(task) == "test" and getattr(task, of_test))
    words = getattr(lender, of_test)[0]
    goal = next(workflow for workflow in workflows.values() if {SPLIT_OF(catalog.tasks[step.task]) for step in workflow.steps} == {"train"})
    borrowed = PLACEHOLDER.sub("{other}", words).capitalize() + "."
    changed = goal.model_copy(update={"goal": goal.goal.model_copy(update={"say": (*goal.goal.say, borrowed)})})
    assert set().union(*shared_words(catalog, {**workflows, goal.id: changed}, SPLIT_OF).values()) == {lender.id, goal.id}


@pytest.mark.parametrize("goal", [False, True], ids=["step", "goal"])
def test_one_row_in_a_split_that_is_not_its_own_is_found(rows: Rows, catalog: Catalog, workflows: dict[str, Workflow], goal: bool) -> None:
    """The check above can fail: it finds a row that says a step, and one that says only a goal."""
    by_split = Counter((row["split"], name) for row in rows for name in said(row, catalog, workflows))
    planted = next(
        row
        for row in rows
        if row["split"] != "mixed" and row["says_goal"] == goal and any(by_split[row["split"], name] > 1 for name in row["said_tasks"])
    )
    other = "train" if planted["split"] == "test" else "test"
    changed = [row | {"split": other} if row is planted else row for row in rows]
    assert set(leaks(changed, catalog, workflows)) & {*planted["said_tasks"], planted["workflow"]}


def test_the_lineage_of_a_row_is_what_its_text_says(rows: Rows, catalog: Catalog, workflows: dict[str, Workflow]) -> None:
    """`said_tasks` and `split` follow from the text; in a mistyped text a phrasing is not found again."""
    for row in rows:
        found = set(said(row, catalog, workflows)) - {row["workflow"]}
        assert found == set(row["said_tasks"]) or (row["has_typo"] and found < set(row["said_tasks"]))
        assert row["split"] == split_of(row["said_tasks"], SHARES)


def test_few_rows_are_mixed_and_they_are_graphs_and_counted(rows: Rows, broad: DataFolder) -> None:
    built = Built("broad", "", broad.labels / "broad", {}, was_there=True)
    mixed = [row for row in rows if row["split"] == "mixed"]
    assert 0 < len(mixed) < 0.05 * len(rows)
    assert {row["shape"] for row in mixed} <= {"sequential", "parallel"}
    card = (built.folder / "README.md").read_text()
    assert f"{len(mixed)} of 2000 rows" in card and "- split: mixed" in card
    assert ds.dataset(built.folder / "data" / "mixed-00000-of-00001.parquet").count_rows() == len(mixed)


def test_graphs_are_in_every_split_though_few_workflows_are(
    catalog: Catalog, workflows: dict[str, Workflow], tiny_recipe: Recipe, rows: Rows
) -> None:
    """Most workflows across applications have no text within one split; an even number of rows each left 4 in 100 graphs in test."""
    recipe = tiny_recipe.model_copy(update={"tasks": 10_000, "graph_tasks": 500})
    wanted = {name: number for name, number in wanted_rows(workflows, catalog, recipe).items() if name in workflows}
    assert sum(wanted.values()) == 500
    sharing = {name: shared_splits((catalog.tasks[step.task] for step in workflows[name].steps if not step.optional), SPLIT_OF) for name in wanted}
    assert 70 < sum(number for name, number in wanted.items() if not sharing[name]) < 100
    assert 90 < sum(number for name, number in wanted.items() if "test" in sharing[name]) < 120
    graphs = Counter(row["split"] for row in rows if row["shape"] != "singleton")
    assert graphs["test"] > 12 and graphs["dev"] and graphs["train"] > 40

    one_split = recipe.model_copy(update={"splits": SplitShares(dev=0, test=0)})
    even = [number for name, number in wanted_rows(workflows, catalog, one_split).items() if name in workflows]
    assert sum(even) == 500 and max(even) - min(even) <= 1


def test_rows_fall_to_the_splits_about_as_the_recipe_shares_tasks_out(rows: Rows) -> None:
    shares = {split: number / len(rows) for split, number in Counter(row["split"] for row in rows).items()}
    assert 0.18 < shares["test"] < 0.32 and 0.05 < shares["dev"] < 0.15 and 0.55 < shares["train"] < 0.75


def test_the_card_names_applications_without_a_task_in_a_split(broad: DataFolder, catalog: Catalog, tiny_recipe: Recipe) -> None:
    without = applications_without(catalog, tiny_recipe)
    assert "excel" in without["dev"] and set(without) == {"dev"}
    for names in without.values():
        for name in names:
            splits = {task_split(task.id, SHARES) for task in catalog.applications[name].tasks if not task.generic}
            assert "dev" not in splits
    assert f"falls to dev: {', '.join(without['dev'])}." in (broad.labels / "broad" / "README.md").read_text()
    nothing_to_tune = tiny_recipe.model_copy(update={"splits": SplitShares(dev=0, test=0.25)})
    assert applications_without(catalog, nothing_to_tune) == {}


def test_a_split_depends_on_the_tasks_alone() -> None:
    assert split_of([], SHARES) == "train", "a text that says no telling task"
    of = defaultdict(list)
    for task in CATALOG.tasks.values():
        of[SPLIT_OF(task)].append(task.id)
    assert all(CATALOG.tasks[task].generic for task in of.pop(None))
    assert {split: split_of(tasks, SHARES) for split, tasks in of.items()} == {"train": "train", "dev": "dev", "test": "test"}
    assert split_of([of["train"][0], of["test"][0]], SHARES) == "mixed" == split_of([of["dev"][0], of["test"][0]], SHARES)


def _composed(random: Random) -> Composition | None:
    name = random.choice(sorted(name for name, application in CATALOG.applications.items() if application.tasks))
    tasks = CATALOG.applications[name].tasks
    engine = Engine(tasks, SPLIT_OF)
    task = random.choice(tasks)
    match random.randrange(3):
        case 0:
            return engine.chain(task, 2, random)
        case 1:
            return engine.single(task, random)
        case _:
            return engine.from_workflow(WORKFLOWS[random.choice(sorted(WORKFLOWS))], CATALOG.tasks, random)


@given(st.integers(0, 10**6))
def test_drop_out_keeps_steps_of_one_split_unless_a_node_has_none(seed: int) -> None:
    random = Random(seed)
    composition = _composed(random)
    if composition is None:
        return
    graph = application_graph(composition)
    telling = {position: SPLIT_OF(step.task) for position, step in enumerate(composition.steps) if not step.task.generic}
    kept = DropOut(composition, graph, SPLIT_OF).kept((0.3, 0.5), 3, random)
    assert all(set(node) & set(kept) for node in graph.nodes)
    told = {telling[position] for position in kept if position in telling}
    assert bool(told) == bool(telling)
    if len(told) > 1:
        assert len(graph.nodes) > 1
        of_nodes = [{telling[position] for position in node if position in telling} for node in graph.nodes]
        revised = any(step.task.revises for step in composition.steps)
        assert revised or not set.intersection(*(splits for splits in of_nodes if splits))


def test_a_chain_goes_on_within_its_split_where_it_can() -> None:
    """The same tasks have chains as without splits, and few of them leave the split of their first task."""
    within: dict[bool, Counter[bool]] = {True: Counter(), False: Counter()}
    for name in ("excel", "word", "spotify", "slack"):
        tasks = CATALOG.applications[name].tasks
        for split_of_task in (SPLIT_OF, no_split):
            engine = Engine(tasks, split_of_task)
            for task in (task for task in tasks if not task.generic):
                for seed in range(6):
                    made = engine.chain(task, 1, Random(seed))
                    if made is not None and not made.steps[-1].task.generic:
                        within[split_of_task is SPLIT_OF][SPLIT_OF(made.steps[-1].task) == SPLIT_OF(task)] += 1
    chosen, free = within[True], within[False]
    assert chosen.total() == pytest.approx(free.total(), rel=0.2)
    assert chosen[False] < 0.5 * free[False]


@pytest.mark.parametrize(("split", "goals", "applications"), [("test", 120, 80), ("dev", 25, 20)])
def test_many_goals_lie_wholly_in_test_and_in_dev(
    catalog: Catalog, workflows: dict[str, Workflow], split: str, goals: int, applications: int
) -> None:
    """A text that says only a goal is scored if all tasks of the goal are in test; with 17 such goals, each was said again and again."""
    for shares in {read_recipe(path.stem)[1].splits for path in RECIPES_ROOT.glob("*.yaml")}:
        of = split_by(shares)
        tasks = [[catalog.tasks[step.task] for step in workflow.steps] for workflow in workflows.values()]
        within = [steps for steps in tasks if len({task.application for task in steps}) == 1 and {of(task) for task in steps} - {None} == {split}]
        assert len(within) >= goals
        assert len({steps[0].application for steps in within}) >= applications
