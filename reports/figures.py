"""Figures as SVG text: Altair describes them and vl-convert draws them, with no browser and no network.

Colour-blind readers can tell the colours apart: Okabe and Ito's for kinds, cividis for amounts. The stylesheet of the site sets ink, grid and
background for the light or dark mode of the reader; the files are dark on white.
"""

from collections.abc import Sequence
from typing import Any

import altair as alt
import pandas as pd
import vl_convert

from reports.questions import Rows

NO_ANSWER = "no answer"
_EVERYWHERE = "all applications"  # as sweep_factor.sql calls them
_FONT = "DejaVu Sans, Segoe UI, Helvetica, Arial, sans-serif"
_INK, _GRID = "#1d2330", "#dcdfe5"  # site.css knows these two
_COLOURS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#999999"]
_SHAPES = ["circle", "square", "triangle-up", "cross", "triangle-down", "triangle-right", "triangle-left"]
_PROTOCOLS = ("zero_shot", "few_shot", "ras")
_SITE = "https://site.invalid/"  # Vega would complete a relative address with one of its own
_SHARE = alt.Scale(domain=[0, 1])
_WIDE = alt.Axis(labelLimit=360, grid=True)
_LEGEND_LETTERS = 80  # in a line of a legend


def accuracy_by_model(rows: Rows) -> str:
    """Draw the accuracy of every model under the paper's protocols; other protocols have their own lines; hollow diamonds are the paper's."""
    lines = [
        row | {"method": row["protocol"]}
        if row["protocol"] in _PROTOCOLS
        else row | {"method": "other", "model": f"{row['protocol']}, {row['model']}"}
        for row in rows
    ]
    methods = (*_PROTOCOLS, "other")
    return _intervals(sorted(lines, key=lambda line: methods.index(line["method"])), "model", "method", sort=_order(lines, "model"))


def accuracy_by_category(rows: Rows) -> str:
    """Draw the accuracy of one run for every category, and the paper's figures for the same model or baseline."""
    return _intervals(rows, "category", "whose")


def accuracy_of_pair(rows: Rows) -> str:
    """Draw the accuracy of two runs for every category."""
    return _intervals(rows, "category", "run")


def category_bars(rows: Rows) -> str:
    """Draw the accuracy by category over models, hardest last, and the paper's figures."""
    return _intervals(rows, "category", "whose", sort=_order(rows, "category"))


def success_by_application(rows: Rows) -> str:
    """Draw the success of every run for every application at one level (ProSoftArena, Figure 5)."""
    return _intervals(rows, "application", "run", measure="success")


def shares_of_errors(rows: Rows) -> str:
    """Draw the shares of the kinds of errors, a colour for each agent and kind of labellers (ProSoftArena, Section 6.2)."""
    ordered = sorted(rows, key=lambda row: row["number"])
    return _intervals(ordered, "title", "line", sort=_order(ordered, "title"), measure="share of the failed episodes")


def success_of_cells(rows: Rows) -> str:
    """Draw the success of every cell of a sweep, over all episodes and by level."""
    return _intervals(rows, "cell", "level", sort=_order(rows, "cell"), measure="success")


def success_by(factor: str, rows: Rows) -> str:
    """Draw the success by the values of one thing, all else the same, a line for each level and all else (ProSoftArena, Figure 6)."""
    points = [
        row | {"line": f"{row['level']}{row['others'] and ', '}{row['others']}", "kind": f"{factor.replace('_', ' ')} {row['value']}"}
        for row in sorted(rows, key=lambda row: (row["level"], row["others"], row["number"]))
        if row["application"] == _EVERYWHERE
    ]
    return _intervals(points, "line", "kind", sort=_order(points, "line"), measure="success")


