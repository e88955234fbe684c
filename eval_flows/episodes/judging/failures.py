"""Failed episodes of runs, and the labels that say where they went wrong."""

from collections.abc import Sequence
from typing import Any, Literal

from atomic_tasks.problems import BadInput
from atomic_tasks.seeds import derive_seed
from eval_flows.episodes.judging.kept import now
from eval_flows.episodes.judging.results import PlayedRun, Result

Kind = Literal["person", "model"]


def failures_of(runs: Sequence[PlayedRun]) -> dict[str, tuple[str, Result]]:
    """Return the failed episodes with their suites, by a name for addresses; BadInput if there is none. Faults of the machine are no failures."""
    failed = [(run.suite, result) for run in runs for result in run.results.values() if not result.episode["is_success"]]
    found = {f"{result.run_id}_{result.key[0]}_{result.key[1]}": (suite, result) for suite, result in failed}
    if not found:
        raise BadInput(f"every episode that was played in {', '.join(run.run_id for run in runs)} succeeded: there is no error to label")
    return found


def in_order(names: Sequence[str], labeller: str) -> list[str]:
    """Return the failed episodes in the random order of a labeller."""
    return sorted(names, key=lambda name: derive_seed("order", name, labeller))


def label_row(
    suite: str, result: Result, labeller: str, labeller_kind: Kind, kind: str, step: int | None, note: str, seconds: float, **more: Any
) -> dict[str, Any]:
    """Return the line of a label; `more` are `saw_proposal` of a person, and `cost_usd` of a model."""
    return {
        "run_id": result.run_id,
        "suite": suite,
        "episode_id": result.key[0],
        "repeat": result.key[1],
        "labeller": labeller,
        "labeller_kind": labeller_kind,
        "kind": kind,
        "step": step,
        "note": note,
        "saw_proposal": False,
        "seconds": round(seconds, 1),
        "cost_usd": 0.0,
        "labelled_at": now(),
        **more,
    }
