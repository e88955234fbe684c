"""Protects the engine: whatever it draws, needs are met, order holds, and one name is one value."""

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from atomic_tasks.catalog import Catalog, read_catalog
from atomic_tasks.schema import AtomicTask
from compositions.binding import bind
from compositions.engine import Engine
from compositions.graph import application_graph
from compositions.library import by_id, read_workflows
from compositions.model import Composition, Step, broken_constraints
from compositions.schema import Workflow
from compositions.validator import validate_workflows

CATALOG: Catalog = read_catalog()[0]
LOCATED = read_workflows()[0]
WORKFLOWS = by_id(LOCATED)
ENGINES = {name: Engine(application.tasks) for name, application in CATALOG.applications.items()}
seeds = st.integers(0, 2**32)


def test_the_workflows_are_sound() -> None:
    assert validate_workflows(LOCATED, CATALOG) == []


def test_there_are_enough_workflows_of_every_kind() -> None:
    graphs = [application_graph(Engine(()).from_workflow(workflow, CATALOG.tasks, Random(0))) for workflow in WORKFLOWS.values()]
    across = [graph for graph in graphs if len(graph.nodes) > 1]
    assert len(graphs) >= 700 and len(across) >= 200
    assert {graph.shape for graph in across} == {"sequential", "parallel"}


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(sorted(CATALOG.tasks)), seeds, st.integers(1, 3))
def test_what_the_engine_chains_satisfies_its_constraints(task_id: str, seed: int, length: int) -> None:
    task = CATALOG.tasks[task_id]
    engine = ENGINES[task.application]
    for composition in (engine.single(task, Random(seed)), engine.chain(task, length, Random(seed))):
        if composition is not None:
            assert broken_constraints(composition) == []
            ids = [step.task.id for step in composition.steps]
            assert task_id in ids and len(set(ids)) == len(ids)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(sorted(WORKFLOWS)), seeds)
def test_what_the_engine_makes_of_workflows_satisfies_its_constraints(name: str, seed: int) -> None:
    workflow = WORKFLOWS[name]
    composition = Engine(()).from_workflow(workflow, CATALOG.tasks, Random(seed))
    assert broken_constraints(composition) == []
    kept = [step.task.id for step in composition.steps]
    assert {step.task for step in workflow.steps if not step.optional} <= set(kept)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(sorted(CATALOG.tasks)), seeds)
def test_binding_gives_every_argument_one_fitting_value(task_id: str, seed: int) -> None:
    task = CATALOG.tasks[task_id]
    composition = ENGINES[task.application].single(task, Random(seed))
    assert composition is not None
    values = bind(composition.arguments, CATALOG.generators, "en", Random(seed))
    assert set(values) == set(composition.arguments)
    for name, argument in composition.arguments.items():
        assert argument.one_of is None or values[name] in argument.one_of


def test_no_chain_goes_on_with_what_revises_its_own_step() -> None:
    saved = _task("save", gives=["saved(a)"])
    removed = _task("remove", needs=["saved(a)"], ends=["saved(a)"]).model_copy(update={"revises": True})
    engine = Engine([saved, removed])
    assert all(engine.chain(saved, 1, Random(seed)) is None for seed in range(20))


def test_nothing_follows_what_is_done_last() -> None:
    opened, used = _task("open", gives=["open(a)"]), _task("use", needs=["open(a)"])
    presented = _task("present", needs=["open(a)"]).model_copy(update={"last": True})
    engine = Engine([opened, used, presented])
    assert all(engine.chain(presented, 1, Random(seed)) is None for seed in range(20))
    assert any(engine.chain(used, 1, Random(seed)) is not None for seed in range(20))


def _task(name: str, **facts: list[str]) -> AtomicTask:
    arguments = {argument: "city" for text in sum(facts.values(), []) for argument in text.partition("(")[2].strip(")").split(",") if argument}
    say = ["do it", "do that", "Is it done?"]
    return AtomicTask.model_validate({"id": f"x.{name}", "title": "T", "capability": "a.b", "arguments": arguments, "say": say, **facts})


def test_a_need_that_an_earlier_step_ended_is_given_again_or_refused() -> None:
    opened, closed, used = _task("open", gives=["open(a)"]), _task("close", needs=["open(a)"], ends=["open(a)"]), _task("use", needs=["open(a)"])
    broken = broken_constraints(Composition((Step(opened), Step(closed), Step(used)), "workflow"))
    assert broken == ["step 3 (x.use) needs open(a), which no earlier step gives"]


def test_a_giver_is_renamed_to_what_is_needed() -> None:
    opened, used = _task("open", gives=["open(a)"]), _task("use", needs=["open(b)"])
    composition = Engine([opened, used]).single(used, Random(0))
    assert composition is not None
    assert [dict(step.names) for step in composition.steps] == [{"a": "b"}, {}]


def test_steps_in_free_order_keep_what_must_come_before() -> None:
    workflow = Workflow.model_validate(
        {
            "id": "w",
            "goal": {"say": ["do all of it", "All of it, please?"]},
            "order": "free",
            "steps": [{"task": "x.open", "label": "o"}, {"task": "x.use"}, {"task": "x.other", "after": ["o"]}],
        }
    )
    tasks = {task.id: task for task in (_task("open", gives=["open(a)"]), _task("use", needs=["open(a)"]), _task("other"))}
    orders = {tuple(step.task.id for step in Engine(()).from_workflow(workflow, tasks, Random(seed)).steps) for seed in range(40)}
    assert orders == {("x.open", "x.use", "x.other"), ("x.open", "x.other", "x.use")}
