"""The command line of Deskmill: thin, with every heavy import inside the command that needs it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from eval_flows.selection.run import SplitChoice
    from warehouse.query import Format

_BAD_INPUT = 2


class _Commands(click.Group):
    """Shows bad input as its text and exit code 2, never as a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        from atomic_tasks.problems import BadInput
        from warehouse.errors import WarehouseError

        try:
            return super().invoke(ctx)
        except BadInput as error:
            click.echo(str(error) if error.problems else f"error: {error}", err=True)
            if error.problems:
                click.echo(f"{len(error.problems)} problem{'s' * (len(error.problems) != 1)}", err=True)
            ctx.exit(_BAD_INPUT)
        except WarehouseError as error:
            click.echo(f"error: {error}", err=True)
            ctx.exit(_BAD_INPUT)
        except BrokenPipeError:
            raise  # the reader of our output went away; click ends quietly
        except OSError as error:
            click.echo(f"error: {error.filename or 'a file'}: {error.strerror or error}", err=True)
            ctx.exit(_BAD_INPUT)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="deskmill")
def main() -> None:
    """Deskmill makes desktop user tasks from a catalog of atomic tasks, and scores what models and agents make of them."""


@main.command()
@click.option("--schemas", is_flag=True, help="Also write the JSON Schemas that editors use for completion and checks.")
def validate(schemas: bool) -> None:
    """Check the catalog, the workflows, the styles and the recipes, and report every problem at once."""
    from flows.checks import check_everything, write_json_schemas

    click.echo(check_everything())
    if schemas:
        for path in write_json_schemas():
            click.echo(f"wrote {path}")


@main.command()
@click.argument("recipe")
@click.option("--workers", type=click.IntRange(1), help="Processes to make shards with (default: one for each processor).")
def build(recipe: str, workers: int | None) -> None:
    """Build the dataset of RECIPE, a name (demo, paper) or the path of a recipe file, and load the warehouse."""
    from flows.parallel import process_pool_map
    from flows.pipeline import build_dataset
    from flows.progress import progress_bars
    from flows.recipe import read_recipe
    from warehouse.layout import DataFolder
    from warehouse.loader import load_warehouse

    name, content = read_recipe(recipe)
    data = DataFolder.from_environment()
    with progress_bars() as progress:
        built = build_dataset(name, content, data, process_pool_map(workers), progress)
    load_warehouse(data)
    rows = built.manifest["rows"]
    state = "is there already, unchanged" if built.was_there else f"built: {rows['made']:,} rows made, {rows['rejected']:,} rejected"
    click.echo(f"{name}: {rows['accepted']:,} user tasks, dataset {built.dataset_id} ({state})")
    click.echo(f"  {built.folder}")


@main.command()
@click.argument("dataset")
@click.option("--protocol", "protocols", multiple=True, required=True, help="random, heuristic or nearest; may be given several times.")
@click.option("--limit", type=click.IntRange(1), help="Score this many tasks; a larger limit extends the run.")
@click.option("--split", type=click.Choice(["test", "all"]), default="test", show_default=True, help="Which tasks to score.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the random selector.")
@click.option("--embedder", default="all-MiniLM-L6-v2", show_default=True, help="Packaged embedder, or the folder of a model.")
def select(dataset: str, protocols: tuple[str, ...], limit: int | None, split: SplitChoice, seed: int, embedder: str) -> None:
    """Let selectors choose applications for the tasks of DATASET, and score them."""
    from eval_flows.selection.pipeline import evaluate_selection
    from flows.progress import progress_bars
    from warehouse.layout import DataFolder
    from warehouse.query import answer

    data = DataFolder.from_environment()
    with progress_bars() as progress:
        runs = evaluate_selection(dataset, protocols, data, progress, limit=limit, split=split, seed=seed, embedder=embedder)
    ids = ", ".join(f"'{run.run_id}'" for run in runs)
    columns = "run_id, dataset, protocol, model, tasks, correct, accuracy, accuracy_low, accuracy_high"
    click.echo(answer(data.warehouse, f"select {columns} from accuracy where run_id in ({ids})", "table"))


@main.command()
@click.argument("query")
@click.option("--format", "shape", type=click.Choice(["table", "csv", "json"]), default="table", show_default=True)
def sql(query: str, shape: Format) -> None:
    """Ask the warehouse a question in SQL (read-only)."""
    from warehouse.layout import DataFolder
    from warehouse.query import answer

    click.echo(answer(DataFolder.from_environment().warehouse, query, shape))


@main.command()
def report() -> None:
    """Write the report: one HTML page that opens from disk."""
    from reports.report import write_report
    from warehouse.layout import DataFolder

    click.echo(write_report(DataFolder.from_environment()))


if __name__ == "__main__":
    main()