def success_over(factor: str, rows: Rows) -> str:
    """Draw the success over the values of one thing by level, in parts by all else or, if that is one, by application (ProSoftArena, Figure 7)."""
    several = len({row["others"] for row in rows}) > 1
    parts = "others" if several else "application"
    frame = pd.DataFrame([row for row in rows if not several or row["application"] == _EVERYWHERE])
    levels = sorted(frame["level"].unique())
    colour = _kinds(alt.Color, "level", levels).legend(title=None, orient="top")
    places = _order(sorted(rows, key=lambda row: row["number"]), "value")
    x = alt.X("value:O", sort=places, title=factor.replace("_", " "), axis=alt.Axis(labelAngle=0))
    base = alt.Chart(frame).encode(x=x, color=colour, xOffset=alt.XOffset("level:N", scale=alt.Scale(domain=levels)))
    rules = base.mark_rule(strokeWidth=2).encode(y=alt.Y("accuracy_low:Q", scale=_SHARE, title="success (95% interval)"), y2="accuracy_high:Q")
    y = alt.Y("accuracy:Q", scale=_SHARE)
    points = base.mark_point(filled=True, size=55, opacity=1).encode(y=y, shape=_kinds(alt.Shape, "level", levels).legend(None))
    chart: Any = alt.layer(rules, base.mark_line(strokeWidth=1.5).encode(y=y), points).properties(width=max(150, 24 * len(places)), height=150)
    order = sorted(frame[parts].unique(), key=lambda part: (part != _EVERYWHERE, part))
    return _svg(chart.facet(facet=alt.Facet(f"{parts}:N", sort=order, title=None, header=alt.Header(labelLimit=300)), columns=3))


def applications_by_f1(rows: Rows) -> str:
    """Draw the F1 of the top and bottom applications over models."""
    points = [row | {"accuracy": row["f1"], "accuracy_low": row["f1_low"], "accuracy_high": row["f1_high"]} for row in rows]
    return _intervals(points, "title", "end", sort=_order(rows, "title"), measure="F1")


def cost_and_accuracy(rows: Rows) -> str:
    """Draw accuracy against dollars per 1,000 tasks, on a logarithmic scale; the line joins the runs that no other beats at both."""
    frame = pd.DataFrame(rows)
    colour, shape = (_kinds(name, key, _order(rows, key)) for name, key in ((alt.Color, "protocol"), (alt.Shape, "model")))
    x = alt.X("dollars_per_1000:Q", scale=alt.Scale(type="log"), title="dollars per 1,000 tasks")
    y = alt.Y("accuracy:Q", scale=alt.Scale(zero=False), title="accuracy (95% interval)")
    rules = (
        alt.Chart(frame)
        .mark_rule(strokeWidth=2)
        .encode(x=x, y=alt.Y("accuracy_low:Q", scale=alt.Scale(zero=False)), y2="accuracy_high:Q", color=colour)
    )
    points = alt.Chart(frame).mark_point(filled=True, size=70, opacity=1).encode(x=x, y=y, color=colour, shape=shape)
    front = alt.Chart(frame[frame["on_front"] == "yes"]).mark_line(color=_COLOURS[-1], strokeDash=[4, 3]).encode(x=x, y=y)
    return _svg((front + rules + points).properties(width=520, height=300))


def category_confusion(rows: Rows) -> str:
    """Draw the row-normalised category confusion; the last column is for no answer.

    A cell links to the `address` of its row, from the root of the site; the picture is one folder below the root.
    """
    categories = sorted({row["target_category"] for row in rows} | {row["answered_category"] for row in rows} - {NO_ANSWER})
    links = {"href": "address:N"} if "address" in rows[0] else {}
    rows = [row | {"address": _SITE + row["address"]} for row in rows] if links else rows
    says = [f"{row['target_category']} answered as {row['answered_category']}: {row['tasks']} tasks, {row['share']:.3f}" for row in rows]
    frame = pd.DataFrame(rows).assign(says=says)
    answers = ("answered_category", "category of the answer", [*categories, NO_ANSWER])
    return _heat_map(frame, answers, ("target_category", "category of the target", categories), "share", "share of the row", links)


