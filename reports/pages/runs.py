"""A page for each run: its facts, its accuracy over all tasks and slices, its errors, its time and its cost."""

import json
from typing import Any
from urllib.parse import quote

from reports import figures
from reports.pages.notices import of_run
from reports.questions import Rows
from reports.site import Site

_WORDS = {"True": "yes", "False": "no", "None": "none"}
_DRAWN = "application", "set"
_PARTS = ("run_categories", "run_slices", "run_errors_by_kind", "best_applications", "worst_applications", "frequent_errors")


def write_runs(site: Site, dataset_id: str) -> None:
    """Write runs/<run_id>.html for the newest runs over a dataset."""
    for run in site.ask("runs_of_dataset", dataset_id=dataset_id).rows:
        _write_run(site, run["run_id"])


def _write_run(site: Site, run_id: str) -> None:
    facts = site.ask("run_facts", run_id=run_id).rows[0]
    facts["sampling"] = in_words(facts["sampling"])
    is_drawn = facts["answer_kind"] in _DRAWN and facts["answers"] > facts["failed"]
    shown = {name: site.table(name, run_id, run_id=run_id) for name in _tables(facts, is_drawn)}
    if is_drawn:
        shown["run_category_figure"] = site.figure("run_category_figure", figures.accuracy_by_category, run_id, with_png=False, run_id=run_id)
        shown["run_confusion"] = site.figure("run_confusion", _linked_confusion, run_id, with_png=False, run_id=run_id)
    title = f"Run {facts['protocol']}, {facts['model']}"
    site.page(f"runs/{run_id}.html", title, "run.html.j2", "Overview", facts=facts, notices=of_run(facts), shown=shown)


def _tables(facts: dict[str, Any], is_drawn: bool) -> list[str]:
    """Return the names of the tables to show: none for a run without answers, and no slices if every call failed."""
    if not facts["answers"]:
        return []
    tables = ["run_statuses", "run_effort"] + {"graph": ["run_graphs"], "set": ["run_sets"]}.get(facts["answer_kind"], [])
    tables += ["run_accuracy"] if facts["answer_kind"] in _DRAWN else []
    tables += ["run_retrieval"] if facts["protocol"] == "ras" else []
    return tables + list(_PARTS if is_drawn else ())


def in_words(text: str) -> str:
    """Return settings in words, from the JSON of a run that asks a language model; other settings are words already."""
    try:
        found = json.loads(text)
    except ValueError:
        return text
    return ", ".join(f"{key.replace('_', ' ')}: {_WORDS.get(str(value), value)}" for key, value in found.items()) if isinstance(found, dict) else text


def _linked_confusion(rows: Rows) -> str:
    """Return the heat map with cells that link to their tasks in the explorer."""
    return figures.category_confusion([row | {"address": _address(row)} for row in rows])


def _address(row: dict[str, Any]) -> str:
    return f"confusion.html#run={row['run_id']}&target={quote(row['target_category'], safe='')}&answer={quote(row['answered_category'], safe='')}"
