"""Rating sheets: CSV files that raters fill in, in a spreadsheet or on the rating page, and reading them."""

import csv
import json
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from atomic_tasks.problems import BadInput, Problem
from atomic_tasks.seeds import derived_random
from eval_flows.quality.study import Item, Study
from warehouse.layout import written_file

COLUMNS = ("study_id", "rater", "rater_kind", "task_id", "text", "applications", "grammar", "realism", "ground_truth", "comment")
SCALE = ("1", "2", "3", "4", "5")
GROUND_TRUTH = ("right", "too narrow", "too wide", "wrong")
KINDS = ("person", "model")
_RATER = re.compile(r"[\w.:+-]{1,80}")
_TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"), undefined=StrictUndefined, autoescape=True, trim_blocks=True, lstrip_blocks=True
)


@dataclass(frozen=True)
class Rating:
    """The rating of one task by one rater; grammar and realism are from 1 to 5."""

    task_id: str
    grammar: int
    realism: int
    ground_truth: str
    comment: str


@dataclass(frozen=True)
class Sheet:
    """A filled sheet. Ratings of people and of models are never mixed: every row has the kind of the sheet."""

    study_id: str
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
        orders[rater] = [item.task_id for item in order]
        paths.append(study.folder / "sheets" / f"{rater}.csv")
        write_sheet(paths[-1], study, rater, "person", order, {})
    page = study.folder / "rate.html"
    shown = json.dumps({"study_id": study.study_id, "items": {item.task_id: vars(item) for item in study.items}, "orders": orders})
    text = _TEMPLATES.get_template("rate.html.j2").render(study=study, data=shown.replace("</", "<\\/"), columns=COLUMNS, ground_truth=GROUND_TRUTH)
    with written_file(page) as path:
        path.write_text(text, encoding="utf-8")
    return [*paths, page]


def write_sheet(path: Path, study: Study, rater: str, kind: str, order: Sequence[Item], ratings: dict[str, Rating]) -> None:
    """Write a sheet with the known ratings; the rater fills in the others."""
    with written_file(path) as temporary, temporary.open("w", newline="", encoding="utf-8-sig") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for item in order:
            rating = ratings.get(item.task_id)
            filled = (rating.grammar, rating.realism, rating.ground_truth, rating.comment) if rating else ("", "", "", "")
            writer.writerow([study.study_id, rater, kind, item.task_id, item.text, item.applications, *filled])


def _mixed(items: Sequence[Item], random: Random) -> list[Item]:
    return random.sample(items, len(items))


def study_of(path: Path) -> str:
    """Return the id of the study that a sheet names."""
    rows = _rows(path)
    found = {row["study_id"] for _, row in rows}
    if len(found) != 1:
        raise BadInput([Problem(str(path), 2, "study_id", f"a sheet belongs to one study, not to {', '.join(sorted(found)) or 'none'}")])
    return found.pop()


def read_sheet(path: Path, study: Study) -> Sheet:
    """Return a filled sheet; BadInput lists every missing, out-of-range or unknown value by line, and then no row counts."""
    rows = _rows(path)
    known = {item.task_id for item in study.items}
    problems = [Problem(str(path), line, field, reason) for line, row in rows for field, reason in _mistakes(row, study.study_id, known)]
    seen: dict[str, int] = {}
    for line, row in rows:
        if row["task_id"] in seen:
            problems.append(Problem(str(path), line, "task_id", f"'{row['task_id']}' is already rated in line {seen[row['task_id']]}"))
        seen.setdefault(row["task_id"], line)
    last = rows[-1][0] + 1 if rows else 2
    problems += [Problem(str(path), last, "task_id", f"the row of '{missing}' is missing") for missing in sorted(known - set(seen))]
    for field in ("rater", "rater_kind"):
        if len({row[field] for _, row in rows}) > 1:
            problems.append(Problem(str(path), 2, field, "a sheet has one rater"))
    if problems:
        raise BadInput(problems)
    first = rows[0][1]
    ratings = (Rating(row["task_id"], int(row["grammar"]), int(row["realism"]), row["ground_truth"], row["comment"]) for _, row in rows)
    return Sheet(study.study_id, first["rater"], first["rater_kind"], tuple(ratings))


def _rows(path: Path) -> list[tuple[int, dict[str, str]]]:
    """Return the rows with their line numbers and stripped entries; BadInput if a column is missing."""
    with path.open(newline="", encoding="utf-8-sig") as file:
        reader = csv.DictReader(file)
        missing = [name for name in COLUMNS if name not in (reader.fieldnames or ())]
        if missing:
            raise BadInput([Problem(str(path), 1, "columns", f"the column '{name}' is missing") for name in missing])
        return [(reader.line_num, {name: (row[name] or "").strip() for name in COLUMNS}) for row in reader]


def _mistakes(row: dict[str, str], study_id: str, known: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield field and reason of every mistake in a row."""
    if row["study_id"] != study_id:
        yield "study_id", f"'{row['study_id']}' is not this study, {study_id}"
    if not _RATER.fullmatch(row["rater"]):
        yield "rater", f"'{row['rater']}' is no rater's name: letters, digits, and any of . : + - _"
    if row["rater_kind"] not in KINDS:
        yield "rater_kind", f"'{row['rater_kind']}' is neither person nor model"
    if row["task_id"] not in known:
        yield "task_id", f"'{row['task_id']}' is not a task of this study"
    for field in ("grammar", "realism"):
        if row[field] not in SCALE:
            yield field, f"'{row[field]}' is not a whole number from 1 to 5" if row[field] else "is not rated"
    if row["ground_truth"] not in GROUND_TRUTH:
        yield "ground_truth", f"'{row['ground_truth']}' is none of: {', '.join(GROUND_TRUTH)}" if row["ground_truth"] else "is not rated"
