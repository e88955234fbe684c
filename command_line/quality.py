"""Commands of the quality studies: quality sample, mix, load and judge."""

from __future__ import annotations

from typing import Any

import click

from command_line.shared import endpoint_of, model_options


@click.group()
def quality() -> None:
    """Have people, or models marked as such, rate texts of a dataset, alone or mixed with people's."""


@quality.command("sample")
@click.argument("dataset")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the random draw.")
@click.option("--number", type=click.IntRange(1), help="Number of tasks to draw (default: a tenth of the dataset).")
def quality_sample(dataset: str, seed: int, number: int | None) -> None:
    """Draw tasks of DATASET evenly over the applications, and write rating sheets for three raters and the page to rate on."""
    from eval_flows.quality.pipeline import sample
    from warehouse.layout import DataFolder

    study, paths = sample(dataset, DataFolder.from_environment(), seed, number)
    click.echo(f"study {study.study_id}: {len(study.items):,} tasks of {study.dataset}")
    for path in paths:
        click.echo(f"  {path}")


@quality.command("mix")
@click.argument("dataset")
@click.option(
    "--with", "people", required=True, type=click.Path(exists=True, dir_okay=False), help="People's texts: .jsonl with `text`, or a text a line."
)
@click.option("--number", type=click.IntRange(2), default=150, show_default=True, help="Number of texts of DATASET to draw.")
@click.option("--people", "of_people", type=click.IntRange(2), help="Number of people's texts to draw (default: all, at most --number).")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the random draw.")
def quality_mix(dataset: str, people: str, number: int, of_people: int | None, seed: int) -> None:
    """Mix texts of DATASET blindly with texts of people, and write rating sheets for three raters and the page to rate on.

    Give raters only the page or their sheet: study.json beside them is the key that says which texts are whose.
    """
    from pathlib import Path

    from eval_flows.quality.pipeline import mix
    from warehouse.layout import DataFolder

    study, paths = mix(dataset, Path(people), DataFolder.from_environment(), seed, number, of_people)
    click.echo(f"study {study.study_id}: {number:,} texts of {study.dataset} and {len(study.items) - number:,} of people")
    for path in paths:
        click.echo(f"  {path}")
    click.echo(f"key, not for raters: {study.folder / 'study.json'}")


@quality.command("load")
@click.argument("sheets", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False))
def quality_load(sheets: tuple[str, ...]) -> None:
    """Read filled SHEETS into the warehouse: all of them, or none if one has a mistake."""
    from pathlib import Path

    from eval_flows.quality.pipeline import load
    from warehouse.layout import DataFolder

    for sheet in load([Path(sheet) for sheet in sheets], DataFolder.from_environment()):
        click.echo(f"study {sheet.study_id}: {len(sheet.ratings):,} ratings of {sheet.rater} ({sheet.rater_kind})")


@quality.command("judge")
@click.argument("study")
@click.option("--model", required=True, help="Name of the language model in the registry or, with --base-url, at its server.")
@model_options
def quality_judge(study: str, model: str, **where: Any) -> None:
    """Let a language model fill in a sheet of STUDY, marked as a model's and never mixed with people's."""
    from eval_flows.quality.pipeline import judge
    from flows.progress import progress_bars
    from warehouse.layout import DataFolder

    endpoint = endpoint_of(model, **where)
    with progress_bars() as progress:
        path = judge(study, endpoint, DataFolder.from_environment(), lambda done, total: progress("judging", done, total))
    click.echo(f"{path}\n  read it in with: deskmill quality load {path}")
