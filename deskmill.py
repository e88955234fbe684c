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
        from language_models.errors import ModelError
        from warehouse.errors import WarehouseError

        try:
            return super().invoke(ctx)
        except BadInput as error:
            click.echo(str(error) if error.problems else f"error: {error}", err=True)
            if error.problems:
                click.echo(f"{len(error.problems)} problem{'s' * (len(error.problems) != 1)}", err=True)
            ctx.exit(_BAD_INPUT)
        except (WarehouseError, ModelError) as error:
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


@main.group()
def quality() -> None:
    """Have people, or models marked as such, rate a sample of a dataset."""


@quality.command("sample")
@click.argument("dataset")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the draw.")
@click.option("--number", type=click.IntRange(1), help="Tasks to draw (default: a tenth of the dataset).")
def quality_sample(dataset: str, seed: int, number: int | None) -> None:
    """Draw tasks of DATASET evenly over the applications, and write rating sheets for three raters and the page to rate on."""
    from eval_flows.quality.pipeline import sample
    from eval_flows.selection.pipeline import sound_catalog
    from warehouse.layout import DataFolder

    study, paths = sample(dataset, sound_catalog(), DataFolder.from_environment(), seed, number)
    click.echo(f"study {study.study_id}: {len(study.items):,} tasks of {study.dataset}")
    for path in paths:
        click.echo(f"  {path}")


@quality.command("load")
@click.argument("sheets", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False))
def quality_load(sheets: tuple[str, ...]) -> None:
    """Read filled SHEETS into the warehouse: all of them, or none where one has a mistake."""
    from pathlib import Path

    from eval_flows.quality.pipeline import load
    from warehouse.layout import DataFolder

    for sheet in load([Path(sheet) for sheet in sheets], DataFolder.from_environment()):
        click.echo(f"study {sheet.study_id}: {len(sheet.ratings):,} ratings of {sheet.rater} ({sheet.rater_kind})")


@quality.command("judge")
@click.argument("study")
@click.option("--model", required=True, help="Name of the model, as its endpoint knows it.")
@click.option("--base-url", help="Address of an OpenAI-compatible endpoint (default: that of the openai package).")
@click.option("--key-variable", default="OPENAI_API_KEY", show_default=True, help="Environment variable that holds the key.")
def quality_judge(study: str, model: str, base_url: str | None, key_variable: str) -> None:
    """Let a language model fill in a sheet of STUDY, marked as a model's and never mixed with people's."""
    from eval_flows.quality.pipeline import judge
    from eval_flows.selection.pipeline import sound_catalog
    from flows.progress import progress_bars
    from language_models.client import Endpoint
    from warehouse.layout import DataFolder

    endpoint = Endpoint(model, base_url, key_variable)
    with progress_bars() as progress:
        path = judge(study, endpoint, sound_catalog(), DataFolder.from_environment(), lambda done, total: progress("judging", done, total))
    click.echo(f"{path}\n  read it in with: deskmill quality load {path}")


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
