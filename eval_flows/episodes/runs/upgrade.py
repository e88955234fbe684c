"""Upgrade of the folder of a run that an earlier version of Deskmill wrote, when a command goes on with the run.

Layout 1 wrote the row of every episode to episodes.jsonl, and wrote all Parquet again at the end of each command, rows of faults among them. Its
trajectories have no row. Layout 2 is that of `store`. A run that no command goes on with stays as it is: the warehouse loads its Parquet.
"""

import json
import shutil
from pathlib import Path
from typing import Any

from eval_flows.episodes.runs.store import Key, Row, key_of, read_lines
from warehouse.layout import sweep, written_file
from warehouse.parquet import write_rows

LAYOUT = 2  # of the folder of a run; suite_run.json states it


def upgrade(folder: Path) -> None:
    """Bring the folder of a run to the layout of today, if a run is there. After a kill, the next call goes on."""
    path = folder / "suite_run.json"
    if not path.is_file():
        return
    described = json.loads(path.read_text())
    if described.get("layout") == LAYOUT:
        return
    part = folder / "episodes" / "00000.parquet"
    in_part = _rows_of(part)
    rows = {key_of(row): row for row in [*in_part, *read_lines(folder / "episodes.jsonl")]}  # the last row of an episode counts
    ended = {key: row for key, row in rows.items() if row["fault"] is None}
    _give_rows(folder / "trajectories", ended)
    _describe_faults(folder / "faults.jsonl", {key: row for key, row in rows.items() if key not in ended})
    if any(row["fault"] is not None for row in in_part):  # these episodes are played again, and a part does not change any more
        write_rows(part, "episodes", [row for row in in_part if row["fault"] is None])
    (folder / "episodes.jsonl").unlink(missing_ok=True)
    _write_json(path, {**described, "layout": LAYOUT})


def _rows_of(part: Path) -> list[Row]:
    from warehouse.upgrades import read_rows  # as in `store`

    return read_rows([part], "episodes") if part.is_file() else []


def _give_rows(trajectories: Path, ended: dict[Key, Row]) -> None:
    """Put the rows into their trajectories. Remove a trajectory whose row was never written: a killed command played that episode."""
    names = {f"{episode_id}_{repeat}": row for (episode_id, repeat), row in ended.items()}
    for folder in trajectories.glob("[!.]*"):
        sweep(folder)
        path = folder / "trajectory.json"
        found = json.loads(path.read_text()) if path.is_file() else {}
        if "episode" in found:
            continue
        if folder.name in names and found:
            _write_json(path, {"episode": names[folder.name], "steps": [_with_columns(step) for step in found["steps"]]})
        else:
            shutil.rmtree(folder)


def _with_columns(step: Row) -> Row:
    """Return a step with the columns of the table."""
    x, y = step.pop("pointer") or (None, None)
    return {**step, "pointer_x": x, "pointer_y": y}


def _describe_faults(path: Path, faulty: dict[Key, Row]) -> None:
    """Put what is known about an episode to its faults."""
    lines = list(read_lines(path))
    told = [{**faulty.get(key_of(line), {}), **line} for line in lines]
    noted = {key_of(line) for line in lines}
    told += [row for key, row in faulty.items() if key not in noted]
    if told:
        with written_file(path) as temporary:
            temporary.write_text("".join(f"{json.dumps(line)}\n" for line in told))


def _write_json(path: Path, content: dict[str, Any]) -> None:
    with written_file(path) as temporary:
        temporary.write_text(json.dumps(content, indent=1) + "\n")
