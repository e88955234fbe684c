"""Writing rollouts: the trajectories of a run as Parquet and JSON lines, with pictures, a manifest and a card; all of it or nothing.

They are in `rollouts/` of the run's folder. A run that goes on changes nothing there: the same command again writes them anew, the same bytes for the
same trajectories.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any

import pyarrow as pa
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from eval_flows.episodes.rollouts.described import columns
from eval_flows.episodes.rollouts.rollout import Pictures, Source, ids_of, rollout_of
from eval_flows.episodes.rollouts.source import refuse_without_groups, seeds_of
from eval_flows.episodes.runs.store import Key, Results, Row, key_of
from eval_flows.episodes.runs.upgrade import upgrade
from language_models.kept import KeptCalls
from warehouse.episode_tables import ROLLOUTS
from warehouse.layout import DataFolder, written_folder
from warehouse.parquet import TableWriter

_TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
)


@dataclass(frozen=True)
class Rollouts:
    """Rollouts that were written: their folder, the rewards of each group, and the rows of the episodes that had only faults."""

    folder: Path
    rewards: Mapping[str, Sequence[float]]
    faults: Sequence[Row]

    @property
    def number(self) -> int:
        """Return the number of rollouts."""
        return sum(map(len, self.rewards.values()))

    @property
    def mean_reward(self) -> float:
        """Return the mean reward of all rollouts."""
        return fmean(reward for rewards in self.rewards.values() for reward in rewards)

    @property
    def telling(self) -> int:
        """Return the number of groups whose rewards differ: in the others no rollout is better than another."""
        return sum(pstdev(rewards) > 0 for rewards in self.rewards.values())


def write_rollouts(run_id: str, data: DataFolder, wanted: Collection[Key] | None = None) -> Rollouts:
    """Write the rollouts of a run, of all its trajectories or of the wanted ones. BadInput if it has no groups; nothing is asked or played."""
    run = data.runs / run_id
    with data.locked(f"run-{run_id}"):
        upgrade(run)
        results = Results(run)
        results.sweep()
        rows = [row for key, row in sorted(results.update().items()) if wanted is None or key in wanted]
        played, faults = ([row for row in rows if (row["fault"] is None) == is_played] for is_played in (True, False))
        refuse_without_groups(run_id, played)
        described = json.loads((run / "suite_run.json").read_text())
        with KeptCalls(data.model_calls) as calls, written_folder(run / "rollouts") as folder:
            source = Source(described, calls, seeds_of(described["suite"]), Pictures(folder))
            made = Rollouts(run / "rollouts", _write_rows(folder, results, played, source), faults)
            (folder / "faults.jsonl").write_text("".join(f"{json.dumps(_fault(run_id, row), ensure_ascii=False)}\n" for row in faults))
            _describe(folder, described, made, len(source.pictures.names))
    return made


def _write_rows(folder: Path, results: Results, played: Sequence[Row], source: Source) -> dict[str, list[float]]:
    """Write the rows in both forms, and return the rewards of each group."""
    rewards: dict[str, list[float]] = defaultdict(list)
    with ExitStack() as files:
        table = files.enter_context(TableWriter(folder / "rollouts.parquet", "rollouts"))
        lines = files.enter_context((folder / "rollouts.jsonl").open("w", encoding="utf-8"))
        for row in played:
            made = rollout_of(results.trajectory(key_of(row)), key_of(row), source)
            ordered = {name: made[name] for name in ROLLOUTS.names}
            table.write(pa.Table.from_pylist([ordered], schema=ROLLOUTS))
            lines.write(json.dumps(ordered, ensure_ascii=False) + "\n")
            rewards[made["group_id"]].append(made["reward"])
    return dict(rewards)


def _fault(run_id: str, row: Row) -> Row:
    """Return what is told of an episode that had only faults of the infrastructure: it is no rollout, and has no reward."""
    return {**ids_of(run_id, key_of(row)), **{name: row[name] for name in ("episode_id", "status", "tries", "fault")}}


def _describe(folder: Path, described: Mapping[str, Any], made: Rollouts, pictures: int) -> None:
    """Write the manifest and the card."""
    files = {}
    for name in ("rollouts.parquet", "rollouts.jsonl", "faults.jsonl"):
        with (folder / name).open("rb") as file:
            files[name] = {"sha256": hashlib.file_digest(file, "sha256").hexdigest()}
    manifest = {
        **{name: described[name] for name in ("run_id", "suite", "agent", "started_at")},
        "rollouts": made.number,
        "groups": len(made.rewards),
        "groups_with_differing_rewards": made.telling,
        "mean_reward": made.mean_reward,
        "faults": len(made.faults),
        "pictures": pictures,
        "files": files,
    }
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")
    card = _TEMPLATES.get_template("card.md.j2").render(manifest=manifest, columns=columns())
    (folder / "README.md").write_text(card, encoding="utf-8")
