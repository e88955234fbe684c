"""Commands that evaluate application selection: select, compare."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from command_line.shared import model_options, take_endpoint

if TYPE_CHECKING:
    from warehouse.query import Format


@click.command()
@click.argument("dataset")
@click.option("--protocol", "protocols", multiple=True, required=True, help="May be given several times; see the README for all of them.")
@click.option("--limit", type=click.IntRange(1), help="Number of tasks to score; a larger limit extends the run.")
@click.option("--split", type=click.Choice(["test", "all"]), default="test", show_default=True, help="Split to score.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the random selector and of fixed examples.")
@click.option("--embedder", default="all-MiniLM-L6-v2", show_default=True, help="Packaged embedder, or the folder of a model.")
@click.option("--pool", help="Dataset whose train split the protocols learn from (default: DATASET).")
@click.option("--model", help="Name of the language model in the registry or, with --base-url, at its server.")
@model_options
@click.option(
    "--reply", type=click.Choice(["text", "schema"]), default="text", show_default=True, help="Form of the answer: free text, or JSON under a schema."
)
@click.option(
    "--choose", type=click.Choice(["one", "set"]), default="one", show_default=True, help="Ask for one application, or for all that can do the task."
)
@click.option("--examples", type=click.IntRange(1), default=5, show_default=True, help="Number of examples of few_shot.")
@click.option(
    "--example-choice",
    type=click.Choice(["fixed", "nearest"]),
    default="fixed",
    show_default=True,
    help="The same examples for every task, or the nearest ones.",
)
@click.option("--cards", type=click.IntRange(0), default=10, show_default=True, help="Number of nearest cards of ras; 0 shows all.")
@click.option("--with-singletons", is_flag=True, help="Let graph also answer tasks of one application, as graphs of one node.")
@click.option("--budget", type=click.FloatRange(0), help="Dollars at which the command stops; run it again with more to continue.")
@click.option("--dry-run", is_flag=True, help="Print the expected calls, tokens and dollars, and ask nothing.")
@click.option("--replay", is_flag=True, help="Answer only from the cache, without a network.")
@click.option("--batch", is_flag=True, help="Ask through the batch endpoint: cheaper, but it takes up to a day.")
def select(dataset: str, protocols: tuple[str, ...], model: str | None, cards: int, dry_run: bool, **chosen: Any) -> None:
    """Let selectors choose applications for the tasks of DATASET, and score them."""
    from eval_flows.selection.pipeline import Choices, evaluate_selection, expect_calls
    from flows.progress import progress_bars
    from warehouse.layout import DataFolder
    from warehouse.query import answer

    data = DataFolder.from_environment()
    endpoint = take_endpoint(model, chosen)
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

        raise ModelError(f"{evaluated.ended_early}; the answers so far are kept and scored above; run the same command with a larger budget to go on")


@click.command()
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
