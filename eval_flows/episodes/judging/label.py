"""The work of labelling: the steps of a failed episode, and the kind and the step of the first error from which it did not recover."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from atomic_tasks.problems import BadInput
from eval_flows.episodes.judging.failures import in_order, label_row
from eval_flows.episodes.judging.kept import Kept
from eval_flows.episodes.judging.results import Result
from eval_flows.episodes.judging.work import Listed, Said, WithoutFiles, chosen, note_of, nth, number_of, seconds_of
from warehouse.judging import error_kinds
from warehouse.layout import DataFolder

_NO_STEP = "none"


class Labelling(WithoutFiles):
    """Failed episodes for people. The agent is not named. What a model proposed is shown on request alone, and the label says so."""

    title = "Where did it go wrong?"
    template = "label.html.j2"
    explained = "You see the steps of an episode that failed. Find the first error from which it did not recover: its kind, and its step."

    def __init__(self, failures: Mapping[str, tuple[str, Result]], data: DataFolder) -> None:
        """Take the failed episodes with their suites, by name, and the folder where labels are kept."""
        numbers = enumerate(sorted(failures), 1)
        self._failures = {f"{number}": failures[name] for number, name in numbers}  # addresses tell nothing of the run
        self._kept = Kept(data, "labels")

    def items(self, who: str) -> Sequence[Listed]:
        """Return the failed episodes in the labeller's order."""
        return [Listed(name, str(self._failures[name][1].episode["instruction"])) for name in in_order(list(self._failures), who)]

    def done(self, who: str) -> set[str]:
        """Return the episodes that the labeller has labelled."""
        there = {(row["run_id"], row["episode_id"], row["repeat"]) for row in self._kept.of(who)}
        return {name for name, (_, result) in self._failures.items() if (result.run_id, *result.key) in there}

    def page(self, item: str, who: str) -> Mapping[str, Any]:
        """Return the task, what the checks saw, the steps with their pictures, the kinds of errors, and what models proposed."""
        _, result = self._found(item)
        return {
            "episode": result.episode,
            "steps": [{**step, "pictures": _places(result, step["number"])} for step in result.steps],
            "kinds": error_kinds(),
            "proposals": [row for row in self._of(result) if row["labeller_kind"] == "model"],
            "no_step": _NO_STEP,
        }

    def said(self, item: str, who: str) -> Said:
        """Return what the labeller said before."""
        _, result = self._found(item)
        row = next((row for row in self._of(result) if row["labeller"] == who), None)
        if row is None:
            return {}
        return {"kind": row["kind"], "step": _NO_STEP if row["step"] is None else str(row["step"]), "note": row["note"]}

    def keep(self, item: str, who: str, said: Said) -> None:
        """Keep the label; BadInput if kind or step are missing, or if `other` has no note."""
        suite, result = self._found(item)
        kind = chosen(said, "kind", [one.kind for one in error_kinds()], "kind of error")
        step = chosen(said, "step", [*(str(one["number"]) for one in result.steps), _NO_STEP], "step of the error")
        note = note_of(said)
        if kind == "other" and not note:
            raise BadInput("you chose 'other': say in the note what went wrong")
        number = None if step == _NO_STEP else int(step)
        saw = said.get("saw_proposal") == "yes"
        self._kept.add(label_row(suite, result, who, "person", kind, number, note, seconds_of(said), saw_proposal=saw))

    def picture(self, item: str, who: str, place: str) -> Path | None:
        """Return a picture by step and place, such as `3_1`."""
        step, _, number = place.partition("_")
        at = number_of(step)
        return None if at is None else nth(self._found(item)[1].pictures.get(at, ()), number)

    def _of(self, result: Result) -> list[dict[str, Any]]:
        return [row for row in self._kept.rows() if (row["run_id"], row["episode_id"], row["repeat"]) == (result.run_id, *result.key)]

    def _found(self, item: str) -> tuple[str, Result]:
        if item not in self._failures:
            raise BadInput(f"there is no failed episode '{item}': there are 1 to {len(self._failures)}")
        return self._failures[item]


def _places(result: Result, step: int) -> list[str]:
    """Return the places of the pictures of a step."""
    return [f"{step}_{place}" for place in range(1, len(result.pictures.get(step, ())) + 1)]