def models_by_category(rows: Rows) -> str:
    """Draw the accuracy of every model for every category, as means over protocols; the paper's models are below ours."""
    frame = pd.DataFrame(rows).assign(says=[f"{row['model']}, {row['category']}: {row['accuracy']:.3f}" for row in rows])
    lines = ("model", None, _order(rows, "model"))
    return _heat_map(frame, ("category", None, sorted(frame["category"].unique())), lines, "accuracy", "accuracy", {})


def applications_by_category(rows: Rows) -> str:
    """Draw the number of applications by primary category, and the paper's numbers as hollow diamonds."""
    frame = pd.DataFrame(rows)
    y = alt.Y("category:N", sort=alt.SortField("applications", "descending"), title=None, axis=_WIDE)
    base = alt.Chart(frame).encode(x=alt.X("applications:Q", title="applications"), y=y)
    names = base.mark_text(align="left", dx=12, color=_INK).encode(text="applications:Q")
    theirs = (
        alt.Chart(frame)
        .mark_point(filled=False, size=70, shape="diamond", strokeWidth=1.5, opacity=1, color=_COLOURS[1])
        .encode(x="published:Q", y=y)
    )
    return _svg((base.mark_bar(color=_COLOURS[0], height=14) + names + theirs).properties(width=420, height=alt.Step(22)))


def text_lengths(rows: Rows) -> str:
    """Draw the number of texts by number of words."""
    bars = alt.Chart(pd.DataFrame(rows)).mark_bar(color=_COLOURS[0], width=10)
    x = alt.X("words:Q", title="words", scale=alt.Scale(domain=[0, 82]))
    return _svg(bars.encode(x=x, y=alt.Y("texts:Q", title="texts")).properties(width=420, height=200))


def step_counts(rows: Rows) -> str:
    """Draw the number of texts by the number of atomic tasks in them, and by the number that they say."""
    colour = alt.Color("steps:N", scale=alt.Scale(range=_COLOURS[:2]), title=None, legend=alt.Legend(orient="top"))
    x = alt.X("number:O", title="atomic tasks", axis=alt.Axis(labelAngle=0))
    bars = alt.Chart(pd.DataFrame(rows)).mark_bar().encode(x=x, xOffset="steps:N", y=alt.Y("texts:Q", title="texts"), color=colour)
    return _svg(bars.properties(width=alt.Step(24), height=200))


def png(svg: str) -> bytes:
    """Return the picture as PNG at twice its size, for papers and slides."""
    return bytes(vl_convert.svg_to_png(svg, scale=2))


