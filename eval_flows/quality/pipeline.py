"""The steps of `deskmill quality`: draw a sample or a mixture and write its sheets, read filled sheets, let a model judge."""

import re
from collections.abc import Sequence
from pathlib import Path

from atomic_tasks.problems import BadInput
from eval_flows.datasets import open_dataset, published
from eval_flows.quality.judge import judged
from eval_flows.quality.mixture import draw_mixture, read_people
from eval_flows.quality.sheets import Sheet, read_sheet, study_of, write_sheet, write_sheets
from eval_flows.quality.study import Study, draw, read_study, write_study
from language_models.client import Endpoint, Progress
from warehouse.layout import DataFolder, fetch
from warehouse.loader import load_warehouse
from warehouse.parquet import write_rows

RATERS = 3


def sample(dataset: str, data: DataFolder, seed: int, number: int | None) -> tuple[Study, list[Path]]:
    """Draw a study of the dataset and write its sheets. Existing sheets stay, so no rating is overwritten."""
    return _written(draw(open_dataset(dataset, data), data, seed, number))


def mix(dataset: str, people: Path, data: DataFolder, seed: int, number: int, of_people: int | None) -> tuple[Study, list[Path]]:
    """Mix texts of the dataset with texts of a file blindly, and write the sheets. Existing sheets stay, as in `sample`."""
    return _written(draw_mixture(open_dataset(dataset, data), data, read_people(people), seed, number, of_people))


def _written(study: Study) -> tuple[Study, list[Path]]:
    """Write a study and its sheets, if it is not there; return it with the paths of the sheets and of the page."""
    if (study.folder / "study.json").is_file():
        return study, [*sorted((study.folder / "sheets").glob("rater_*.csv")), study.folder / "rate.html"]
    paths = write_sheets(study, RATERS)
    write_study(study)
    return study, paths


def load(paths: Sequence[Path], data: DataFolder) -> list[Sheet]:
    """Read filled sheets into the warehouse: all of them, or none if one has a mistake."""
    sheets: list[Sheet] = []
    problems = []
    for path in paths:
        try:
            sheets.append(read_sheet(path, read_study(study_of(path), data)))
        except BadInput as error:
            if not error.problems:
                raise
            problems += error.problems
    if problems:
        raise BadInput(problems)
    twice = [sheet.rater for number, sheet in enumerate(sheets) if (sheet.study_id, sheet.rater) in {(s.study_id, s.rater) for s in sheets[:number]}]
    if twice:
        raise BadInput(f"two of the sheets are of the same rater: {', '.join(twice)}")
    for sheet in sheets:
        _keep(sheet, data)
    load_warehouse(data)
    return sheets


def judge(study_id: str, endpoint: Endpoint, data: DataFolder, progress: Progress) -> Path:
    """Let a model fill in a sheet that is marked as a model's; return its path, to be checked and loaded like any other sheet."""
    study = read_study(study_id, data)
    fetch(data.datasets / study.dataset_id)
    candidates = published(study.dataset, data.datasets / study.dataset_id / "dataset").candidates
    titles = sorted(candidate.title for candidate in candidates.values())
    ratings = judged(study, endpoint, titles, data.model_calls, progress)
    rater = re.sub(r"[^\w.:+-]", "_", f"model:{endpoint.model}")[:80]
    path = study.folder / "sheets" / f"{rater.replace(':', '_')}.csv"
    write_sheet(path, study, rater, "model", study.items, {rating.item_id: rating for rating in ratings})
    return path


def _keep(sheet: Sheet, data: DataFolder) -> None:
    given: dict[str, str | int] = {"study_id": sheet.study_id, "rater": sheet.rater, "rater_kind": sheet.rater_kind}
    rows = [given | {sheet.form.id_column: rating.item_id, **rating.marks} for rating in sorted(sheet.ratings, key=lambda rating: rating.item_id)]
    write_rows(data.quality / sheet.study_id / "ratings" / f"{sheet.rater.replace(':', '_')}.parquet", sheet.form.table, rows)
