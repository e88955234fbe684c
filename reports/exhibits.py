"""Exhibits: the tables and figures of the site, as the files *exhibits.yaml declare them, filled with the rows of their one query.

A page shows the table, and offers it as CSV (the unchanged rows) and as LaTeX (as shown, for the package booktabs).
"""

import csv
import io
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import yaml

from reports.questions import Answer
from warehouse.query import NO_VALUE

_DECLARED = [Path(__file__).parent / name for name in ("exhibits.yaml", "episode_exhibits.yaml", "sweep_exhibits.yaml", "people_exhibits.yaml")]
_LATEX = str.maketrans(
    {character: f"\\{character}" for character in "&%$#_{}"}
    | {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"}
    | {NO_VALUE: "---"}
)
Row = dict[str, Any]


@dataclass(frozen=True)
class Column:
    """One column: the key of its value, its heading, the form of the value, and its link."""

    key: str
    heading: str
    form: str = "text"
    interval: bool = False  # show <key>_low and <key>_high beside the value
    bar: bool = False  # drawn on a scale from 0 to 1
    theirs: bool = False  # published by others
    wrap: bool = False  # long words, on several lines
    link: str = ""  # address from the root of the site, with the row's values in braces

    @property
    def is_number(self) -> bool:
        """Tell whether its values are aligned to the right."""
        return self.form != "text"

    def text(self, row: Row) -> str:
        """Return the value as text: a dash for no figure, and nothing if others published none."""
        value = row[self.key]
        return "" if self.theirs and value is None else written(self.form, value)

    def interval_text(self, row: Row) -> str:
        """Return the 95% interval beside the value; empty if there is none."""
        low, high = (row[f"{self.key}_{end}"] for end in ("low", "high")) if self.interval else (None, None)
        return "" if low is None or high is None else f"{written(self.form, low)} to {written(self.form, high)}"

    def address(self, row: Row) -> str:
        """Return the cell's link from the root of the site; empty if a value in the address is None."""
        values = {key: value for key, value in row.items() if f"{{{key}}}" in self.link}
        return self.link.format_map({key: quote(str(value), safe="") for key, value in values.items()}) if None not in values.values() else ""


@dataclass(frozen=True)
class Exhibit:
    """A declared table (with columns) or figure (without): the caption, the query and the text for no rows."""

    query: str
    caption: str
    empty: str
    columns: tuple[Column, ...] = ()
    theirs: str = ""  # key that says which rows others published

    def is_theirs(self, row: Row) -> bool:
        """Tell whether others published the row."""
        return bool(self.theirs) and bool(row[self.theirs])


@dataclass(frozen=True)
class Shown:
    """A table or figure with its rows; `files` maps names to addresses from the root of the site."""

    name: str
    exhibit: Exhibit
    answer: Answer
    files: dict[str, str]
    svg: str = ""


@cache
def declared() -> dict[str, Exhibit]:
    """Return every declared table and figure by name; TypeError if a key is unknown or missing."""
    found = {name: values for path in _DECLARED for name, values in yaml.safe_load(path.read_text()).items()}
    return {
        name: Exhibit(**(values | {"columns": tuple(Column(**column) for column in values.get("columns", ()))})) for name, values in found.items()
    }


def written(form: str, value: Any) -> str:
    """Return a value in one of the forms; a dash for None, so that it does not look like a zero."""
    return NO_VALUE if value is None else _FORMS[form](value)


def as_csv(answer: Answer) -> str:
    """Return the unchanged rows with all columns of the query."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(answer.rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(answer.rows)
    return text.getvalue()


def as_latex(exhibit: Exhibit, answer: Answer) -> str:
    """Return the table as shown, with intervals in brackets."""
    columns = exhibit.columns

    def cell(column: Column, row: Row) -> str:
        interval = column.interval_text(row)
        return (column.text(row) + (f" [{interval.replace(' to ', ', ')}]" if interval else "")).translate(_LATEX)

    lines = [[column.heading.translate(_LATEX) for column in columns], *([cell(column, row) for column in columns] for row in answer.rows)]
    heading, *body = [" & ".join(line) + r" \\" for line in lines]
    kinds = "".join("r" if column.is_number else "l" for column in columns)
    return "\n".join([rf"\begin{{tabular}}{{{kinds}}}", r"\toprule", heading, r"\midrule", *body, r"\bottomrule", r"\end{tabular}", ""])


def _small(value: float, decimals: int) -> str:
    """Return the value, or "<" and the smallest value that so many decimals show, so that a small value is never shown as zero."""
    least = 10**-decimals
    return f"< {least:.{decimals}f}" if 0 < value < least / 2 else f"{value:,.{decimals}f}"


_FORMS: dict[str, Callable[[Any], str]] = {
    "text": str,
    "count": lambda value: f"{value:,}",
    "rounded": lambda value: f"{value:,.0f}",
    "figure": lambda value: f"{value:.3f}",
    "signed": lambda value: f"{value:+.3f}",
    "mean": lambda value: f"{value:.2f}",
    "percent": lambda value: f"{100 * value:.1f}%",
    "milliseconds": lambda value: _small(value, 2),
    "dollars": lambda value: _small(value, 4),
    "p": lambda value: _small(value, 4),
    "date": lambda value: value.strftime("%Y-%m-%d %H:%M UTC"),
}
