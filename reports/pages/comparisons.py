"""Comparisons of two runs: of the newest runs that were scored over exactly the same tasks."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from reports import figures
from reports.comparison import PairedDifference, compare_runs
from reports.exhibits import Shown
from reports.pages.notices import of_failures
from reports.questions import Rows
from reports.site import Site

Row = dict[str, Any]
_SIGNIFICANT = 0.05


def write_comparisons(site: Site, datasets: Rows) -> None:
    """Write compare/index.html, and compare/<a>-<b>.html for every pair that it lists."""
    sections = []
    for dataset in datasets:
        of = dataset["dataset_id"]
        runs = site.table("comparable_runs", of, dataset_id=of)
        groups = defaultdict(list)
        for row in runs.answer.rows:
            groups[row["tasks"], row["which"]].append(row["run_id"])
        pairs = [_write_group(site, run_ids, f"{of}-{number}") for number, run_ids in enumerate(groups.values(), 1)]
        sections.append({"dataset": dataset, "runs": runs, "groups": pairs, "notices": of_failures(_compared(site, of, groups))})
    site.page("compare/index.html", "Compare", "comparisons.html.j2", "Compare", sections=sections)


def _compared(site: Site, dataset_id: str, groups: Mapping[Any, list[str]]) -> Rows:
    """Return the runs of the groups, with the facts on their answers."""
    ids = set().union(*groups.values())
    return [run for run in site.ask("runs_of_dataset", dataset_id=dataset_id).rows if run["run_id"] in ids]


def _write_group(site: Site, run_ids: list[str], of: str) -> Shown:
    """Write the page of every two of the runs; return the table of all pairs.

    The figures of the table come from the query; the page of a pair adds the bootstrap interval, which no query can compute.
    """
    pairs = site.table("pairs", of, runs=" ".join(run_ids))
    compared = compare_runs(site.connection, run_ids)
    for row, (_, _, drawn) in zip(pairs.answer.rows, compared.pairs, strict=True):
        _write_pair(site, pairs, row, drawn)
    return pairs


def _write_pair(site: Site, pairs: Shown, row: Row, drawn: PairedDifference) -> None:
    of = f"{row['run_a']}-{row['run_b']}"
    pair = {"run_a": row["run_a"], "run_b": row["run_b"]}
    shown = {name: site.table(name, of, **pair) for name in ("pair_categories", "pair_applications", "pair_tasks")}
    shown["pair_category_figure"] = site.figure("pair_category_figure", figures.accuracy_of_pair, of, with_png=False, **pair)
    title = f"{row['named_a']} against {row['named_b']}"
    site.page(
        f"compare/{of}.html", title, "comparison.html.j2", "Compare", pair=row, drawn=drawn, verdict=_verdict(row, drawn), pairs=pairs, shown=shown
    )


def _verdict(row: Row, drawn: PairedDifference) -> str:
    """Return the conclusion of the comparison as a sentence."""
    if drawn.note:
        return f"The uncertainty of the difference is not known: {drawn.note}."
    if row["p_holm"] is not None and row["p_holm"] < _SIGNIFICANT:
        better = "A" if row["difference"] > 0 else "B"
        return f"Run {better} is right more often, beyond chance at 5% with Holm's correction."
    return "The runs do not differ beyond chance at 5% with Holm's correction. This does not prove that they are equal: see the smallest difference."
