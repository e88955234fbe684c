"""Make shard jobs from catalog and recipe: each gets only the part of the catalog that its rows are made from."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from atomic_tasks.arguments.worlds import World
from atomic_tasks.catalog import Catalog
from atomic_tasks.problems import BadInput
from atomic_tasks.schema import AtomicTask
from atomic_tasks.value_schema import Pool
from compositions.schema import Workflow
from compositions.splits import Split, shared_splits, split_by
from flows.recipe import Recipe
from flows.shard import ShardJob
from flows.versions import shaping_versions
from narrators.naming import names_of
from narrators.styles import Styles

_FEWEST_WORLDS = 20  # that have values for a generator, so that it draws from them
_MIXED = 0.2  # weight of workflows that no text says within one split, beside the splits' shares, which make up 1


def shard_jobs(catalog: Catalog, workflows: Mapping[str, Workflow], styles: Styles, recipe: Recipe) -> list[ShardJob]:
    """Return a job for each candidate application, in the order of the candidate list; several for one with more rows than a shard may have."""
    applications = catalog.candidates[recipe.candidates].applications
    wanted = wanted_rows(workflows, catalog, recipe)
    homes = {name: home_application(workflow) for name, workflow in workflows.items()}
    makers = {name: application.vendor for name, application in catalog.applications.items()}
    jobs: list[ShardJob] = []
    for application in applications:
        own = {name: workflow for name, workflow in workflows.items() if homes[name] == application and _within(workflow, applications)}
        tasks = {task.id: task for task in catalog.applications[application].tasks}
        tasks |= {step.task: catalog.tasks[step.task] for workflow in own.values() for step in workflow.steps}
        graphs = {name: _with_spare(wanted[name], recipe) for name in sorted(own) if _crosses(own[name])}
        jobs += _parts(
            ShardJob(
                application=application,
                names=names_of(catalog.applications[application], catalog.kinds, makers),
                wanted=_with_spare(wanted[application], recipe),
                most_attempts=round(recipe.most_attempts),
                wanted_graphs=graphs,
                tasks=tasks,
                workflows={name: own[name] for name in sorted(own)},
                pools=_pools_of(tasks.values(), catalog.pools),
                worlds=_worlds_of(tasks.values(), catalog.worlds),
                seed=recipe.seed,
                locales=recipe.locales,
                compositions=recipe.compositions,
                splits=recipe.splits,
                narration=recipe.narration,
                styles=styles,
                versions=shaping_versions(),
            ),
            recipe.shard_rows,
        )
    _refuse_nothing_to_draw(jobs, recipe)
    return jobs


def _parts(whole: ShardJob, most: int) -> list[ShardJob]:
    """Return the job, or as many parts of about equal size as it takes for none to want more rows than `most`."""
    number = max(1, math.ceil((whole.wanted + sum(whole.wanted_graphs.values())) / most))
    if number == 1:
        return [whole]
    names = [str(part) for part in range(number)]
    wanted = _shared_out(whole.wanted, names)
    graphs = {workflow: _shared_out(rows, names) for workflow, rows in whole.wanted_graphs.items()}
    return [
        whole.model_copy(
            update={
                "part": part,
                "wanted": wanted[name],
                "wanted_graphs": {workflow: rows[name] for workflow, rows in graphs.items()},
            }
        )
        for part, name in enumerate(names)
    ]


def _refuse_nothing_to_draw(jobs: Sequence[ShardJob], recipe: Recipe) -> None:
    """Raise BadInput if a recipe has only workflows and some applications have none."""
    bare = [job.application for job in jobs if job.wanted and not job.workflows.keys() - job.wanted_graphs.keys()]
    if bare and not recipe.compositions.single + recipe.compositions.chain:
        raise BadInput(f"the recipe makes only workflows, but these applications have none: {', '.join(bare)}; give `single` or `chain` a weight")


def wanted_rows(workflows: Mapping[str, Workflow], catalog: Catalog, recipe: Recipe) -> dict[str, int]:
    """Return how many rows the dataset needs of each application (singletons) and of each workflow across applications."""
    applications = catalog.candidates[recipe.candidates].applications
    graphs = {name: workflows[name] for name in sorted(workflows) if _crosses(workflows[name]) and _within(workflows[name], applications)}
    return _shared_out(recipe.tasks - recipe.graph_tasks, applications) | _graph_rows(graphs, catalog, recipe)


def _graph_rows(graphs: Mapping[str, Workflow], catalog: Catalog, recipe: Recipe) -> dict[str, int]:
    """Rows of each workflow across applications: each split gets its share of them, though few workflows can be said within dev or test.

    Workflows that no text can say within one split make `mixed` rows, so they get few. Where a split has no workflow, the others get its rows.
    """
    split_of = split_by(recipe.splits)
    by_split: dict[Split, list[str]] = defaultdict(list)
    for name, workflow in graphs.items():
        splits = shared_splits((catalog.tasks[step.task] for step in workflow.steps if not step.optional), split_of)
        by_split[min(splits, key=recipe.splits.by_split.__getitem__, default="mixed")].append(name)
    shares = {split: share for split, share in {**recipe.splits.by_split, "mixed": _MIXED}.items() if split in by_split}
    wanted: dict[str, int] = {}
    rows, weights = recipe.graph_tasks, sum(shares.values())
    for split, share in shares.items():
        of_split = round(rows * share / weights)
        wanted |= _shared_out(of_split, by_split[split])
        rows, weights = rows - of_split, weights - share
    return {name: wanted[name] for name in graphs}


def home_application(workflow: Workflow) -> str:
    """Return the application whose shard makes the workflow's rows: that of its last step, which has the result."""
    return workflow.steps[-1].task.rpartition(".")[0]


def _crosses(workflow: Workflow) -> bool:
    return len({step.task.rpartition(".")[0] for step in workflow.steps}) > 1


def _within(workflow: Workflow, applications: Iterable[str]) -> bool:
    return {step.task.rpartition(".")[0] for step in workflow.steps} <= set(applications)


def _shared_out(total: int, names: Iterable[str]) -> dict[str, int]:
    """Divide the total over the names as evenly as whole numbers allow; the first names get the remainder."""
    listed = list(names)
    each, rest = divmod(total, len(listed)) if listed else (0, 0)
    return {name: each + (number < rest) for number, name in enumerate(listed)}


def _with_spare(wanted: int, recipe: Recipe) -> int:
    return wanted + max(1, round(wanted * recipe.spare)) if wanted else 0


def _worlds_of(tasks: Iterable[AtomicTask], worlds: Iterable[World]) -> tuple[World, ...]:
    """Return the worlds that have values for the tasks. Values that few worlds have would recur, so they are left to their generators."""
    listed = list(worlds)
    used = {argument.generator for task in tasks for argument in task.arguments.values() if argument.generator}
    common = {name for name in used if sum(name in world.generators for world in listed) >= min(_FEWEST_WORLDS, len(listed))}
    return tuple(world.only(common) for world in listed if not common.isdisjoint(world.generators))


def _pools_of(tasks: Iterable[AtomicTask], pools: Iterable[Pool]) -> tuple[Pool, ...]:
    used = {argument.generator for task in tasks for argument in task.arguments.values()}
    return tuple(pool.model_copy(update={"origin": None}) for pool in pools if used & set(pool.columns))  # only the values count, not their origin
