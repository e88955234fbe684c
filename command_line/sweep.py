"""The command `sweep`: many runs over a suite, declared in one file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from eval_flows.episodes.sweeps.estimate import Estimate
    from eval_flows.episodes.sweeps.sweep import CellRun


@click.command()
@click.argument("recipe", metavar="NAME|FILE")
@click.option("--dry-run", is_flag=True, help="Show what is left of each cell, and an estimate of its calls, tokens and dollars; start nothing.")
@click.option("--workers", type=click.IntRange(1), help="Machines at once (default: as in the recipe).")
@click.option("--limit", type=click.IntRange(1), help="Only the first episodes of each cell (default: as in the recipe).")
@click.option("--budget", type=click.FloatRange(0, min_open=True), help="Dollars that the whole sweep may cost (default: as in the recipe).")
def sweep(recipe: str, dry_run: bool, workers: int | None, limit: int | None, budget: float | None) -> None:
    """Play every run of a sweep, and write the report. Run the same command again to continue a stopped sweep.

    NAME is a recipe of Deskmill, such as demo; FILE is a recipe of your own (.yaml).
    """
    from command_line.shared import prompt_of
    from eval_flows.episodes.sweeps.cells import cells_of
    from eval_flows.episodes.sweeps.recipe import read_sweep
    from eval_flows.episodes.sweeps.sweep import estimates, planned_sweep, run_sweep
    from flows.progress import progress_bars
    from warehouse.layout import DataFolder

    data = DataFolder.from_environment()
    name, declared, source = read_sweep(recipe)
    declared = declared.with_changes(workers, limit, budget)
    planned = planned_sweep(name, declared, cells_of(declared, source, data), data)
    if dry_run:
        _show_estimates([(cell.label, one) for cell, one in estimates(planned, data)], planned.spent(data), declared.budget)
        return
    with progress_bars() as progress:
        played = run_sweep(planned, data, progress)
    for one in played:
        click.echo(_outcome(one, len(planned.cells)))
    from reports.report import write_report  # takes seconds to import, and a dry run needs none

    index = write_report(data, prompt_of(data))
    click.echo(f"page of the sweep: {index.parent / 'sweeps' / f'{planned.sweep_id}.html'}")
    _end(played)


def _outcome(one: CellRun, cells: int) -> str:
    ended = [row for row in one.rows if row["fault"] is None]
    told = f"{sum(row['is_success'] for row in ended)} of {len(ended)} succeeded"
    faults = len(one.rows) - len(ended)
    told += f", {faults} fault{'s' * (faults != 1)} of the infrastructure" * bool(faults)
    missing = one.wanted - len(one.rows)
    told += f", {missing} not played" * bool(missing)
    return f"{one.cell.number} of {cells}, run {one.run_id}: {one.cell.label}: {told}"


def _end(played: list[CellRun]) -> None:
    """End with exit code 2 if a model failed or the budget is reached, and 1 if faults are left."""
    from language_models.errors import ModelError

    ended = {str(one.ended_by): None for one in played if one.ended_by is not None}
    if ended:
        raise ModelError("; ".join(ended) + ". Run the same command to go on")
    if any(row["fault"] is not None for one in played for row in one.rows):
        click.echo("faults are left: run the same command again to try them again")
        click.get_current_context().exit(1)


def _show_estimates(cells: list[tuple[str, Estimate]], spent: float, budget: float | None) -> None:
    from warehouse.query import rendered

    names = ("cell", "what", "episodes left", "calls", "at most", "tokens", "at most", "dollars", "at most")

    def dollars(value: float | None) -> str:
        return "no price" if value is None else f"{value:,.2f}"

    rows = [
        (number, label, one.episodes, one.calls, one.most_calls, one.tokens, one.most_tokens, dollars(one.cost_usd), dollars(one.most_cost_usd))
        for number, (label, one) in enumerate(cells, 1)
    ]
    click.echo(rendered(names, rows, "table"))
    known = [one for _, one in cells]
    expected, most = (sum(getattr(one, key) or 0.0 for one in known) for key in ("cost_usd", "most_cost_usd"))
    limited = "" if budget is None else f"; the budget is ${budget:,.2f}"
    left = f"{sum(one.episodes for one in known):,} episodes are left, for about ${expected:,.2f} and at most ${most:,.2f}"
    click.echo(f"{left}; ${spent:,.2f} spent so far{limited}")
