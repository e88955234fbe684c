"""Figures as SVG text: Altair describes them and vl-convert draws them, with no browser and no network."""

from collections.abc import Sequence
from typing import Any

import altair as alt
import pandas as pd
import vl_convert

Rows = Sequence[dict[str, Any]]
NO_ANSWER = "no answer"
_FONT = "DejaVu Sans, Segoe UI, Helvetica, Arial, sans-serif"
# Okabe and Ito's colours, which colour-blind readers can tell apart
_COLOURS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#000000"]


def accuracy_by_category(rows: Rows) -> str:
    """Accuracy with its interval for every category and protocol, and the published figures as hollow marks."""
    frame = pd.DataFrame(rows)
    protocols = sorted(frame["protocol"].unique())
    colour = alt.Color("protocol:N", scale=alt.Scale(domain=protocols, range=_COLOURS[: len(protocols)]), title="protocol")
    across = alt.Y("category:N", title=None, axis=alt.Axis(labelLimit=280, grid=True))
    beside = alt.YOffset("protocol:N", scale=alt.Scale(domain=protocols, paddingOuter=0.4))
    scale = alt.Scale(domain=[0, 1])
    base = alt.Chart(frame).encode(y=across, yOffset=beside, color=colour)
    intervals = base.mark_rule(strokeWidth=2).encode(x=alt.X("accuracy_low:Q", scale=scale, title="accuracy (95% interval)"), x2="accuracy_high:Q")
    points = base.mark_point(filled=True, size=55, opacity=1).encode(x=alt.X("accuracy:Q", scale=scale))
    layers = [intervals, points]
    if frame["published"].notna().any():
        published = alt.Chart(frame[frame["published"].notna()]).mark_point(filled=False, size=70, shape="diamond", strokeWidth=1.5)
        layers.append(published.encode(y=across, yOffset=beside, color=colour, x=alt.X("published:Q", scale=scale)))
    chart: Any = alt.layer(*layers)
    return _svg(chart.properties(width=560, height=alt.Step(13 if len(protocols) > 2 else 18)))


def confusion_heat_map(rows: Rows, categories: Sequence[str]) -> str:
    """Row-normalised category confusion; the last column is for tasks without an answer."""
    shares = {(row["target_category"], row["answered_category"]): row["share"] for row in rows}
    columns = [*categories, NO_ANSWER]
    targets = [category for category in categories if any(target == category for target, _ in shares)]
    cells = [{"target": target, "answer": answer, "share": shares.get((target, answer), 0.0)} for target in targets for answer in columns]
    frame = pd.DataFrame(cells)
    frame["label"] = [f"{share:.2f}".removeprefix("0") if share >= 0.005 else "" for share in frame["share"]]
    x = alt.X("answer:N", sort=columns, title="category of the answer", axis=alt.Axis(labelAngle=-40, labelLimit=240, orient="bottom"))
    y = alt.Y("target:N", sort=targets, title="category of the target", axis=alt.Axis(labelLimit=280))
    base = alt.Chart(frame).encode(x=x, y=y)
    colour = alt.Color(
        "share:Q", scale=alt.Scale(range=["#ffffff", "#9ecae1", "#08519c"], domain=[0, 0.4, 1], interpolate="rgb"), title="share of the row"
    )
    text = base.mark_text(fontSize=10).encode(text="label:N", color=alt.condition("datum.share > 0.55", alt.value("white"), alt.value("#222")))
    return _svg((base.mark_rect(stroke="#e3e6ea").encode(color=colour) + text).properties(width=alt.Step(44), height=alt.Step(30)))


def text_lengths(rows: Rows) -> str:
    """How many texts have how many words."""
    frame = pd.DataFrame(rows)
    bars = alt.Chart(frame).mark_bar(color=_COLOURS[0], width=10)
    x = alt.X("words:Q", title="words", scale=alt.Scale(domain=[0, 82]))
    return _svg(bars.encode(x=x, y=alt.Y("texts:Q", title="texts")).properties(width=420, height=200))


def step_counts(rows: Rows) -> str:
    """How many texts come from how many atomic tasks, and how many they say."""
    frame = pd.DataFrame(rows)
    colour = alt.Color("steps:N", scale=alt.Scale(range=_COLOURS[:2]), title=None, legend=alt.Legend(orient="top"))
    x = alt.X("number:O", title="atomic tasks", axis=alt.Axis(labelAngle=0))
    bars = alt.Chart(frame).mark_bar().encode(x=x, xOffset="steps:N", y=alt.Y("texts:Q", title="texts"), color=colour)
    return _svg(bars.properties(width=alt.Step(24), height=200))


def _svg(chart: Any) -> str:
    """The chart as SVG text without an XML declaration, ready to stand in a page."""
    styled = chart.configure(font=_FONT).configure_view(stroke=None).configure_axis(labelFontSize=11, titleFontSize=12, gridColor="#e6e6e6")
    svg = vl_convert.vegalite_to_svg(styled.to_dict())
    return str(svg)[str(svg).index("<svg") :]
