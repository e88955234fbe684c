"""The work of comparing: two results of a task side by side, blind, with the rubric of the task."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

from atomic_tasks.problems import BadInput, suggestion
from eval_flows.episodes.judging.files import KeptFile, files_of
from eval_flows.episodes.judging.judgement import MARKS, PREFERENCES, Preference, judgement_row
from eval_flows.episodes.judging.kept import Kept
from eval_flows.episodes.judging.pairs import Pair, in_order
from eval_flows.episodes.judging.results import Result
from eval_flows.episodes.judging.work import Listed, Said, chosen, note_of, nth, seconds_of
from warehouse.layout import DataFolder

_SIDES = ("left", "right")
T = TypeVar("T")


class Comparing:
    """Pairs for people. A page tells nothing of the runs: neither names nor addresses do, and sides and order are drawn for each judge."""

    title = "Which result is better?"
    template = "compare.html.j2"
    explained = "You see two results of one task. You are not told who made them. Look at both, mark each by the rubric, and say which is better."

    def __init__(self, pairs: Sequence[Pair], data: DataFolder) -> None:
        """Take the pairs, and the folder where judgements are kept."""
        self._pairs = {pair.pair_id: pair for pair in pairs}
        self._kept = Kept(data, "judgements")

    def items(self, who: str) -> Sequence[Listed]:
        """Return the pairs in the judge's order."""
        return [Listed(pair.pair_id, pair.brief) for pair in in_order(list(self._pairs.values()), who)]

    def done(self, who: str) -> set[str]:
        """Return the pairs that the judge has judged."""
        return {row["pair_id"] for row in self._kept.of(who)} & self._pairs.keys()

    def page(self, item: str, who: str) -> Mapping[str, Any]:
        """Return the brief, the rubric, and the pictures and files of both sides."""
        pair = self._pair(item)
        shown = [_shown(name, result) for name, result in zip(_SIDES, pair.sides(who), strict=True)]
        return {"brief": pair.brief, "rubric": pair.rubric, "sides": shown, "marks": list(MARKS), "preferences": PREFERENCES}

    def said(self, item: str, who: str) -> Said:
        """Return what the judge said before."""
        pair = self._pair(item)
        row = next((row for row in self._kept.of(who) if row["pair_id"] == item), None)
        if row is None:
            return {}
        left, right = pair.sides(who)
        preferences = {None: "tie", left.run_id: "left", right.run_id: "right"}
        words = {value: word for word, value in MARKS.items()}
        of = {"left": "mark_a" if left is pair.a else "mark_b", "right": "mark_b" if left is pair.a else "mark_a"}
        marks = {f"{side}_{number}": words[mark[key]] for number, mark in enumerate(row["marks"], 1) for side, key in of.items()}
        return {"preference": preferences[row["preferred_run_id"]], "note": row["note"], **marks}

    def keep(self, item: str, who: str, said: Said) -> None:
        """Keep the judgement; BadInput if a mark or the preference is missing."""
        pair = self._pair(item)
        numbers = range(1, len(pair.rubric) + 1)
        marks = {side: [MARKS[chosen(said, f"{side}_{n}", tuple(MARKS), f"line {n} of the rubric, {side}")] for n in numbers] for side in _SIDES}
        preference = cast("Preference", chosen(said, "preference", tuple(PREFERENCES), "which is better"))
        left, _ = pair.sides(who)
        given = marks if pair.rubric else {}
        self._kept.add(judgement_row(pair, left, who, "person", preference, given, note_of(said), seconds_of(said)))

    def picture(self, item: str, who: str, place: str) -> Path | None:
        """Return a picture by its side and number, such as `left_3`."""
        return self._at(item, who, place, _pictures)

    def file(self, item: str, who: str, place: str) -> KeptFile | None:
        """Return a file that a result left by its side and number, as pictures."""
        return self._at(item, who, place, files_of)

    def _at(self, item: str, who: str, place: str, things: Callable[[Result], Sequence[T]]) -> T | None:
        """Return what has that side and number; None if there is none."""
        side, _, number = place.partition("_")
        if side not in _SIDES:
            return None
        return nth(things(self._pair(item).sides(who)[_SIDES.index(side)]), number)

    def _pair(self, item: str) -> Pair:
        if item not in self._pairs:
            raise BadInput(f"there is no pair '{item}'{suggestion(item, list(self._pairs))}")
        return self._pairs[item]


def _pictures(result: Result) -> list[Path]:
    return [path for files in result.pictures.values() for path in files]


def _shown(name: str, result: Result) -> Mapping[str, Any]:
    places = [f"{name}_{number}" for number in range(1, len(_pictures(result)) + 1)]
    files = [{"place": f"{name}_{number}", **one.shown()} for number, one in enumerate(files_of(result), 1)]
    last = places[len(places) - len(result.last_pictures) :]
    return {"name": name, "title": name.capitalize(), "pictures": places, "last": last, "files": files}
