"""The command line of Deskmill: thin, with every heavy import inside the command that needs it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import click

if TYPE_CHECKING:
    from collections.abc import Callable

    from language_models.client import Endpoint
    from warehouse.layout import DataFolder
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


def _model_options(command: Any) -> Any:
    """The options that say which model is asked, and where."""
    for option in (
        click.option("--interface", type=click.Choice(["chat", "completion"]), help="completion is for base models (default: as registered)."),
        click.option("--at-once", type=click.IntRange(1), help="The most calls in flight (default: as registered, or 8)."),
        click.option("--key-variable", help="Environment variable that holds the key (default: as registered, or OPENAI_API_KEY)."),
        click.option("--base-url", help="Address of an OpenAI-compatible server; any model there needs no entry in the registry."),
    ):
        command = option(command)
    return command


def _endpoint(model: str, **asked: Any) -> Endpoint:
    from language_models.registry import find_endpoint
    from warehouse.layout import DataFolder

    return find_endpoint(model, **asked, own=DataFolder.from_environment().models)


@main.command()
@click.argument("dataset")
@click.option("--protocol", "protocols", multiple=True, required=True, help="May be given several times; see the README for all of them.")
@click.option("--limit", type=click.IntRange(1), help="Score this many tasks; a larger limit extends the run.")
@click.option("--split", type=click.Choice(["test", "all"]), default="test", show_default=True, help="Which tasks to score.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the random selector and of fixed examples.")
@click.option("--embedder", default="all-MiniLM-L6-v2", show_default=True, help="Packaged embedder, or the folder of a model.")
@click.option("--pool", help="Dataset whose train split is learnt from (default: DATASET).")
@click.option("--model", help="Language model, by its name in the registry or, with --base-url, at its server.")
@_model_options
@click.option("--reply", type=click.Choice(["text", "schema"]), default="text", show_default=True, help="Free text, or JSON under a schema.")
@click.option("--choose", type=click.Choice(["one", "set"]), default="one", show_default=True, help="One application, or all that suit.")
@click.option("--examples", type=click.IntRange(1), default=5, show_default=True, help="Examples of few_shot.")
@click.option("--example-choice", type=click.Choice(["fixed", "nearest"]), default="fixed", show_default=True, help="The same ones, or the nearest.")
@click.option("--cards", type=click.IntRange(0), default=10, show_default=True, help="Cards of ras, nearest first; 0 shows all.")
@click.option("--with-singletons", is_flag=True, help="Let graph answer tasks of one application too, as graphs of one node.")
@click.option("--budget", type=click.FloatRange(0), help="Dollars at which the command stops; the same command with more goes on.")
@click.option("--dry-run", is_flag=True, help="Print the calls, tokens and dollars that it would take, and ask nothing.")
@click.option("--replay", is_flag=True, help="Answer from the cache alone, with no network.")
@click.option("--batch", is_flag=True, help="Ask through the batch endpoint: cheaper, within a day.")
def select(dataset: str, protocols: tuple[str, ...], model: str | None, cards: int, dry_run: bool, **chosen: Any) -> None:
    """Let selectors choose applications for the tasks of DATASET, and score them."""
    from eval_flows.selection.pipeline import Choices, evaluate_selection, expect_calls
    from flows.progress import progress_bars
    from warehouse.layout import DataFolder
    from warehouse.query import answer

    data = DataFolder.from_environment()
    where = {name: chosen.pop(name) for name in ("base_url", "key_variable", "at_once", "interface")}
    endpoint = _endpoint(model, **where) if model else None
    choices = Choices(endpoint=endpoint, cards=cards or None, **chosen)
    with progress_bars() as progress:
        if dry_run:
            for expected in expect_calls(dataset, protocols, data, progress, choices):
                click.echo(expected)
            return
        evaluated = evaluate_selection(dataset, protocols, data, progress, choices)
    for table in evaluated.tables:
        click.echo(answer(data.warehouse, table, "table"))
    if evaluated.ended_early:
        from language_models.errors import ModelError

        raise ModelError(f"{evaluated.ended_early}. What was answered is kept and scored above; the same command with a larger budget goes on")


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
@click.option("--model", required=True, help="Language model, by its name in the registry or, with --base-url, at its server.")
@_model_options
def quality_judge(study: str, model: str, **where: Any) -> None:
    """Let a language model fill in a sheet of STUDY, marked as a model's and never mixed with people's."""
    from eval_flows.quality.pipeline import judge
    from eval_flows.selection.pipeline import sound_catalog
    from flows.progress import progress_bars
    from warehouse.layout import DataFolder

    endpoint = _endpoint(model, **where)
    with progress_bars() as progress:
        path = judge(study, endpoint, sound_catalog(), DataFolder.from_environment(), lambda done, total: progress("judging", done, total))
    click.echo(f"{path}\n  read it in with: deskmill quality load {path}")


@main.command()
@click.argument("runs", nargs=-1, required=True)
@click.option("--format", "shape", type=click.Choice(["table", "csv", "json"]), default="table", show_default=True)
def compare(runs: tuple[str, ...], shape: Format) -> None:
    """Compare two or more RUNS, by id or the beginning of one, on the tasks that they all answered."""
    from reports.comparison import compare_runs, rendered_comparison
    from warehouse.layout import DataFolder
    from warehouse.query import connect

    connection = connect(DataFolder.from_environment().warehouse)
    try:
        click.echo(rendered_comparison(compare_runs(connection, runs), shape))
    finally:
        connection.close()


@main.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option("--name", required=True, help="Name of the dataset that is made.")
@click.option("--candidates", default="windows", show_default=True, help="Candidate list that the tasks are answered from.")
def import_file(file: str, name: str, candidates: str) -> None:
    """Make a dataset of your own tasks, one JSON object a line of FILE."""
    from pathlib import Path

    from flows.import_tasks import import_tasks
    from warehouse.layout import DataFolder
    from warehouse.loader import load_warehouse

    data = DataFolder.from_environment()
    made = import_tasks(Path(file), name, candidates, data)
    load_warehouse(data)
    state = "is there already, unchanged" if made.was_there else "imported"
    click.echo(f"{name}: {made.manifest['rows']['accepted']:,} user tasks, dataset {made.dataset_id} ({state})\n  {made.folder}")


@main.command()
@click.argument("application")
@click.option("--model", required=True, help="Language model, by its name in the registry or, with --base-url, at its server.")
@_model_options
@click.option("--number", type=click.IntRange(1), default=10, show_default=True, help="Atomic tasks to propose.")
@click.option("--title", help="Full name of APPLICATION, where it is not in the catalog yet.")
def draft(application: str, model: str, number: int, title: str | None, **where: Any) -> None:
    """Let a language model propose atomic tasks for APPLICATION, in a file outside the catalog for a person to review."""
    from flows.draft import draft_tasks
    from flows.pipeline import read_declared
    from flows.progress import progress_bars
    from warehouse.layout import DataFolder

    endpoint = _endpoint(model, **where)
    with progress_bars() as progress:
        made = draft_tasks(application, endpoint, number, read_declared()[0], DataFolder.from_environment(), progress, title)
    click.echo(f"{made.path}\n  {len(made.kept)} proposals to review, {len(made.refused)} refused with their reasons")


@main.command()
@click.argument("query")
@click.option("--format", "shape", type=click.Choice(["table", "csv", "json"]), default="table", show_default=True)
def sql(query: str, shape: Format) -> None:
    """Ask the warehouse a question in SQL (read-only)."""
    from warehouse.layout import DataFolder
    from warehouse.query import answer

    click.echo(answer(DataFolder.from_environment().warehouse, query, shape))


def _prompt_of(data: DataFolder) -> Callable[[str], list[dict[str, str]] | None]:
    """What finds the prompt of a model call; neither the warehouse nor the report knows language models."""
    from language_models.cache import read_request

    return lambda call: read_request(data.model_calls, call) if data.model_calls.is_file() else None


@main.command()
@click.argument("asked", metavar="ID")
@click.option("--format", "shape", type=click.Choice(["table", "json"]), default="table", show_default=True)
def show(asked: str, shape: Literal["table", "json"]) -> None:
    """Show all about a task, run, dataset, composition, model call, study, application or atomic task, by ID or its beginning."""
    from warehouse.layout import DataFolder
    from warehouse.show import show as shown

    data = DataFolder.from_environment()
    click.echo(shown(data.warehouse, asked, shape, _prompt_of(data)))


@main.command()
@click.argument("destination", type=click.Path(file_okay=False))
@click.option("--format", "file_format", type=click.Choice(["parquet", "csv"]), default="parquet", show_default=True)
@click.option("--table", "tables", multiple=True, help="Table or view to write; may be given several times (default: all).")
def export(destination: str, file_format: Literal["parquet", "csv"], tables: tuple[str, ...]) -> None:
    """Write tables and views as files into the folder DESTINATION, with a data dictionary."""
    from pathlib import Path

    from warehouse.export import export as exported
    from warehouse.layout import DataFolder

    click.echo(exported(DataFolder.from_environment().warehouse, Path(destination), file_format, tables))


@main.command()
def load() -> None:
    """Make the warehouse anew from the Parquet."""
    from warehouse.layout import DataFolder
    from warehouse.loader import load_warehouse

    click.echo(load_warehouse(DataFolder.from_environment()))


@main.command()
@click.option("--keep", type=click.IntRange(1), required=True, help="Newest runs to keep of each dataset, protocol, model, split and kind of answer.")
@click.option("--older-than", type=click.FloatRange(0), help="Let go only of what is older than this many days.")
@click.option("--dry-run", is_flag=True, help="Say what would go, and let go of nothing.")
def prune(keep: int, older_than: float | None, dry_run: bool) -> None:
    """Let go of older runs, and of datasets, shards and vectors that nothing refers to."""
    from warehouse.layout import DataFolder
    from warehouse.retention import prune as pruned

    click.echo(pruned(DataFolder.from_environment(), keep, older_than, dry_run))


@main.command()
def report() -> None:
    """Write the report: a site in a folder that opens from disk."""
    from reports.report import write_report
    from warehouse.layout import DataFolder

    data = DataFolder.from_environment()
    click.echo(write_report(data, _prompt_of(data)))


if __name__ == "__main__":
    main()
