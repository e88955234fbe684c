"""The artifacts of a flow's run page, in the forms that Prefect shows: pictures inside Markdown, tables as rows, and paths of files.

A picture is embedded as a data URI: an image artifact shows only an address, and a page from a server cannot link to a file on disk.
"""

import base64
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import altair as alt
import duckdb
import pandas as pd
import vl_convert

from warehouse.query import rows_of

_TASKS = Path(__file__).parent / "sql" / "tasks_by_category.sql"
_FONT = "DejaVu Sans, Segoe UI, Helvetica, Arial, sans-serif"
# Okabe and Ito's colours, which colour-blind readers can tell apart
_SPLITS = {"train": "#0072B2", "dev": "#E69F00", "test": "#009E73", "mixed": "#999999"}
_WIDTH = 520  # pixels
Rows = Sequence[Mapping[str, Any]]


def artifact_key(*parts: str) -> str:
    """Return a key that Prefect accepts: lower-case letters, digits and dashes."""
    return re.sub(r"[^a-z0-9]+", "-", "-".join(parts).lower()).strip("-")


def accuracy_picture(rows: Rows) -> str:
    """Return Markdown with a figure of the accuracy of runs and its 95% interval, or a sentence if no run has one.

    Rows have the columns run_id, protocol, model, accuracy, accuracy_low and accuracy_high of the view `accuracy`.
    """
    if not rows:
        return "No run scored a single task, so there is no accuracy to draw."
    runs = pd.DataFrame(rows)
    runs["run"] = runs["protocol"] + ", " + runs["model"] + ", " + runs["run_id"].str[:6]
    scale = alt.Scale(domain=[0, 1])
    base = alt.Chart(runs).encode(y=alt.Y("run:N", sort=None, title=None, axis=alt.Axis(labelLimit=300)))
    interval = base.mark_rule(strokeWidth=2, color=_SPLITS["train"]).encode(
        x=alt.X("accuracy_low:Q", scale=scale, title="accuracy (95% interval)"), x2="accuracy_high:Q"
    )
    point = base.mark_point(filled=True, size=60, opacity=1, color=_SPLITS["train"]).encode(x=alt.X("accuracy:Q", scale=scale))
    told = "; ".join(f"{row['protocol']} by {row['model']} {row['accuracy']:.3f}" for row in rows)
    return _embedded(alt.layer(interval, point), f"Accuracy of the runs with 95% intervals: {told}")


def dataset_picture(connection: duckdb.DuckDBPyConnection, dataset_id: str) -> str:
    """Return Markdown with a figure of a dataset's user tasks by category and split, or a sentence if there are none."""
    rows = rows_of(connection, _TASKS.read_text(), [dataset_id])
    if not rows:
        return "The dataset has no user tasks, so there is nothing to draw."
    colour = alt.Color("split:N", scale=alt.Scale(domain=list(_SPLITS), range=list(_SPLITS.values())), title="split")
    bars = alt.Chart(pd.DataFrame(rows)).mark_bar()
    chart = bars.encode(
        y=alt.Y("category:N", sort="-x", title=None, axis=alt.Axis(labelLimit=300)), x=alt.X("sum(tasks):Q", title="user tasks"), color=colour
    )
    return _embedded(chart, f"User tasks of the dataset by category and split: {sum(row['tasks'] for row in rows):,} in all")


def rows_table(manifest: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the row counts of a dataset's manifest: made, accepted, and rejected by stage and reason."""
    counted = manifest["rows"]
    table = [{"rows": kind, "stage": "", "reason": "", "number": counted[kind]} for kind in ("made", "accepted")]
    for stage, reasons in counted["rejected_by_stage_and_reason"].items():
        table += [{"rows": "rejected", "stage": stage, "reason": reason, "number": number} for reason, number in reasons.items()]
    return table


def places(paths: Mapping[str, Path]) -> str:
    """Return Markdown that lists files with their paths and the times at which they were written."""
    lines = [f"- {name}: `{path}`, of {_written_at(path)}" if path.is_file() else f"- {name}: not written yet" for name, path in paths.items()]
    return "\n".join(["Open these files in a browser on the machine that ran the flow. `deskmill report` writes the report.", "", *lines])


def _written_at(path: Path) -> str:
    return datetime.fromtimestamp(path.stat().st_mtime, UTC).strftime("%Y-%m-%d %H:%M UTC")


def _embedded(chart: Any, told: str) -> str:
    """Return Markdown of a chart as SVG, on white so that it is readable on dark pages too; `told` is its alternative text."""
    shown = chart.properties(width=_WIDTH, background="white", padding=12).configure(font=_FONT)
    svg = vl_convert.vegalite_to_svg(shown.to_dict())
    encoded = base64.b64encode(svg.encode()).decode()
    return f"![{told.replace('[', '(').replace(']', ')')}](data:image/svg+xml;base64,{encoded})"
