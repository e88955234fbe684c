"""Commands for datasets and the catalog: validate, build, import, draft."""

from __future__ import annotations

from typing import Any

import click

from command_line.shared import endpoint_of, model_options, runner_options


@click.command()
@click.option("--schemas", is_flag=True, help="Also write the JSON Schemas that editors use for completion and checks.")
def validate(schemas: bool) -> None:
    """Check the catalog, the workflows, the styles and the recipes, and report every problem at once."""
    from flows.checks import check_everything, write_json_schemas

    click.echo(check_everything())
    if schemas:
        from eval_flows.episodes.sweeps.recipe import SCHEMA, json_schema  # takes a second to import

        SCHEMA.write_text(json_schema())
        for path in [*write_json_schemas(), SCHEMA]:
            click.echo(f"wrote {path}")


@click.command()
@click.argument("recipe")
@runner_options
def build(recipe: str, runner: str, address: str | None, workers: int | None) -> None:
    """Build the dataset of RECIPE, a name (demo, paper) or the path of a recipe file, and load the warehouse."""
    from warehouse.gate import gate

    gate().start()  # before all other imports: it takes longer to load than they do
    from flows.pipeline import WORKER_IMPORTS, build_dataset
    from flows.progress import progress_bars
    from flows.recipe import read_recipe
    from runners.runner import RunnerChoice
    from warehouse.layout import DataFolder
    from warehouse.loader import load_warehouse
    from warehouse.parquet import spare_pandas

    spare_pandas()
    name, content = read_recipe(recipe)
    data = DataFolder.from_environment()
    with RunnerChoice(runner, address, workers, WORKER_IMPORTS).open() as run_map, progress_bars() as progress:
        built = build_dataset(name, content, data, run_map, progress)
    load_warehouse(data)
    rows = built.manifest["rows"]
    state = "exists already, unchanged" if built.was_there else f"built: {rows['made']:,} rows made, {rows['rejected']:,} rejected"
    click.echo(f"{name}: {rows['accepted']:,} user tasks, dataset {built.dataset_id} ({state})")
    click.echo(f"  {built.folder}")
    for split, names in built.manifest["applications_without"].items():
        click.echo(f"  no atomic task falls to {split} of: {', '.join(names)}")


@click.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option("--name", required=True, help="Name of the new dataset.")
@click.option("--candidates", default="windows", show_default=True, help="Candidate list of the applications.")
def import_file(file: str, name: str, candidates: str) -> None:
    """Make a dataset of your own tasks, one JSON object a line of FILE."""
    from pathlib import Path

    from flows.import_tasks import import_tasks
    from warehouse.layout import DataFolder
    from warehouse.loader import load_warehouse

    data = DataFolder.from_environment()
    made = import_tasks(Path(file), name, candidates, data)
    load_warehouse(data)
    state = "exists already, unchanged" if made.was_there else "imported"
    click.echo(f"{name}: {made.manifest['rows']['accepted']:,} user tasks, dataset {made.dataset_id} ({state})\n  {made.folder}")


@click.command()
@click.argument("application")
@click.option("--model", required=True, help="Name of the language model in the registry or, with --base-url, at its server.")
@model_options
@click.option("--number", type=click.IntRange(1), default=10, show_default=True, help="Number of atomic tasks to propose.")
@click.option("--title", help="Full name of APPLICATION, if it is not in the catalog yet.")
def draft(application: str, model: str, number: int, title: str | None, **where: Any) -> None:
    """Let a language model propose atomic tasks for APPLICATION, in a file outside the catalog for a person to review."""
    from flows.draft import draft_tasks
    from flows.pipeline import read_declared
    from flows.progress import progress_bars
    from warehouse.layout import DataFolder

    endpoint = endpoint_of(model, **where)
    with progress_bars() as progress:
        made = draft_tasks(application, endpoint, number, read_declared()[0], DataFolder.from_environment(), progress, title)
    click.echo(f"{made.path}\n  {len(made.kept)} proposals to review, {len(made.refused)} refused with their reasons")
