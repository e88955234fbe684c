"""The report: one HTML page that opens from disk, with its styles and figures in it."""

from pathlib import Path
from typing import Any

import duckdb
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from reports import figures
from reports.agreement import alphas
from warehouse.layout import DataFolder, written_file
from warehouse.query import connect, rows_of

_ROOT = Path(__file__).parent
_BEST_AND_WORST = 10
Rows = list[dict[str, Any]]


def write_report(data: DataFolder) -> Path:
    """Write the page from the warehouse as it is; the path of the page."""
    connection = connect(data.warehouse)
    try:
        page = render(connection)
    finally:
        connection.close()
    path = data.report / "index.html"
    with written_file(path) as temporary:
        temporary.write_text(page, encoding="utf-8")
    return path


def render(connection: duckdb.DuckDBPyConnection) -> str:
    """The page's text."""
    environment = Environment(
        loader=FileSystemLoader(_ROOT / "templates"), undefined=StrictUndefined, autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"figure": _figure, "interval": _interval, "percent": _percent, "count": lambda number: f"{number:,}"}
    sections = [_section(connection, dataset) for dataset in _ask(connection, "shown_datasets")]
    return environment.get_template("report.html.j2").render(
        sections=sections,
        published=_ask(connection, "published_models"),
        style=(_ROOT / "templates" / "report.css").read_text(),
    )


def _section(connection: duckdb.DuckDBPyConnection, dataset: dict[str, Any]) -> dict[str, Any]:
    """Everything that the page shows of one dataset and its newest runs."""
    identity = dataset["dataset_id"]
    by_category = _ask(connection, "accuracy_by_category", identity)
    categories = sorted({row["category"] for row in by_category})
    return {
        "dataset": dataset,
        "composition": _ask(connection, "dataset_composition", identity),
        "runs": [_run(connection, run, categories) for run in _ask(connection, "runs_of_dataset", identity)],
        "by_category": {category: {row["run_id"]: row for row in by_category if row["category"] == category} for category in categories},
        "category_figure": figures.accuracy_by_category(by_category) if by_category else "",
        "diversity": _ask(connection, "diversity_by_category", identity),
        "diversity_by_application": _ask(connection, "diversity_by_application", identity),
        "lengths_figure": figures.text_lengths(_ask(connection, "text_lengths", identity)),
        "steps_figure": figures.step_counts(_ask(connection, "step_counts", identity)),
        "studies": _studies(connection, identity),
    }


def _studies(connection: duckdb.DuckDBPyConnection, dataset_id: str) -> list[dict[str, Any]]:
    """The quality studies of a dataset that have ratings, with scores, intervals and the raters' agreement."""
    scores, marks = _ask(connection, "quality_scores", dataset_id), _ask(connection, "quality_marks", dataset_id)
    studies = []
    for study in dict.fromkeys(row["study_id"] for row in scores):
        agreement = alphas([row for row in marks if row["study_id"] == study])
        rows = [row | {"alpha": agreement[row["measure"].replace(" right", "").replace(" ", "_")]} for row in scores if row["study_id"] == study]
        studies.append({"study_id": study, "scores": rows})
    return studies


def _run(connection: duckdb.DuckDBPyConnection, run: dict[str, Any], categories: list[str]) -> dict[str, Any]:
    """One run with its confusion, its best and worst applications and its frequent errors."""
    scores = _ask(connection, "application_scores", run["run_id"])
    half = min(_BEST_AND_WORST, len(scores) // 2)
    return {
        **run,
        "confusion_figure": figures.confusion_heat_map(_ask(connection, "category_confusion", run["run_id"]), categories),
        "best": scores[:half],
        "worst": scores[-half:][::-1] if half else [],
        "errors": _ask(connection, "frequent_errors", run["run_id"]),
    }


def _ask(connection: duckdb.DuckDBPyConnection, query: str, *parameters: str) -> Rows:
    return rows_of(connection, (_ROOT / "queries" / f"{query}.sql").read_text(), parameters)


def _figure(value: float | None) -> str:
    """Three decimals, or words where there is no figure."""
    return "none" if value is None else f"{value:.3f}"


def _interval(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{low:.3f} to {high:.3f}"


def _percent(value: float | None) -> str:
    return "none" if value is None else f"{100 * value:.1f}%"
