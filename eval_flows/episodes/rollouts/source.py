"""Finding the run that a person names, such as the one that rollouts are made from, and refusing what is no run of episodes or has no groups."""

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from atomic_tasks.catalog import sound_catalog
from atomic_tasks.problems import BadInput
from eval_flows.episodes.runs.store import Row
from eval_flows.episodes.tasks.suite import read_suite, suite_names, suite_tasks
from eval_flows.episodes.tasks.suite_task import ComposedTask
from warehouse.layout import OF_EPISODES, DataFolder, fetch

FEWEST = 2  # rollouts of a group: one alone is neither better nor worse than the others


def find_run(asked: str, data: DataFolder) -> str:
    """Return the id of the run of episodes with that id or its unique beginning; BadInput says what it is otherwise, and what to do."""
    fetch(data.runs, data.sweeps, without=OF_EPISODES)
    folders = _begun((path.parent for path in data.runs.glob("*/*run.json")), asked)
    if not folders:
        _refuse_sweep(asked, data)
        listing = 'deskmill sql "select run_id, suite, agent from suite_runs"'
        raise BadInput(f"there is no run '{asked}' in {data.runs}; `{listing}` lists those of episodes")
    if len(folders) > 1:
        raise BadInput(f"several runs begin with '{asked}': {', '.join(folder.name for folder in folders)}: give more of the id")
    (folder,) = folders
    if not (folder / "suite_run.json").is_file():
        raise BadInput(f"{folder.name} is a run of a protocol over a dataset: give a run of `deskmill episodes` or of `deskmill rollouts`")
    return folder.name


def _refuse_sweep(asked: str, data: DataFolder) -> None:
    """Raise BadInput if the id is that of a sweep, with the runs of the sweep."""
    if found := _begun(data.sweeps.glob("*.json"), asked):
        cells = json.loads(found[0].read_text())["cells"]
        named = "; ".join(f"{cell['run_id']} ({cell['label']})" for cell in cells)
        raise BadInput(f"{asked} is a sweep of {len(cells)} runs: give one of them, {named}")


def refuse_without_groups(run_id: str, rows: Iterable[Row]) -> None:
    """Raise BadInput if no episode among the rows that were played has two rollouts, or if the rows are of several agents."""
    played = list(rows)
    if len(agents := sorted({row["agent"] for row in played})) > 1:
        raise BadInput(f"run {run_id} has trajectories of several agents ({', '.join(agents)}): remove from its folder those that were copied there")
    if max(Counter(row["episode_id"] for row in played).values(), default=0) < FEWEST:
        raise BadInput(
            f"run {run_id} has no episode that was played to its end at least {FEWEST} times, so it has no groups: play it with "
            "`deskmill rollouts SUITE --groups 8` and the options that it was played with"
        )


def seeds_of(suite: str) -> dict[str, str]:
    """Return what the values of each episode of a suite were drawn from; a job has its values written. A suite that is gone or imported has none."""
    if suite not in suite_names() or read_suite(suite).imported:
        return {}
    made = suite_tasks(read_suite(suite), sound_catalog())
    return {one.task.episode_id: ", ".join(map(str, one.seed)) for one in made if isinstance(one, ComposedTask)}


def _begun(paths: Iterable[Path], beginning: str) -> list[Path]:
    """Return the paths whose name begins so, each once."""
    return sorted({path for path in paths if beginning and path.name.startswith(beginning)})
