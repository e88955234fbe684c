"""`make bench`: one JSON line a figure, each beside its reference in the same run, since machines differ and are noisy.

A figure: name, value, unit, the reference that was measured with it, and their ratio.
"""

import json
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from flows import pipeline
from flows.pipeline import WORKER_IMPORTS, Built, build_dataset
from flows.recipe import Recipe, read_recipe
from runners.processes import process_pool_map
from tests import (
    bench_client,
    bench_commands,
    bench_density,
    bench_episodes,
    bench_hosts,
    bench_imports,
    bench_machines,
    bench_people,
    bench_professional,
    bench_serve,
    bench_site,
    bench_warehouse,
)
from tests.timing import seconds_of
from warehouse.gate import gate
from warehouse.layout import DataFolder

WORKERS = 2
_MOST_TIMES, _MOST_MEMORY = 10.0, 1.2  # goals for ten times the rows
_MOST_MB_OF_ANSWERS = 700.0
_ON_RUNNERS = {"dask": 1.15, "ray": 1.0}  # Dask's is its goal; Ray has none
REPOSITORY = Path(__file__).parents[1]


def main() -> None:
    """Print every figure."""
    for figure in bench_commands.figures():
        _figure(*figure)
    gate().start()
    _warm(0)
    list(process_pool_map(WORKERS, WORKER_IMPORTS)(_warm, [1, 2]))
    recipe = read_recipe("demo")[1]
    with tempfile.TemporaryDirectory() as folder:
        _builds(recipe, DataFolder(Path(folder)))
    with tempfile.TemporaryDirectory() as folder:
        _selection(DataFolder(Path(folder)), recipe)
    _help()
    _client()
    for figure in (
        *bench_warehouse.figures(),
        *bench_site.figures(),
        *bench_episodes.figures(),
        *bench_machines.figures(),
        *bench_density.figures(),
        *bench_serve.figures(),
        *bench_hosts.figures(),
        *bench_imports.figures(),
        *bench_people.figures(),
        *bench_professional.figures(),
    ):
        _figure(*figure)
    _scale()


def _client() -> None:
    """The client of language models beside a bare loop, both at 64 in flight against the fake server with 20 ms latency."""
    ours, bare = bench_client.rates()
    _figure("model_requests_per_second", ours, "requests/s", "a bare asyncio loop over the same openai client on its aiohttp transport", bare)


def _scale() -> None:
    """The paper recipe, and ten times it, each in a process of its own."""
    paper = read_recipe("paper")[1].tasks
    templates = seconds_of(lambda: _faker_and_jinja(paper))
    once, run = _scaled(paper, with_run=True)
    ten_times, _ = _scaled(10 * paper)
    _figure(f"build_{paper}_tasks", once["seconds"], "s", f"{paper} rows of three Faker values in one Jinja template, one process", templates)
    _figure(f"build_{paper}_tasks_peak_memory", once["peak_mb"], "MB", "a gigabyte", 1000)
    _figure(f"build_{paper}_tasks_rows_per_second", paper / once["seconds"], "rows/s", "the same of samplers and one template", paper / templates)
    number = int(run["predictions"])
    _figure(f"zero_shot_{number}_predictions_peak_memory", run["peak_mb"], "MB", "the goal for 100,000 answers of a model", _MOST_MB_OF_ANSWERS)
    _figure(f"zero_shot_{number}_predictions", run["seconds"], "s", f"building {paper} tasks", once["seconds"])
    for runner, times in _ON_RUNNERS.items():
        seconds = _scaled(paper, runner=runner)[0]["seconds"]
        _figure(
            f"build_{paper}_tasks_on_{runner}", seconds, "s", f"{times:g} times building {paper} tasks on a process pool", times * once["seconds"]
        )
    _figure("one_shard_of_a_hundred", once["shard_seconds"] / 100, "s", f"building {paper} tasks", once["seconds"])
    reference = f"the goal: {_MOST_TIMES:g} times building {paper} tasks"
    _figure(f"build_{10 * paper}_tasks", ten_times["seconds"], "s", reference, _MOST_TIMES * once["seconds"])
    for rows, built in ((paper, once), (10 * paper, ten_times)):
        _figure(f"late_stage_{rows}_rows", built["late_seconds"], "s", "reading the shards and writing their rows to one file", built["copy_seconds"])
        _figure(f"late_stage_{rows}_rows_peak_memory", built["late_peak_mb"], "MB", "a gigabyte", 1000)
    reference = f"the goal: {_MOST_MEMORY:g} times that of building {paper} tasks"
    _figure(f"build_{10 * paper}_tasks_peak_memory", ten_times["peak_mb"], "MB", reference, _MOST_MEMORY * once["peak_mb"])


