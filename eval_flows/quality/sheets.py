"""Rating sheets: CSV files that raters fill in, in a spreadsheet or on the rating page, and reading them."""

import csv
import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from atomic_tasks.problems import BadInput, Problem
from atomic_tasks.seeds import derived_random
from eval_flows.quality.forms import Form
from eval_flows.quality.study import Item, Study, Text
from warehouse.layout import written_file

KINDS = ("person", "model")
_RATER = re.compile(r"[\w.:+-]{1,80}")
_TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"), undefined=StrictUndefined, autoescape=True, trim_blocks=True, lstrip_blocks=True
)


@dataclass(frozen=True)
class Rating:
    """The rating of one item by one rater; `marks` has a value for each mark of the study's form."""

    item_id: str
    marks: Mapping[str, str | int]


@dataclass(frozen=True)
class Sheet:
    """A filled sheet. Ratings of people and of models are never mixed: every row has the kind of the sheet."""

    study_id: str
    form: Form
    rater: str
    rater_kind: str
    ratings: tuple[Rating, ...]


def write_sheets(study: Study, raters: int) -> list[Path]:
    """Write an empty sheet for each rater, each in its own order, and the rating page; return the paths, the page last."""
    paths = []
    orders = {}
    for number in range(1, raters + 1):
        rater = f"rater_{number}"
        order = _mixed(study.items, derived_random("sheet", study.study_id, rater))
        orders[rater] = [study.id_of(item) for item in order]
        paths.append(study.folder / "sheets" / f"{rater}.csv")
        write_sheet(paths[-1], study, rater, "person", order, {})
    page = study.folder / "rate.html"
    with written_file(page) as path:
        path.write_text(_page(study, orders), encoding="utf-8")
    return [*paths, page]


def _page(study: Study, orders: dict[str, list[str]]) -> str:
    """Return the rating page. It has of each item only what a rater may see."""
    form = study.form
    items = {study.id_of(item): {name: getattr(item, name) for name in (form.id_column, *form.shown)} for item in study.items}
    shown = json.dumps(
        {
            "study_id": study.study_id,
            "items": items,
            "orders": orders,
            "columns": form.columns,
            "shown": form.shown,
            "marks": [vars(mark) for mark in form.marks],
        }
    )
    return _TEMPLATES.get_template(f"rate_{form.kind}.html.j2").render(study=study, data=shown.replace("</", "<\\/"))


def write_sheet(path: Path, study: Study, rater: str, kind: str, order: Sequence[Item | Text], ratings: Mapping[str, Rating]) -> None:
    """Write a sheet with the known ratings; the rater fills in the others."""
    form = study.form
    with written_file(path) as temporary, temporary.open("w", newline="", encoding="utf-8-sig") as file:
        writer = csv.DictWriter(file, form.columns)
        writer.writeheader()
        for item in order:
            item_id = study.id_of(item)
            given = {"study_id": study.study_id, "rater": rater, "rater_kind": kind, form.id_column: item_id}
            given |= {name: getattr(item, name) for name in form.shown}
            marks = {mark.column: mark.entry(ratings[item_id].marks[mark.column]) for mark in form.marks} if item_id in ratings else {}
            writer.writerow(given | marks)


def _mixed(items: Sequence[Item | Text], random: Random) -> list[Item | Text]:
    return random.sample(items, len(items))


def study_of(path: Path) -> str:
    """Return the id of the study that a sheet names."""
    rows = _rows(path, ("study_id",))
    found = {row["study_id"] for _, row in rows}
    if len(found) != 1:
        raise BadInput([Problem(str(path), 2, "study_id", f"a sheet belongs to one study, not to {', '.join(sorted(found)) or 'none'}")])
    return found.pop()


def read_sheet(path: Path, study: Study) -> Sheet:
    """Return a filled sheet; BadInput lists every missing, out-of-range or unknown value by line, and then no row counts."""
    form, key = study.form, study.form.id_column
    rows = _rows(path, form.columns)
    known = {study.id_of(item) for item in study.items}
    problems = [Problem(str(path), line, field, reason) for line, row in rows for field, reason in _mistakes(row, study, known)]
    seen: dict[str, int] = {}
    for line, row in rows:
        if row[key] in seen:
            problems.append(Problem(str(path), line, key, f"'{row[key]}' is already rated in line {seen[row[key]]}"))
        seen.setdefault(row[key], line)
    last = rows[-1][0] + 1 if rows else 2
    problems += [Problem(str(path), last, key, f"the row of '{missing}' is missing") for missing in sorted(known - set(seen))]
    for field in ("rater", "rater_kind"):
        if len({row[field] for _, row in rows}) > 1:
            problems.append(Problem(str(path), 2, field, "a sheet has one rater"))
    if problems:
        raise BadInput(problems)
    first = rows[0][1]
    ratings = (Rating(row[key], {mark.column: mark.read(row[mark.column]) for mark in form.marks}) for _, row in rows)
    return Sheet(study.study_id, form, first["rater"], first["rater_kind"], tuple(ratings))


def _rows(path: Path, columns: Sequence[str]) -> list[tuple[int, dict[str, str]]]:
    """Return the rows with their line numbers and stripped entries of those columns; BadInput if a column is missing."""
    with path.open(newline="", encoding="utf-8-sig") as file:
        reader = csv.DictReader(file)
        missing = [name for name in columns if name not in (reader.fieldnames or ())]
        if missing:
            raise BadInput([Problem(str(path), 1, "columns", f"the column '{name}' is missing") for name in missing])
        return [(reader.line_num, {name: (row[name] or "").strip() for name in columns}) for row in reader]


def _mistakes(row: Mapping[str, str], study: Study, known: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield field and reason of every mistake in a row."""
    form = study.form
    if row["study_id"] != study.study_id:
        yield "study_id", f"'{row['study_id']}' is not this study, {study.study_id}"
    if not _RATER.fullmatch(row["rater"]):
        yield "rater", f"'{row['rater']}' is no rater's name: letters, digits, and any of . : + - _"
    if row["rater_kind"] not in KINDS:
        yield "rater_kind", f"'{row['rater_kind']}' is neither person nor model"
    if row[form.id_column] not in known:
        yield form.id_column, f"'{row[form.id_column]}' is not a {form.noun} of this study"
    for mark in form.marks:
        mistake = mark.mistake(row[mark.column])
        if mistake:
            yield mark.column, mistake
