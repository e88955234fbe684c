"""Commands for judging: judge, label and review."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from command_line.shared import model_options, take_endpoint

if TYPE_CHECKING:
    from eval_flows.episodes.judging.work import Work
    from warehouse.layout import DataFolder


def _page_options(command: Any) -> Any:
    """Add the options of pages."""
    for option in (
        click.option("--port", type=click.IntRange(0, 65535), default=8710, show_default=True, help="Port of the pages; 0 takes a free one."),
        click.option("--host", default="127.0.0.1", show_default=True, help="Address of the pages; the default takes browsers on this host alone."),
    ):
        command = option(command)
    return command


@click.command()
@click.argument("runs", nargs=-1, required=True)
@click.option("--level", "levels", multiple=True, type=click.Choice(["L1", "L2", "L3", "L4"]), help="Only these levels.")
@click.option("--judge", "model", help="A language model judges: a name in the registry or, with --base-url, at its server (default: people).")
@_page_options
@model_options
def judge(runs: tuple[str, ...], levels: tuple[str, ...], model: str | None, host: str, port: int, **chosen: Any) -> None:
    """Compare the results of RUNS (two or more) side by side, blind: people on a page in the browser, or a language model.

    Judgements are kept at once. Ctrl+C ends the pages, loads the warehouse and shows the scores.
    """
    from eval_flows.episodes.judging.compare import Comparing
    from eval_flows.episodes.judging.models import judge_pairs
    from eval_flows.episodes.judging.pairs import pairs_of
    from eval_flows.episodes.judging.results import read_run
    from flows.progress import progress_bars
    from warehouse.layout import DataFolder

    endpoint, data = take_endpoint(model, chosen), DataFolder.from_environment()
    pairs = pairs_of([read_run(run, data) for run in dict.fromkeys(runs)], levels)
    if endpoint is None:
        _serve(Comparing(pairs, data), host, port)
    else:
        with progress_bars() as progress:
            click.echo(f"{judge_pairs(pairs, endpoint, data, lambda done, total: progress('judging', done, total))} judgements of {len(pairs)} pairs")
    _load_and_show(data, "judged", pairs[0].suite)


@click.command()
@click.argument("runs", nargs=-1, required=True)
@click.option("--labeller", "model", help="A language model proposes labels, marked as its own (default: people label).")
@_page_options
@model_options
def label(runs: tuple[str, ...], model: str | None, host: str, port: int, **chosen: Any) -> None:
    """Label where the failed episodes of RUNS went wrong: the kind of the error and its step.

    Labels are kept at once. Ctrl+C ends the pages, loads the warehouse and shows the shares of the kinds.
    """
    from eval_flows.episodes.judging.failures import failures_of
    from eval_flows.episodes.judging.label import Labelling
    from eval_flows.episodes.judging.models import propose_labels
    from eval_flows.episodes.judging.results import read_run
    from flows.progress import progress_bars
    from warehouse.layout import DataFolder

    endpoint, data = take_endpoint(model, chosen), DataFolder.from_environment()
    failures = failures_of([read_run(run, data) for run in dict.fromkeys(runs)])
    if endpoint is None:
        _serve(Labelling(failures, data), host, port)
    else:
        with progress_bars() as progress:
            click.echo(f"{propose_labels(failures, endpoint, data, lambda done, total: progress('labelling', done, total))} labels")
    for suite in sorted({suite for suite, _ in failures.values()}):
        _load_and_show(data, "labelled", suite)


def _serve(work: Work, host: str, port: int) -> None:
    from eval_flows.episodes.judging.serve import serve_work

    serve_work(work, host, port, click.echo)


def _load_and_show(data: DataFolder, query: str, suite: str) -> None:
    """Load the warehouse, and show what follows from all that was judged of a suite so far."""
    from warehouse.judging import shown
    from warehouse.loader import load_warehouse

    load_warehouse(data)
    click.echo(shown(data, query, suite))


@click.command()
@click.argument("suite")
@click.option("--run", "run", metavar="ID", help="Show the screen at the start, from this run of the suite.")
@click.option("--answer", "answers", is_flag=True, help="Answer what readers found, as the author.")
@click.option("--write", "writes", is_flag=True, help="Write the answered readings into the reviews of the suite.")
@_page_options
def review(suite: str, run: str | None, answers: bool, writes: bool, host: str, port: int) -> None:
    """Read the tasks of SUITE before they are played: two people read each, on a page in the browser, and an author answers."""
    from eval_flows.episodes.judging.readings import Readings, write_reviews
    from eval_flows.episodes.judging.results import read_run
    from eval_flows.episodes.judging.review import Answering, Reviewing
    from warehouse.layout import DataFolder

    if answers + writes + (run is not None) > 1:
        raise click.UsageError("--run is for reading; --answer and --write come after it, each by itself")
    data = DataFolder.from_environment()
    if writes:
        click.echo(f"{write_reviews(Readings(suite, data))} readings written into the reviews of {suite}")
    elif answers:
        _serve(Answering(suite, data), host, port)
    else:
        _serve(Reviewing(suite, data, read_run(run, data) if run else None), host, port)
