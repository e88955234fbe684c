"""A page for each run: what it is, how right it is and over what, where its errors go, and what it took."""

from typing import Any
from urllib.parse import quote

from reports import figures
from reports.questions import Rows
from reports.site import Site

_DRAWN = "application", "set"


def write_runs(site: Site, dataset_id: str) -> None:
    """Write runs/<run_id>.html for the newest runs over a dataset."""
    for run in site.ask("runs_of_dataset", dataset_id=dataset_id).rows:
        _write_run(site, run["run_id"])


def _write_run(site: Site, run_id: str) -> None:
    facts = site.ask("run_facts", run_id=run_id).rows[0]
    tables = ["run_statuses", "run_effort"] + {"graph": ["run_graphs"], "set": ["run_sets"]}.get(facts["answer_kind"], [])
    if facts["answer_kind"] in _DRAWN:
        tables += ["run_accuracy", "run_categories", "run_slices", "run_errors_by_kind", "best_applications", "worst_applications", "frequent_errors"]
    if facts["protocol"] == "ras":
        tables += ["run_retrieval"]
    shown = {name: site.table(name, run_id, run_id=run_id) for name in tables}
    if facts["answer_kind"] in _DRAWN:
        shown["run_category_figure"] = site.figure("run_category_figure", figures.accuracy_by_category, run_id, with_png=False, run_id=run_id)
        shown["run_confusion"] = site.figure("run_confusion", _linked_confusion, run_id, with_png=False, run_id=run_id)
    title = f"Run {facts['protocol']}, {facts['model']}"
    site.page(f"runs/{run_id}.html", title, "run.html.j2", "Overview", facts=facts, notices=_notices(facts), shown=shown)


def _notices(facts: dict[str, Any]) -> list[str]:
    """What a reader must know before the figures: that the run is a part, that nothing was answered, or what is left out."""
    answers, there, failed, left_out = facts["answers"], facts["tasks_there"], facts["failed"], facts["not_applicable"]
    notices = []
    if answers == 0:
        notices.append("No task of this run has an answer yet, so there is nothing to show. `deskmill select` goes on where it stopped.")
    elif answers < there:
        notices.append(f"{answers:,} of the {there:,} tasks that it may take are scored: the run has a limit, or is in progress.")
    if answers and failed == answers:
        notices.append(
            f"All {failed:,} calls failed. Failures count as wrong, so an accuracy of 0 here says nothing of the model; `deskmill select` asks again."
        )
    elif failed:
        notices.append(f"{failed:,} tasks failed for reasons of the endpoint. They count as wrong until `deskmill select` asks them again.")
    if left_out:
        notices.append(f"{left_out:,} tasks have no valid application among the candidates of this run; they are outside every figure.")
    return notices


def _linked_confusion(rows: Rows) -> str:
    """The heat map with cells that lead to their tasks in the explorer."""
    return figures.category_confusion([row | {"address": _address(row)} for row in rows])


def _address(row: dict[str, Any]) -> str:
    return f"confusion.html#run={row['run_id']}&target={quote(row['target_category'], safe='')}&answer={quote(row['answered_category'], safe='')}"
