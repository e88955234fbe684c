"""The work of reviewing tasks (ProSoftArena, Section 5.2): two people read each task, and an author answers what they found."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from atomic_tasks.catalog import sound_catalog
from atomic_tasks.problems import BadInput, suggestion
from atomic_tasks.seeds import derive_seed
from eval_flows.episodes.judging.kept import now
from eval_flows.episodes.judging.readings import Reading, Readings
from eval_flows.episodes.judging.results import PlayedRun
from eval_flows.episodes.judging.work import Listed, Said, WithoutFiles, chosen, nth, seconds_of
from eval_flows.episodes.tasks.reviews import ROUNDS
from eval_flows.episodes.tasks.suite import read_suite, suite_tasks
from eval_flows.episodes.tasks.suite_task import SuiteTask
from warehouse.layout import DataFolder

VERDICTS: Mapping[str, str] = {
    "clear": "Clear: there is one thing to do, and it is said what",
    "unclear": "Unclear: it can be understood in two ways, or something is missing",
    "wrong": "Wrong: it cannot be done as it is said",
}
_SHORTEST_WAY = 5  # as reviews want it
_LONGEST = 4000


class Reviewing(WithoutFiles):
    """Tasks for readers. A reader sees what an agent sees: the instruction and, if a run is given, the screen at the start."""

    title = "Is it clear what is to be done?"
    template = "review.html.j2"
    explained = "You see the instruction of a task and, where it is known, the screen at the start. Say how you would do it, and what could mislead."

    def __init__(self, suite: str, data: DataFolder, run: PlayedRun | None = None) -> None:
        """Take the name of a suite, the folder where readings are kept, and a run whose first pictures show the start."""
        self._tasks = _tasks_of(suite)
        self._readings = Readings(suite, data)
        self._starts = {key[0]: result.pictures.get(1, ()) for key, result in run.results.items()} if run else {}

    def items(self, who: str) -> Sequence[Listed]:
        """Return the tasks that two others have not read, in the reader's order."""
        read = self._readings.by_task()
        open_ones = [name for name in self._tasks if len(read.get(name, {}).keys() - {who}) < len(ROUNDS)]
        return [Listed(name, self._tasks[name].task.instruction) for name in sorted(open_ones, key=lambda name: derive_seed("order", name, who))]

    def done(self, who: str) -> set[str]:
        """Return the tasks that the reader has read."""
        return {name for name, readers in self._readings.by_task().items() if who in readers} & self._tasks.keys()

    def page(self, item: str, who: str) -> Mapping[str, Any]:
        """Return the task as an agent gets it, and the verdicts."""
        task = _found(item, self._tasks).task
        places = [str(place) for place in range(1, len(self._starts.get(task.episode_id, ())) + 1)]
        return {"task": task, "places": places, "verdicts": VERDICTS}

    def said(self, item: str, who: str) -> Said:
        """Return what the reader said before."""
        reading = self._readings.by_task().get(item, {}).get(who)
        return {} if reading is None else {"way": reading.way, "found": "\n".join(reading.found), "verdict": reading.verdict}

    def keep(self, item: str, who: str, said: Said) -> None:
        """Keep the reading; BadInput if it says too little."""
        instruction = _found(item, self._tasks).task.instruction
        way = said.get("way", "").strip()
        found = [line.strip() for line in said.get("found", "").splitlines() if line.strip()]
        verdict = chosen(said, "verdict", tuple(VERDICTS), "verdict")
        if not _SHORTEST_WAY <= len(way) <= _LONGEST:
            raise BadInput("say in a line how you would do it")
        if verdict != "clear" and not found:
            raise BadInput(f"your verdict is '{verdict}': say what could mislead, one thing in each line")
        if len("".join(found)) > _LONGEST:
            raise BadInput(f"write at most {_LONGEST:,} characters about what could mislead")
        self._readings.add(Reading(item, who, instruction, way, found, verdict, seconds_of(said), now()))

    def picture(self, item: str, who: str, place: str) -> Path | None:
        """Return a picture of the start by its number."""
        return nth(self._starts.get(_found(item, self._tasks).task.episode_id, ()), place)


class Answering(WithoutFiles):
    """Readings with findings, for the author of the tasks."""

    title = "What was changed after the reading?"
    template = "answer.html.j2"
    explained = "You see what readers found in a task. Mend the task where they are right, and say what you changed, or why nothing."

    def __init__(self, suite: str, data: DataFolder) -> None:
        """Take the name of a suite, and the folder where readings are kept."""
        self._tasks = _tasks_of(suite)
        self._readings = Readings(suite, data)

    def items(self, who: str) -> Sequence[Listed]:
        """Return the tasks in which readers found something."""
        return [Listed(name, self._tasks[name].task.instruction) for name, readers in self._read().items() if any(one.found for one in readers)]

    def done(self, who: str) -> set[str]:
        """Return those of them that are answered."""
        return {name for name, readers in self._read().items() if any(one.found for one in readers) and not any(one.lacks_answer for one in readers)}

    def page(self, item: str, who: str) -> Mapping[str, Any]:
        """Return the task as it is now, and its readings."""
        return {"instruction": _found(item, self._tasks).task.instruction, "readings": self._found_in(item)}

    def said(self, item: str, who: str) -> Said:
        """Return the answers so far."""
        return {f"answer_{number}": reading.answer for number, reading in enumerate(self._found_in(item), 1)}

    def keep(self, item: str, who: str, said: Said) -> None:
        """Keep the answers; BadInput if one is missing."""
        for number, reading in enumerate(self._found_in(item), 1):
            words = said.get(f"answer_{number}", "").strip()
            if not words or len(words) > _LONGEST:
                raise BadInput(f"answer the reading of {reading.reader}: what was changed, or why nothing was")
            self._readings.answer(reading, words)

    def picture(self, item: str, who: str, place: str) -> Path | None:
        """Return no picture: there is none."""
        return None

    def _read(self) -> Mapping[str, Sequence[Reading]]:
        return {name: list(readers.values()) for name, readers in self._readings.by_task().items() if name in self._tasks}

    def _found_in(self, item: str) -> Sequence[Reading]:
        _found(item, self._tasks)
        return [one for one in self._read().get(item, ()) if one.found]


def _tasks_of(suite: str) -> Mapping[str, SuiteTask]:
    """Return the tasks of a suite by their lineage; BadInput if it is imported."""
    read = read_suite(suite)
    if read.imported:
        raise BadInput(f"the tasks of the suite '{suite}' are imported: they are their authors' to review")
    return {one.lineage: one for one in suite_tasks(read, sound_catalog())}


def _found(item: str, tasks: Mapping[str, SuiteTask]) -> SuiteTask:
    if item not in tasks:
        raise BadInput(f"the suite has no task '{item}'{suggestion(item, list(tasks))}")
    return tasks[item]
