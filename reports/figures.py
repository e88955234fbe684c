"""Figures as SVG text: Altair describes them and vl-convert draws them, with no browser and no network.

The colours tell apart for colour-blind readers: Okabe and Ito's for kinds, cividis for amounts. The stylesheet of the site turns ink, grid and
background to the reader's light or dark; in the files they are dark on white.
"""

from collections.abc import Sequence
from typing import Any

import altair as alt
import pandas as pd
import vl_convert

from reports.questions import Rows

NO_ANSWER = "no answer"
_FONT = "DejaVu Sans, Segoe UI, Helvetica, Arial, sans-serif"
_INK, _GRID = "#1d2330", "#dcdfe5"  # site.css knows these two
_COLOURS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#999999"]
_SHAPES = ["circle", "square", "triangle-up", "cross", "triangle-down", "triangle-right", "triangle-left"]
_SHARE = alt.Scale(domain=[0, 1])
_WIDE = alt.Axis(labelLimit=280, grid=True)


def accuracy_by_model(rows: Rows) -> str:
    """Accuracy with its interval of every model and protocol, and what the paper reports as hollow diamonds."""
    return _intervals(rows, "model", "protocol", sort=_order(rows, "model"))


def accuracy_by_category(rows: Rows) -> str:
    """Accuracy with its interval of one run for every category, and what the paper reports for the same model or baseline."""
    return _intervals(rows, "category", "whose")


def accuracy_of_pair(rows: Rows) -> str:
    """Accuracy with its interval of two runs for every category."""
    return _intervals(rows, "category", "run")


def category_bars(rows: Rows) -> str:
    """Accuracy by category over models, hardest last, and the paper's."""
    return _intervals(rows, "category", "whose", sort=_order(rows, "category"))


def applications_by_f1(rows: Rows) -> str:
    """F1 of the top and bottom applications over models."""
    return _intervals([row | {"accuracy": row["f1"], "accuracy_low": row["f1_low"], "accuracy_high": row["f1_high"], "published": None} for row in rows],
                      "title", "end", sort=[row["title"] for row in rows], measure="F1")  # fmt: skip


def cost_and_accuracy(rows: Rows) -> str:
    """Accuracy with its interval against dollars per 1,000 tasks, on a logarithmic scale."""
    frame = pd.DataFrame(rows)
    frame["run"] = frame["model"] + ", " + frame["protocol"]
    kinds = list(dict.fromkeys(frame["protocol"]))
    colour = alt.Color("protocol:N", scale=alt.Scale(domain=kinds, range=_cycled(_COLOURS, kinds)))
    x = alt.X("dollars_per_1000:Q", scale=alt.Scale(type="log"), title="dollars per 1,000 tasks")
    base = alt.Chart(frame).encode(x=x, color=colour)
    rules = base.mark_rule(strokeWidth=2).encode(y=alt.Y("accuracy_low:Q", scale=_SHARE, title="accuracy (95% interval)"), y2="accuracy_high:Q")
    points = base.mark_point(filled=True, size=60, opacity=1).encode(y=alt.Y("accuracy:Q", scale=_SHARE))
    names = alt.Chart(frame).mark_text(align="left", dx=8, fontSize=11, color=_INK).encode(x=x, y=alt.Y("accuracy:Q", scale=_SHARE), text="run:N")
    return _svg((rules + points + names).properties(width=520, height=300))


def category_confusion(rows: Rows) -> str:
    """Row-normalised category confusion, a cell leading to its tasks where a row has an `address`; the last column is for no answer."""
    categories = sorted({row["target_category"] for row in rows} | {row["answered_category"] for row in rows} - {NO_ANSWER})
    links = {"href": "address:N"} if "address" in rows[0] else {}
    says = [f"{row['target_category']} answered as {row['answered_category']}: {row['tasks']} tasks, {row['share']:.3f}" for row in rows]
    frame = pd.DataFrame(rows).assign(says=says)
    return _heat_map(frame, ("answered_category", "category of the answer", [*categories, NO_ANSWER]), ("target_category", "category of the target", categories),
                     "share", "share of the row", links)  # fmt: skip


def models_by_category(rows: Rows) -> str:
    """Accuracy of every model for every category, means over protocols; the paper's models stand below ours."""
    frame = pd.DataFrame(rows).assign(says=[f"{row['model']}, {row['category']}: {row['accuracy']:.3f}" for row in rows])
    return _heat_map(frame, ("category", None, sorted(frame["category"].unique())), ("model", None, list(dict.fromkeys(frame["model"]))), "accuracy", "accuracy", {})


def applications_by_category(rows: Rows) -> str:
    """How many applications each category has: those whose primary category it is."""
    frame = pd.DataFrame(rows)
    y = alt.Y("category:N", sort=alt.SortField("applications", "descending"), title=None, axis=_WIDE)
    base = alt.Chart(frame).encode(x=alt.X("applications:Q", title="applications"), y=y)
    names = base.mark_text(align="left", dx=4, color=_INK).encode(text="applications:Q")
    return _svg((base.mark_bar(color=_COLOURS[0], height=14) + names).properties(width=420, height=alt.Step(22)))