def _intervals(rows: Rows, across: str, kind: str, sort: Sequence[str] | None = None, measure: str = "accuracy") -> str:
    """Draw points with intervals from 0 to 1: a line for each `across`, a colour and shape for each `kind`, hollow diamonds for `published`.

    If a line has several kinds, they are drawn below each other.
    """
    frame = pd.DataFrame(rows)
    kinds = list(dict.fromkeys(frame[kind]))
    several = frame.groupby(across)[kind].nunique().max() > 1
    columns = max(1, min(len(kinds), _LEGEND_LETTERS // max(map(len, kinds))))
    colour = _kinds(alt.Color, kind, kinds).legend(title=None, orient="top", columns=columns, labelLimit=400)
    shape = _kinds(alt.Shape, kind, kinds).legend(None)
    y = alt.Y(f"{across}:N", title=None, sort=sort, axis=_WIDE)
    beside: dict[str, Any] = {"yOffset": alt.YOffset(f"{kind}:N", scale=alt.Scale(domain=kinds, paddingOuter=0.6))} if several else {}
    base = alt.Chart(frame).encode(y=y, color=colour, **beside)
    rules = base.mark_rule(strokeWidth=2).encode(x=alt.X("accuracy_low:Q", scale=_SHARE, title=f"{measure} (95% interval)"), x2="accuracy_high:Q")
    layers = [rules, base.mark_point(filled=True, size=55, opacity=1).encode(x=alt.X("accuracy:Q", scale=_SHARE), shape=shape)]
    if frame["published"].notna().any():
        published = alt.Chart(frame[frame["published"].notna()]).mark_point(filled=False, size=70, shape="diamond", strokeWidth=1.5, opacity=1)
        layers.append(published.encode(y=y, color=colour, x=alt.X("published:Q", scale=_SHARE), **beside))
    chart: Any = alt.layer(*layers)
    return _svg(chart.properties(width=520, height=alt.Step(max(20, 11 * len(kinds) if several else 0), **{"for": "position"})))


_Scale = tuple[str, str | None, list[str]]  # column, title, values in their order


def _heat_map(frame: pd.DataFrame, columns: _Scale, lines: _Scale, value: str, title: str, links: dict[str, str]) -> str:
    """Draw cells coloured by a share, with the figure in each; missing cells stay empty."""
    frame = frame.assign(label=[_label(share) for share in frame[value]])
    x = alt.X(
        f"{columns[0]}:N",
        sort=columns[2],
        scale=alt.Scale(domain=columns[2]),
        title=columns[1],
        axis=alt.Axis(labelAngle=-40, labelLimit=240, orient="bottom", titlePadding=18),
    )
    # vl-convert underestimates long labels and would print the title over them
    above = alt.Axis(
        labelLimit=360, titleAngle=0, titleAlign="right", titleBaseline="bottom", titleX=-10, titleY=-8
    )  # elsewhere it would be printed over the labels
    y = alt.Y(f"{lines[0]}:N", sort=lines[2], scale=alt.Scale(domain=lines[2]), title=lines[1], axis=above)
    colour = alt.Color(f"{value}:Q", scale=alt.Scale(scheme="cividis", domain=[0, 1]), title=title)
    cells = alt.Chart(frame).mark_rect().encode(x=x, y=y, color=colour, description="says:N", **links)
    text = alt.Chart(frame).mark_text(fontSize=10, aria=False).encode(
        x=x, y=y, text="label:N", color=alt.condition(f"datum['{value}'] > 0.5", alt.value("#111111"), alt.value("#ffffff"))
    )  # fmt: skip
    return _svg((cells + text).properties(width=alt.Step(44), height=alt.Step(30)))


def _label(share: float) -> str:
    """Return two decimals, short; a share that rounds to 0 is written as less than the smallest shown figure."""
    return "<.01" if 0 < share < 0.005 else f"{share:.2f}".removeprefix("0") if share < 0.995 else "1.0"


def _order(rows: Rows, key: str) -> list[str]:
    """Return the values of a column in the order of their first rows."""
    return list(dict.fromkeys(row[key] for row in rows))


def _kinds(channel: Any, key: str, kinds: Sequence[str]) -> Any:
    """Return a channel of colours or shapes, one for each kind; they repeat if there are more kinds."""
    values = _COLOURS if channel is alt.Color else _SHAPES
    return channel(f"{key}:N").scale(domain=kinds, range=[values[number % len(values)] for number in range(len(kinds))])


def _svg(chart: Any) -> str:
    """Return the chart as SVG text without an XML declaration, ready for a page."""
    axis = {
        "labelFontSize": 11,
        "titleFontSize": 12,
        "gridColor": _GRID,
        "domainColor": _INK,
        "tickColor": _INK,
        "labelColor": _INK,
        "titleColor": _INK,
    }
    legend = {"labelColor": _INK, "titleColor": _INK, "labelFontSize": 11}
    styled = chart.configure(font=_FONT).configure_view(stroke=None).configure_axis(**axis).configure_legend(**legend)
    styled = styled.configure_header(labelColor=_INK, labelFontSize=11)
    svg = str(vl_convert.vegalite_to_svg(styled.to_dict(validate=False)))
    return svg[svg.index("<svg") :].replace(_SITE, "../")
