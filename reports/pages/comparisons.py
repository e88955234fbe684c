"""Comparison of two runs at a time: those of the newest runs that were scored over the very same tasks."""

from collections import defaultdict
from typing import Any

from reports import figures
from reports.comparison import Comparison, PairedDifference, compare_runs
from reports.questions import Rows
from reports.site import Site

Row = dict[str, Any]


def write_comparisons(site: Site, datasets: Rows) -> None:
    """Write compare/index.html, and compare/<a>-<b>.html for every pair that it lists."""
    sections = []
    for dataset in datasets:
        runs = site.table("comparable_runs", dataset["dataset_id"], dataset_id=dataset["dataset_id"])
        groups = defaultdict(list)
        for row in runs.answer.rows:
            groups[row["tasks"], row["which"]].append(row["run_id"])
        compared = [compare_runs(site.connection, run_ids) for run_ids in groups.values()]
        for comparison in compared:
            _write_pairs(site, comparison)
        sections.append({"dataset": dataset, "runs": runs, "compared": compared})
    site.page("compare/index.html", "Compare", "comparisons.html.j2", "Compare", sections=sections)


def _write_pairs(site: Site, comparison: Comparison) -> None:
    for a, b, difference in comparison.pairs:
        of = f"{a['run_id']}-{b['run_id']}"
        pair = {"run_a": a["run_id"], "run_b": b["run_id"]}
        shown = {name: site.table(name, of, **pair) for name in ("pair_categories", "pair_applications", "pair_tasks")}
        shown["pair_category_figure"] = site.figure("pair_category_figure", figures.accuracy_of_pair, of, with_png=False, **pair)
        site.page(
            f"compare/{of}.html", f"{_named(a)} against {_named(b)}", "comparison.html.j2", "Compare",
            a=a, b=b, difference=difference, verdict=_verdict(difference), pairs=len(comparison.pairs), shown=shown,
        )  # fmt: skip


def _named(run: Row) -> str:
    return f"{run['protocol']} ({run['model']})"


def _verdict(difference: PairedDifference) -> str:
    """What the comparison allows to say, in words."""
    if difference.note:
        return f"Nothing can be said of how sure the difference is: {difference.note}."
    if difference.p_holm is not None and difference.p_holm < 0.05:
        better = "A" if difference.difference > 0 else "B"
        return f"Run {better} is right more often, beyond chance at 5% with Holm's correction."
    return "The runs do not differ beyond chance at 5% with Holm's correction. That is no proof that they are equal: see the smallest difference."