def text_lengths(rows: Rows) -> str:
    """How many texts have how many words."""
    bars = alt.Chart(pd.DataFrame(rows)).mark_bar(color=_COLOURS[0], width=10)
    x = alt.X("words:Q", title="words", scale=alt.Scale(domain=[0, 82]))
    return _svg(bars.encode(x=x, y=alt.Y("texts:Q", title="texts")).properties(width=420, height=200))


def step_counts(rows: Rows) -> str:
    """How many texts come from how many atomic tasks, and how many they say."""
    colour = alt.Color("steps:N", scale=alt.Scale(range=_COLOURS[:2]), title=None, legend=alt.Legend(orient="top"))
    x = alt.X("number:O", title="atomic tasks", axis=alt.Axis(labelAngle=0))
    bars = alt.Chart(pd.DataFrame(rows)).mark_bar().encode(x=x, xOffset="steps:N", y=alt.Y("texts:Q", title="texts"), color=colour)
    return _svg(bars.properties(width=alt.Step(24), height=200))


def png(svg: str) -> bytes:
    """The picture as PNG at twice its size, for papers and slides."""
    return bytes(vl_convert.svg_to_png(svg, scale=2))


def _intervals(rows: Rows, across: str, kind: str, sort: Sequence[str] | None = None, measure: str = "accuracy") -> str:
    """Points with intervals on a scale from 0 to 1, one line a value of `across`, one colour and shape a `kind`; hollow diamonds for `published`."""
    frame = pd.DataFrame(rows)
    kinds = list(dict.fromkeys(frame[kind]))
    colour = alt.Color(f"{kind}:N", scale=alt.Scale(domain=kinds, range=_cycled(_COLOURS, kinds)), title=None, legend=alt.Legend(orient="top", columns=3, labelLimit=400))
    shape = alt.Shape(f"{kind}:N", scale=alt.Scale(domain=kinds, range=_cycled(_SHAPES, kinds)), title=None, legend=None)
    y = alt.Y(f"{across}:N", title=None, sort=sort, axis=_WIDE)
    beside = alt.YOffset(f"{kind}:N", scale=alt.Scale(domain=kinds, paddingOuter=0.4))
    base = alt.Chart(frame).encode(y=y, yOffset=beside, color=colour)
    rules = base.mark_rule(strokeWidth=2).encode(x=alt.X("accuracy_low:Q", scale=_SHARE, title=f"{measure} (95% interval)"), x2="accuracy_high:Q")
    layers = [rules, base.mark_point(filled=True, size=55, opacity=1).encode(x=alt.X("accuracy:Q", scale=_SHARE), shape=shape)]
    if frame["published"].notna().any():
        published = alt.Chart(frame[frame["published"].notna()]).mark_point(filled=False, size=70, shape="diamond", strokeWidth=1.5)
        layers.append(published.encode(y=y, yOffset=beside, color=colour, x=alt.X("published:Q", scale=_SHARE)))
    chart: Any = alt.layer(*layers)
    return _svg(chart.properties(width=480, height=alt.Step(14 if len(kinds) > 1 else 20)))


def _heat_map(frame: pd.DataFrame, columns: tuple[str, str | None, list[str]], lines: tuple[str, str | None, list[str]], value: str, title: str,
              links: dict[str, str]) -> str:  # fmt: skip
    """Cells coloured by a share, with the figure in each; what is not there stays empty."""
    frame = frame.assign(label=[f"{share:.2f}".removeprefix("0") if share < 0.995 else "1.0" for share in frame[value]])
    x = alt.X(f"{columns[0]}:N", sort=columns[2], scale=alt.Scale(domain=columns[2]), title=columns[1], axis=alt.Axis(labelAngle=-40, labelLimit=240, orient="bottom"))
    y = alt.Y(f"{lines[0]}:N", sort=lines[2], scale=alt.Scale(domain=lines[2]), title=lines[1], axis=alt.Axis(labelLimit=280))
    colour = alt.Color(f"{value}:Q", scale=alt.Scale(scheme="cividis", domain=[0, 1]), title=title)
    cells = alt.Chart(frame).mark_rect().encode(x=x, y=y, color=colour, description="says:N", **links)
    text = alt.Chart(frame).mark_text(fontSize=10, aria=False).encode(
        x=x, y=y, text="label:N", color=alt.condition(f"datum['{value}'] > 0.5", alt.value("#111111"), alt.value("#ffffff"))
    )  # fmt: skip
    return _svg((cells + text).properties(width=alt.Step(44), height=alt.Step(30)))


def _order(rows: Rows, key: str) -> list[str]:
    """The values of a column, as they first stand."""
    return list(dict.fromkeys(row[key] for row in rows))


def _cycled(values: list[str], kinds: Sequence[str]) -> list[str]:
    return [values[number % len(values)] for number in range(len(kinds))]


def _svg(chart: Any) -> str:
    """The chart as SVG text without an XML declaration, ready to stand in a page."""
    axis = {"labelFontSize": 11, "titleFontSize": 12, "gridColor": _GRID, "domainColor": _INK, "tickColor": _INK, "labelColor": _INK, "titleColor": _INK}
    legend = {"labelColor": _INK, "titleColor": _INK, "labelFontSize": 11}
    styled = chart.configure(font=_FONT).configure_view(stroke=None).configure_axis(**axis).configure_legend(**legend)
    svg = str(vl_convert.vegalite_to_svg(styled.to_dict()))
    return svg[svg.index("<svg") :]
