"""Commands that read and maintain results: sql, show, report, export, load, prune."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Literal

import click

from command_line.shared import prompt_of

if TYPE_CHECKING:
    from warehouse.query import Format


@click.command()
@click.argument("query")
@click.option("--format", "shape", type=click.Choice(["table", "csv", "json"]), default="table", show_default=True)
@click.option("--seconds", type=click.FloatRange(0, min_open=True), help="Stop the query after this many seconds (default: no limit).")
def sql(query: str, shape: Format, seconds: float | None) -> None:
    """Ask the warehouse a question in SQL (read-only)."""
    from warehouse.layout import DataFolder
    from warehouse.query import answer

    click.echo(answer(DataFolder.from_environment().warehouse, query, shape, seconds))


@click.command()
@click.argument("asked", metavar="ID")
@click.option("--format", "shape", type=click.Choice(["table", "json"]), default="table", show_default=True)
def show(asked: str, shape: Literal["table", "json"]) -> None:
    """Show all about a task, run, sweep, episode, dataset, composition, model call, study, application or atomic task, by ID or its beginning.

    A capability of the catalog shows the applications that can do it, those that were considered and cannot, and why. A job of a suite shows what it
    asks, what its checks look at, its proof, what its oracle and a person take, and what its reviews found; an atomic task
    that runs on a machine shows that too.
    """
    from atomic_tasks.considered import judged
    from eval_flows.episodes.about_job import about_job
    from eval_flows.episodes.about_task import about_task
    from warehouse.errors import WarehouseError
    from warehouse.layout import DataFolder
    from warehouse.query import of_this_version
    from warehouse.show import show as shown

    data = DataFolder.from_environment()
    declared = (judged(asked) or about_job(asked, data.warehouse) or about_task(asked, data.warehouse)) if "." in asked else None
    try:
        with of_this_version():
            found = shown(data.warehouse, asked, shape, prompt_of(data))
    except WarehouseError:
        if declared is None:
            raise
        found = "[]" if shape == "json" else ""
    if declared is None:
        click.echo(found)
    elif shape == "json":
        click.echo(json.dumps([*json.loads(found), declared.model_dump(mode="json")], indent=2, ensure_ascii=False))
    else:
        click.echo("\n\n".join(filter(None, (found, declared.text()))))


@click.command()
def report() -> None:
    """Write the report: a site in a folder that opens from disk."""
    from reports.report import write_report
    from warehouse.layout import DataFolder
    from warehouse.query import of_this_version

    data = DataFolder.from_environment()
    with of_this_version():
        click.echo(write_report(data, prompt_of(data)))


@click.command()
@click.argument("destination", type=click.Path(file_okay=False))
@click.option("--format", "file_format", type=click.Choice(["parquet", "csv"]), default="parquet", show_default=True)
@click.option("--table", "tables", multiple=True, help="Table or view to write; may be given several times (default: all).")
def export(destination: str, file_format: Literal["parquet", "csv"], tables: tuple[str, ...]) -> None:
    """Write tables and views as files into the folder DESTINATION, with a data dictionary."""
    from pathlib import Path

    from warehouse.export import export as exported
    from warehouse.layout import DataFolder
    from warehouse.query import of_this_version

    with of_this_version():
        click.echo(exported(DataFolder.from_environment().warehouse, Path(destination), file_format, tables))


@click.command()
def load() -> None:
    """Make the warehouse again from the Parquet."""
    from warehouse.layout import DataFolder
    from warehouse.loader import load_warehouse

    click.echo(load_warehouse(DataFolder.from_environment()))


@click.command()
@click.option(
    "--keep",
    type=click.IntRange(1),
    required=True,
    help="Number of newest runs to keep of each dataset, protocol, model, split and kind of answer, or of each suite, agent and start.",
)
@click.option("--older-than", type=click.FloatRange(0), help="Remove only what is older than this many days.")
@click.option("--dry-run", is_flag=True, help="List what would be removed, and remove nothing.")
def prune(keep: int, older_than: float | None, dry_run: bool) -> None:
    """Remove older runs, and datasets, shards and vectors that nothing refers to."""
    from warehouse.layout import DataFolder
    from warehouse.retention import prune as pruned

    click.echo(pruned(DataFolder.from_environment(), keep, older_than, dry_run))