def _scaled(rows: int, with_run: bool = False, runner: str = "processes") -> tuple[dict[str, float], dict[str, float]]:
    """The figures of a build and, if wanted, of a run of a language model over what was built."""
    with tempfile.TemporaryDirectory() as folder:
        built = _in_its_own_process("tests.bench_scale", str(rows), folder, runner)
        return built, _in_its_own_process("tests.bench_client", folder) if with_run else {}


def _in_its_own_process(module: str, *arguments: str) -> dict[str, float]:
    command = [sys.executable, "-m", module, *arguments]
    made: dict[str, float] = json.loads(subprocess.run(command, check=True, cwd=REPOSITORY, stdout=subprocess.PIPE).stdout.splitlines()[-1])
    return made


def _builds(recipe: Recipe, data: DataFolder) -> None:
    """Building the demo dataset cold, again, and after one phrasing changed."""
    templates = seconds_of(lambda: _faker_and_jinja(recipe.tasks))
    cold = seconds_of(lambda: _build(recipe, data))
    _figure("build_10000_tasks", cold, "s", f"{recipe.tasks} rows of three Faker values in one Jinja template, one process", templates)
    _figure("build_again_unchanged", seconds_of(lambda: _build(recipe, data)), "s", "the cold build", cold)
    declared = pipeline.read_declared()
    excel = declared[0].applications["excel"]
    task = excel.tasks[-1].model_copy(update={"say": (*excel.tasks[-1].say, "see to it once more, all over again")})
    changed = replace(declared[0], applications={**declared[0].applications, "excel": excel.model_copy(update={"tasks": (*excel.tasks[:-1], task)})})
    pipeline.read_declared, kept = (lambda: (changed, declared[1])), pipeline.read_declared
    jobs = []
    seconds = seconds_of(lambda: jobs.append(_build(recipe, data)))
    pipeline.read_declared = kept
    _figure("build_after_one_phrasing_changed", seconds, "s", "the cold build", cold)
    _figure("shards_remade_after_one_phrasing_changed", len(jobs[0].manifest["shards_made"]), "shards", "all shards", 100)


def _selection(data: DataFolder, recipe: Recipe) -> None:
    """Scoring all singletons by the heuristic and by the nearest card, and loading the warehouse."""
    from atomic_tasks.catalog import read_catalog
    from eval_flows.datasets import open_dataset
    from eval_flows.selection.selectors import SelectorOptions, make_selector
    from eval_flows.selection.tasks import scored_tasks
    from retrieval.embedder import Embedder
    from warehouse.loader import load_warehouse

    catalog = read_catalog()[0]
    _build(recipe, data)
    dataset = open_dataset("demo", data)
    options = SelectorOptions(dataset.candidates, dataset, data.vectors)
    tasks = scored_tasks(dataset, "all")
    random, heuristic = (make_selector(protocol, catalog, options) for protocol in ("random", "heuristic"))
    chance = seconds_of(lambda: list(random.select(tasks)))
    rate = len(tasks) / seconds_of(lambda: list(heuristic.select(tasks)))
    _figure("heuristic_tasks_per_second", rate, "tasks/s", "random selector", len(tasks) / chance)
    nearest, embedder, sample = make_selector("nearest", catalog, options), Embedder(), tasks[:1000]
    bare = seconds_of(lambda: embedder.embed([task.text for task in sample]))
    rate = 1000 / seconds_of(lambda: list(nearest.select(sample)))
    _figure("nearest_tasks_per_second", rate, "tasks/s", "embedding alone", 1000 / bare)
    _figure("load_warehouse", seconds_of(lambda: load_warehouse(data)), "s", "embedding 1,000 texts", bare)


def _help() -> None:
    """Starting the command line."""
    empty = seconds_of(lambda: subprocess.run([sys.executable, "-c", "pass"], check=True))
    shown = seconds_of(lambda: subprocess.run([sys.executable, str(REPOSITORY / "deskmill.py"), "--help"], check=True, stdout=subprocess.DEVNULL))
    _figure("deskmill_help", shown, "s", "python -c pass", empty)


def _build(recipe: Recipe, data: DataFolder) -> Built:
    return build_dataset("demo", recipe, data, process_pool_map(WORKERS, WORKER_IMPORTS), lambda stage, done, total: None)


def _faker_and_jinja(rows: int) -> None:
    """What a generator of samplers and templates does at the least."""
    from faker import Faker
    from jinja2 import Template

    faker, template = Faker(), Template("Please send {{ a }} to {{ b }} by {{ c }}.")
    for _ in range(rows):
        template.render(a=faker.file_name(), b=faker.name(), c=faker.day_of_week())


def _warm(number: int) -> int:
    from atomic_tasks.arguments import computed_generators

    return len(computed_generators()) + number


def _figure(name: str, value: float, unit: str, reference: str, reference_value: float) -> None:
    line = {
        "name": name,
        "value": round(value, 4),
        "unit": unit,
        "reference": reference,
        "reference_value": round(reference_value, 4),
        "ratio": round(value / reference_value, 4),
    }
    print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
