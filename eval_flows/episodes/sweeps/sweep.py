"""Running a sweep: every cell is an ordinary run, so a killed sweep goes on where it was, and it is done when all its runs are."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from eval_flows.episodes.runs.pipeline import planned_run, play_run
from eval_flows.episodes.runs.run import Plan
from eval_flows.episodes.runs.store import Row
from eval_flows.episodes.sweeps.cells import Cell
from eval_flows.episodes.sweeps.estimate import Estimate, estimated
from eval_flows.episodes.sweeps.recipe import SweepRecipe
from eval_flows.progress import Progress
from language_models.cache import read_calls
from language_models.errors import BudgetReached, ModelError
from warehouse.layout import DataFolder, fetch, written_file
from warehouse.loader import load_warehouse


@dataclass(frozen=True)
class Sweep:
    """A sweep that is planned: its name, its recipe, and each cell with its run."""

    name: str
    recipe: SweepRecipe
    cells: Sequence[tuple[Cell, Plan]]

    @property
    def sweep_id(self) -> str:
        """Return its id, a hash of its name and its runs: as for them, a larger limit and more repeats extend a sweep."""
        content = json.dumps([self.name, *(plan.run_id for _, plan in self.cells)])
        return hashlib.blake2b(content.encode(), digest_size=8).hexdigest()

    def spent(self, data: DataFolder) -> float:
        """Return the dollars that the calls of its runs have cost so far, over all commands."""
        runs = {plan.run_id for _, plan in self.cells}
        return sum(call.cost_usd for call in read_calls(data.model_calls) if call.purpose in runs)


@dataclass(frozen=True)
class CellRun:
    """What came of a cell: its rows, and why it ended early, if it did."""

    cell: Cell
    run_id: str
    rows: Sequence[Row]
    wanted: int
    ended_by: ModelError | None = None


def planned_sweep(name: str, recipe: SweepRecipe, cells: Sequence[Cell], data: DataFolder) -> Sweep:
    """Return the sweep with the run of each cell; BadInput, MachineNeeds or ModelError if something that a run needs is missing."""
    priced = [cell.options.endpoint is not None and cell.options.endpoint.prices is not None for cell in cells]
    if recipe.budget is not None and not any(priced):
        raise ModelError("a budget needs prices, but no model of the sweep has any: declare them in models.yaml, or leave the budget out")
    return Sweep(name, recipe, [(cell, planned_run(recipe.suite, cell.agent, cell.options, data)) for cell in cells])


def estimates(sweep: Sweep, data: DataFolder) -> list[tuple[Cell, Estimate]]:
    """Return what the rest of each cell would cost; nothing is started and no model is asked."""
    return [(cell, estimated(plan, plan.left(data))) for cell, plan in sweep.cells]


def run_sweep(sweep: Sweep, data: DataFolder, progress: Progress) -> list[CellRun]:
    """Play what is left of every cell, one after another, and load the warehouse.

    A cell whose endpoint fails does not keep the others from being played; a reached budget ends the sweep.
    """
    _describe(sweep, data)
    played: list[CellRun] = []
    for cell, plan in sweep.cells:
        ran = _played(sweep, cell, plan, data, progress)
        played.append(ran)
        if isinstance(ran.ended_by, BudgetReached):
            break
    load_warehouse(data)
    return played


def _played(sweep: Sweep, cell: Cell, plan: Plan, data: DataFolder, progress: Progress) -> CellRun:
    shown = f"{cell.number} of {len(sweep.cells)}: {cell.label}"
    try:
        options = replace(cell.options, budget=_left(sweep, cell, plan, data))
        ran = play_run(plan, options, data, lambda stage, done, total, note="": progress(shown, done, total, note))
    except ModelError as error:
        return CellRun(cell, plan.run_id, [], len(plan.wanted), error)
    return CellRun(cell, plan.run_id, ran.rows, ran.wanted, ran.ended_by)


def _left(sweep: Sweep, cell: Cell, plan: Plan, data: DataFolder) -> float | None:
    """Return the dollars that are left for a cell; None without a budget, or if its model costs nothing. BudgetReached if none are left."""
    budget, endpoint = sweep.recipe.budget, cell.options.endpoint
    if budget is None or endpoint is None or endpoint.prices is None or plan.is_played(data):
        return None
    left = budget - sweep.spent(data)
    if left <= 0:
        raise BudgetReached(f"the budget of ${budget:g} for the sweep is spent")
    return left


def _describe(sweep: Sweep, data: DataFolder) -> None:
    """Write what the sweep is, for the warehouse; a sweep that goes on keeps the time when it was begun."""
    path = data.sweeps / f"{sweep.sweep_id}.json"
    fetch(path, data.model_calls)
    begun = json.loads(path.read_text())["started_at"] if path.is_file() else datetime.now(UTC).isoformat(timespec="seconds")
    recipe = sweep.recipe
    about: dict[str, Any] = {"sweep_id": sweep.sweep_id, "sweep": sweep.name, "title": recipe.title, "description": recipe.description}
    about |= {"suite": recipe.suite, "start": recipe.start, "budget_usd": recipe.budget, "started_at": begun}
    with written_file(path) as temporary:
        temporary.write_text(json.dumps({**about, "cells": [_described(cell, plan) for cell, plan in sweep.cells]}, indent=1) + "\n")


def _described(cell: Cell, plan: Plan) -> dict[str, Any]:
    return {
        "number": cell.number,
        "run_id": plan.run_id,
        "label": cell.label,
        "is_scripted": cell.agent.is_scripted,
        "repeats": plan.repeats,
        "factors": cell.factors,
        "command": cell.command,
    }
