"""The tasks of an imported suite, from its folder."""

from pathlib import Path

from pydantic import ValidationError

from atomic_tasks.problems import BadInput, Problem
from eval_flows.episodes.osworld.file_cache import read_kept
from eval_flows.episodes.osworld.imported_task import ImportedSuiteTask, JudgedBy, imported_task
from eval_flows.episodes.osworld.importing import ORACLES, ROWS, Row
from eval_flows.episodes.osworld.oracles import read_oracles
from eval_flows.episodes.osworld.task_file import read_task_file


def imported_tasks(folder: Path, judged_by: JudgedBy) -> list[ImportedSuiteTask]:
    """Return the runnable tasks of an imported suite; `BadInput` if there is none, or if its files were changed."""
    rows = [row for row in _rows(folder / "tasks.json") if row.reason is None]
    if not rows:
        raise BadInput(f"no task of the suite '{folder.name}' is runnable here: {folder / 'README.md'} says why")
    hashes = {address: kept.sha256 for address, kept in read_kept(folder / "files.json").items()}
    oracles = read_oracles(folder / ORACLES)
    problems: list[Problem] = []
    made = []
    for row in rows:
        file = read_task_file(folder / "tasks" / f"{row.task}.json", problems)
        lacking = [address for _, address in file.addresses if address not in hashes] if file is not None else []
        if lacking:
            raise BadInput(f"{folder / 'files.json'}: has no hash of {lacking[0]}, which {row.task} fetches: import the suite again")
        if file is not None:
            made.append(imported_task(row.task, file, hashes, folder / "files", judged_by, oracles.get(file.id), row.mirror))
    if problems:
        raise BadInput(problems)
    return made


def _rows(path: Path) -> list[Row]:
    try:
        return ROWS.validate_json(path.read_bytes())
    except (OSError, ValidationError):
        raise BadInput(f"{path}: is gone, or is not what the import wrote: import the suite again") from None
