"""What a task takes: the steps and seconds of its oracle, and beside them those of a person, each marked as whose they are (ProSoftArena, Table 7).

A person's reference run is the best successful demonstration in the warehouse (view `reference_runs`), else the one that a job declares.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from atomic_tasks.schema import Declared
from eval_flows.episodes.tasks.jobs import Reference
from warehouse.errors import WarehouseError
from warehouse.query import connect, of_this_version, rows_of

_QUERY = "select episode_id, person, steps, seconds, demonstrations, recording from reference_runs where suite = ?"


class ReferenceRun(Declared):
    """A run of a person. `recording` is the folder of its trajectory in the data folder; `by` says whose it is, in words."""

    steps: int
    seconds: float
    recording: str
    by: str


def reference_runs(warehouse: Path, suite: str) -> Mapping[str, ReferenceRun]:
    """Return the reference runs of a suite by episode; none if there is no warehouse, or if another version made it."""
    try:
        with of_this_version(), connect(warehouse) as connection:
            rows = rows_of(connection, _QUERY, [suite])
    except WarehouseError:
        return {}
    return {row["episode_id"]: ReferenceRun(steps=row["steps"], seconds=row["seconds"], recording=row["recording"], by=_whose(row)) for row in rows}


def declared_run(declared: Reference | None) -> ReferenceRun | None:
    """Return the reference run that a job declares, if it does."""
    return None if declared is None else ReferenceRun(**declared.model_dump(), by="as the job declares it")


def effort_lines(lines: int, seconds: float | None, person: ReferenceRun | None, suite: str) -> Iterator[str]:
    """Yield the lines of a text about a task: what its oracle takes, with the seconds of its proof if it has one, and what a person took.

    A task without lines of an oracle is infeasible.
    """
    proof = "" if seconds is None else f", {seconds:.1f} s in its proof"
    yield f"the oracle: {lines} steps{proof}" if lines else "the oracle: none, since FAIL is right"
    if person is None:
        yield f"a person: no successful demonstration is known; `deskmill demonstrate {suite}` makes one"
    else:
        yield f"a person: {person.steps} steps, {person.seconds:.1f} s; {person.by}; recorded in {person.recording}"


def _whose(row: Mapping[str, object]) -> str:
    number = row["demonstrations"]
    of = "the only successful demonstration" if number == 1 else f"the best of {number} successful demonstrations"
    return f"{row['person']}, {of}" if row["person"] else of
