"""The pages of sweeps: one that lists them, and one for each with its tables, its paired differences and its figures."""

from functools import partial
from typing import Any

from reports import figures
from reports.exhibits import Column, Shown
from reports.questions import Answer
from reports.site import Site
from reports.sweeps import with_differences

Row = dict[str, Any]
_FEWEST_ON_A_LINE = 3  # values of a thing that is drawn as a line
_OF_LEVEL = {"success": ("figure", "success {level}"), "seconds": ("mean", "seconds {level}"), "tokens": ("rounded", "tokens {level}")}
_SUCCESS = "_success"
_NOTHING = "say nothing about agents that see and decide"


def write_sweeps(site: Site) -> None:
    """Write sweeps/index.html and sweeps/<sweep_id>.html."""
    listed = site.table("sweeps")
    site.page("sweeps/index.html", "Sweeps", "sweeps.html.j2", "Sweeps", listed=listed)
    for sweep in listed.answer.rows:
        _write_sweep(site, sweep["sweep_id"])


def _write_sweep(site: Site, sweep_id: str) -> None:
    facts = site.ask("sweep_facts", sweep_id=sweep_id).rows[0]
    counts = site.ask("sweep_counts", sweep_id=sweep_id).rows
    shown = {
        "sweep_cells": site.table("sweep_cells", sweep_id, sweep_id=sweep_id),
        "sweep_table_4": _by_level(site, sweep_id),
        "sweep_applications": _by_application(site, sweep_id),
        "sweep_effects": _differences(site, "sweep_effects", sweep_id, counts, "factor", "value_a", "value_b"),
        "sweep_pairs": _differences(site, "sweep_pairs", sweep_id, counts, "factor", "cell_a", "cell_b"),
        "sweep_figure": site.figure("sweep_figure", figures.success_of_cells, sweep_id, sweep_id=sweep_id),
    }
    factors = [
        {"factor": one["factor"], "shown": _figure_of(site, sweep_id, one["factor"], one["values"])}
        for one in site.ask("sweep_factor_names", sweep_id=sweep_id).rows
    ]
    title = f"Sweep: {facts['title']}"
    site.page(f"sweeps/{sweep_id}.html", title, "sweep.html.j2", "Sweeps", facts=facts, shown=shown, factors=factors, notices=_notices(facts))


def _by_level(site: Site, sweep_id: str) -> Shown:
    """Return the table with columns of success, seconds and tokens for each level that was played."""
    answer = site.ask("sweep_table_4", sweep_id=sweep_id)
    levels = sorted(key.removesuffix(_SUCCESS) for key in (answer.rows[0] if answer.rows else ()) if key.endswith(_SUCCESS))
    columns = [
        Column(f"{level}_{measure}", heading.format(level=level), form, interval=True)
        for measure, (form, heading) in _OF_LEVEL.items()
        for level in levels
    ]
    return site.table_of("sweep_table_4", answer, sweep_id, tuple(columns))


def _by_application(site: Site, sweep_id: str) -> Shown:
    """Return the table with a column for each application that was played, and one for all."""
    answer = site.ask("sweep_applications", sweep_id=sweep_id)
    names = sorted(
        (key.removesuffix(_SUCCESS) for key in (answer.rows[0] if answer.rows else ()) if key.endswith(_SUCCESS)), key=lambda one: (one == "all", one)
    )
    columns = [Column(f"{name}{_SUCCESS}", "overall" if name == "all" else name.replace("_", " "), "figure", interval=True) for name in names]
    return site.table_of("sweep_applications", answer, sweep_id, tuple(columns))


def _differences(site: Site, name: str, sweep_id: str, counts: list[Row], *by: str) -> Shown:
    """Return a table of differences; its query gives the counts, and intervals and tests are computed here."""
    answer = site.ask(name, sweep_id=sweep_id)
    return site.table_of(name, Answer(answer.query, with_differences(answer.rows, counts, by)), sweep_id)


def _figure_of(site: Site, sweep_id: str, factor: str, values: list[str]) -> Shown:
    """Return the figure of one thing that varies: lines over values in an order, if there are enough of them, else points beside each other."""
    of = f"{sweep_id}-{factor}"
    if len(values) >= _FEWEST_ON_A_LINE and sum(map(_is_number, values)) >= len(values) - 1:  # the last one may be `all`
        return site.figure("sweep_factor_lines", partial(figures.success_over, factor), of, sweep_id=sweep_id, factor=factor)
    return site.figure("sweep_factor", partial(figures.success_by, factor), of, sweep_id=sweep_id, factor=factor)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _notices(facts: Row) -> list[str]:
    """Return what a reader must know before the figures."""
    told = []
    if facts["is_all_scripted"]:
        told.append(f"All cells are played by scripts, which ask no model. The figures show what the tables look like, and {_NOTHING}.")
    elif facts["is_some_scripted"]:
        told.append(f"Some cells are played by scripts, which ask no model; they are marked. Their figures {_NOTHING}.")
    left = facts["cells"] - facts["played_cells"]
    if left:
        told.append(f"{left} of {facts['cells']} cells {'is' if left == 1 else 'are'} not begun yet. `deskmill sweep {facts['sweep']}` goes on.")
    return told
