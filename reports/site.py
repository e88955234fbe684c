"""The site's folder: pages in one layout, and tables and figures with their files."""

import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from reports.exhibits import Column, Shown, as_csv, as_latex, declared, written
from reports.figures import png
from reports.questions import Answer, Rows, ask, ask_for_each

_ROOT = Path(__file__).parent
_NAVIGATION = {
    "Overview": "index.html", "Models": "models.html", "Compare": "compare/index.html", "Applications": "applications/index.html",
    "Datasets": "datasets/index.html", "Episodes": "episodes/index.html", "Sweeps": "sweeps/index.html", "People": "people/index.html",
    "Confusion": "confusion.html", "Tasks": "tasks.html",
}  # fmt: skip


class Site:
    """A site while it is made: it asks the warehouse, and makes tables, figures and pages.

    `of` tells exhibits of one name apart: a run, a pair of runs, a dataset, an application.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, folder: Path) -> None:
        self.connection = connection
        self.folder = folder
        self._templates = Environment(
            loader=FileSystemLoader(_ROOT / "templates"), undefined=StrictUndefined, autoescape=True, trim_blocks=True, lstrip_blocks=True
        )
        self._templates.filters |= {form: partial(written, form) for form in ("count", "dollars", "figure", "mean", "p", "signed")}
        (folder / "assets").mkdir()
        shutil.copy(_ROOT / "assets" / "site.css", folder / "assets")

    def ask(self, query: str, **values: str) -> Answer:
        """Return the answer to a declared query."""
        return ask(self.connection, query, **values)

    def ask_for_each(self, query: str, by: Sequence[str], **values: str) -> Callable[..., Answer]:
        """Return the answers to a declared query for any values of the columns `by`."""
        return ask_for_each(self.connection, query, by, **values)

    def table(self, name: str, of: str = "", **values: str) -> Shown:
        """Return a declared table with its rows, and write it as CSV and LaTeX."""
        return self.table_of(name, self.ask(declared()[name].query, **values), of)

    def table_of(self, name: str, answer: Answer, of: str = "", more: tuple[Column, ...] = ()) -> Shown:
        """Return a declared table with the given rows; `more` are columns that depend on the rows."""
        exhibit = replace(declared()[name], columns=declared()[name].columns + more)
        files = {}
        if answer.rows:
            files = {
                "CSV": self._written("tables", name, of, "csv", as_csv(answer)),
                "LaTeX": self._written("tables", name, of, "tex", as_latex(exhibit, answer)),
            }
        return Shown(name, exhibit, answer, files)

    def figure(self, name: str, draw: Callable[[Rows], str], of: str = "", *, with_png: bool = True, **values: str) -> Shown:
        """Return a declared figure, and write it as SVG and PNG; without rows it is not drawn."""
        exhibit = declared()[name]
        shown = Shown(name, exhibit, self.ask(exhibit.query, **values), {})
        if not shown.answer.rows:
            return shown
        svg = draw(shown.answer.rows)
        files = {"SVG": self._written("figures", name, of, "svg", svg)}
        if with_png:
            files["PNG"] = self._written("figures", name, of, "png", png(svg))
        return replace(shown, files=files, svg=svg)

    def page(self, path: str, title: str, template: str, section: str, **values: Any) -> None:
        """Write the page of a template at a path from the root of the site."""
        root = "../" * path.count("/")
        body = self._templates.get_template(template).render(root=root, **values)
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(self.layout(title, body, root, section), encoding="utf-8")

    def layout(self, title: str, body_html: str, root: str, section: str = "") -> str:
        """Return a whole page around safe HTML; `root` is the path to the folder of the site, "" or "../"."""
        return self._templates.get_template("layout.html.j2").render(
            title=title, body=Markup(body_html), root=root, section=section or title, navigation=_NAVIGATION
        )

    def _written(self, kind: str, name: str, of: str, ending: str, content: str | bytes) -> str:
        path = f"{kind}/{name}{f'-{of}' if of else ''}.{ending}"
        (self.folder / kind).mkdir(exist_ok=True)
        (self.folder / path).write_bytes(content.encode() if isinstance(content, str) else content)
        return path
