"""The pipeline that builds a dataset: shards, the late stage, the gate, publication. Any map can run its shards."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from atomic_tasks.catalog import CATALOG_ROOT, Catalog, read_catalog
from atomic_tasks.kept_catalog import kept
from atomic_tasks.memory import without_collecting
from atomic_tasks.problems import BadInput, Problem
from atomic_tasks.validator import troubled_applications, validate_catalog
from compositions.library import WORKFLOWS_ROOT, by_id, read_workflows
from compositions.schema import Workflow
from compositions.validator import validate_workflows
from flows.across_parts import near_across_parts
from flows.assemble import Judged, judged
from flows.jobs import shard_jobs, wanted_rows
from flows.progress import Progress
from flows.publish import data_files, digest, intact, made_from, publish, write_dataset, write_manifest
from flows.recipe import Recipe
from flows.shard import Shard, ShardJob, make_shard
from flows.statistics import statistics
from narrators.styles import read_styles
from runners.runner import Map
from warehouse.gate import gate
from warehouse.layout import DataFolder, fetch, sweep, written_folder

WORKER_IMPORTS = ("flows.worker",)
"""What a worker imports ahead of its first shard."""


@dataclass(frozen=True)
class Built:
    """A dataset in its place."""

    dataset: str
    dataset_id: str
    folder: Path
    manifest: Mapping[str, Any]
    was_there: bool


@without_collecting()
def read_declared() -> tuple[Catalog, dict[str, Workflow]]:
    """Return the validated catalog and workflows; BadInput holds every problem in them at once."""
    catalog, problems = read_catalog()
    of_packages = f"{catalog.checkers.model_dump_json()} {catalog.mistakes_of_packages}"
    checked = partial(_checked_workflows, catalog, problems)
    folders = [CATALOG_ROOT, WORKFLOWS_ROOT.parent]
    workflows, problems = checked() if problems else kept("workflows", folders, checked, lambda made: not made[1], of_packages)
    if problems:
        raise BadInput(problems)
    return catalog, workflows


def _checked_workflows(catalog: Catalog, problems: list[Problem]) -> tuple[dict[str, Workflow], list[Problem]]:
    """Return the workflows, and the problems of form of the catalog with all others of catalog and workflows."""
    located, more = read_workflows()
    problems = [*problems, *validate_catalog(catalog)]
    problems += [*more, *validate_workflows(located, catalog, troubled_applications(catalog, problems))]
    return dict(by_id(located)), problems


def build_dataset(name: str, recipe: Recipe, data: DataFolder, run_map: Map, progress: Progress) -> Built:
    """Build the recipe's dataset and publish it under the name; existing files are used again."""
    gate().start()
    catalog, workflows = read_declared()
    if recipe.refill is not None:
        from flows.refill import refilled  # imports the client of language models, which takes half a second

        catalog = refilled(catalog, recipe.refill, data, progress)
    jobs = shard_jobs(catalog, workflows, read_styles(), recipe)
    with data.locked("build"):
        sweep(data.datasets)
        sweep(data.shards)
        shards: list[Shard] = []
        paraphrased: dict[str, Path] = {}
        if recipe.paraphrase is not None:
            from flows.paraphrase import paraphrase_shards  # likewise

            shards = make_shards(jobs, data.shards, run_map, progress)
            paraphrased = paraphrase_shards(shards, recipe.paraphrase, catalog, workflows, data, progress)
        source = made_from(recipe, catalog, {job.name: job.address for job in jobs}, paraphrased)
        identity = digest(source)
        folder = data.datasets / identity
        fetch(folder)
        manifest = intact(folder)
        if manifest is not None:
            return Built(name, identity, publish(data, name, folder), manifest, was_there=True)
        shards = shards or make_shards(jobs, data.shards, run_map, progress)
        paths = list(paraphrased.values()) or [data.shards / f"{shard.address}.parquet" for shard in shards]
        candidates = catalog.candidates[recipe.candidates].applications
        with written_folder(folder) as unpublished:
            near = near_across_parts(shards, paths, run_map, progress)
            progress("assembling", 0, 1)
            found = judged(paths, catalog, recipe, wanted_rows(workflows, catalog, recipe), near)
            _refuse_shortage(found, recipe)
            write_dataset(unpublished, paths, found, catalog)
            progress("assembling", 1, 1)
            progress("checking expectations", 0, 1)
            gate_failures = gate().ask(unpublished / "dataset", candidates, catalog.categories, recipe.tasks)
            figures = statistics(data_files(unpublished), {task.id for task in catalog.tasks.values() if task.application in candidates})
            manifest = write_manifest(unpublished, name, source, recipe, catalog, found, figures, shards)
            _refuse_failures(gate_failures())  # the gate writes into the folder, so nothing else may end the block before it answers
            _refuse_unused(figures, recipe)
            progress("checking expectations", 1, 1)
        return Built(name, identity, publish(data, name, folder), manifest, was_there=False)


def make_shards(jobs: list[ShardJob], folder: Path, run_map: Map, progress: Progress) -> list[Shard]:
    """Return every job's shard, in the order of the jobs; existing files are used again."""
    addresses = [job.address for job in jobs]
    fetch(*(folder / f"{address}.parquet" for address in addresses))
    missing = [job for job, address in zip(jobs, addresses, strict=True) if not (folder / f"{address}.parquet").is_file()]
    made: dict[str, Shard] = {}
    progress("making shards", 0, len(missing))
    for shard in run_map(partial(make_shard, folder=folder), missing):
        made[shard.address] = shard
        progress("making shards", len(made), len(missing))
    fetch(*(folder / f"{address}.parquet" for address in made))  # those that workers on other hosts made
    if lost := [address for address in made if not (folder / f"{address}.parquet").is_file()]:
        raise BadInput(f"workers made {len(lost)} shards elsewhere than in {folder}: give each of them the same DESKMILL_DATA and DESKMILL_CACHE")
    found = zip(jobs, addresses, strict=True)
    return [made.get(address) or Shard(name=job.name, application=job.application, address=address, made=False) for job, address in found]


def _refuse_failures(failures: list[str]) -> None:
    if failures:
        raise BadInput("the dataset was not published, because rows fail the gate:\n" + "\n".join(failures))


def _refuse_shortage(found: Judged, recipe: Recipe) -> None:
    if found.missing:
        short = ", ".join(f"{name} ({number} missing)" for name, number in sorted(found.missing.items()))
        hint = f"add phrasings, tasks or workflows there, or raise most_attempts ({recipe.most_attempts}) or spare ({recipe.spare}) in the recipe"
        raise BadInput(f"the catalog gives too few different texts for: {short}; {hint}")


def _refuse_unused(figures: Mapping[str, Any], recipe: Recipe) -> None:
    if recipe.uses_every_task and figures["unused_atomic_tasks"]:
        listed = ", ".join(figures["unused_atomic_tasks"])
        raise BadInput(f"no composition of this dataset uses: {listed}; the recipe uses every atomic task (uses_every_task): raise `tasks`")
