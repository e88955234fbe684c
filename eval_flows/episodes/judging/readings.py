"""Readings of tasks by people, before the tasks are played: kept at once, answered by an author, and then written into the reviews of the suite.

data/judging/reviews/<suite>.jsonl has a line for each reading; a later line of the same reader about the same task replaces the earlier one. Two
people read a task: who reads it first has the round 1, the second, who does not see what the first one found, has the round 2.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from pydantic import ValidationError

from atomic_tasks.problems import BadInput
from eval_flows.episodes.judging.kept import add_line
from eval_flows.episodes.runs.store import read_lines
from eval_flows.episodes.tasks.reviews import FOLDER, ROUNDS, Review, read_reviews
from warehouse.layout import DataFolder, fetch, written_file


@dataclass(frozen=True)
class Reading:
    """What a person found in a task. `answer` is empty until an author has said what was changed, or why nothing was."""

    task: str
    reader: str
    read: str
    way: str
    found: Sequence[str]
    verdict: str
    seconds: float
    read_at: str
    answer: str = ""

    @property
    def lacks_answer(self) -> bool:
        """Tell whether an author has to answer."""
        return bool(self.found) and not self.answer

    def review(self, number: int) -> Review:
        """Return the review of a round; `ValidationError` if something in it is missing."""
        told = {"read": self.read, "way": self.way, "found": self.found, "verdict": self.verdict, "answer": self.answer}
        return Review.model_validate({"task": self.task, "round": number, "by": "person", **told})


class Readings:
    """The readings of the tasks of one suite."""

    def __init__(self, suite: str, data: DataFolder) -> None:
        self.suite = suite
        self._data = data
        self._path = data.judging / "reviews" / f"{suite}.jsonl"
        fetch(self._path.parent)

    def add(self, reading: Reading) -> None:
        """Keep a reading for good."""
        add_line(self._data, self._path, asdict(reading))

    def answer(self, reading: Reading, words: str) -> None:
        """Keep the answer of an author to a reading."""
        self.add(replace(reading, answer=words))

    def by_task(self) -> Mapping[str, Mapping[str, Reading]]:
        """Return the readings of each task by reader, in the order of rounds."""
        found: dict[str, dict[str, Reading]] = {}
        for line in read_lines(self._path):
            reading = Reading(**line)
            found.setdefault(reading.task, {})[reading.reader] = reading  # a later line stays at the place of the first
        return found


def write_reviews(readings: Readings, folder: Path = FOLDER) -> int:
    """Write the readings into the reviews of the suite, each in the place of an earlier review of its round; return their number.

    BadInput names each reading that an author has not answered, or that says too little, and then nothing is written.
    """
    reviews: dict[tuple[str, int], Review] = {(task, one.round): one for task, them in read_reviews(readings.suite, folder).items() for one in them}
    problems: list[str] = []
    written = 0
    for task, by_reader in readings.by_task().items():
        for number, reading in enumerate(list(by_reader.values())[: len(ROUNDS)], 1):
            try:
                reviews[task, number] = reading.review(number)
                written += 1
            except ValidationError as error:
                problems += [f"the reading of {task} by {reading.reader}: {one['msg']}" for one in error.errors()]
    if problems:
        raise BadInput("\n".join([*problems, f"answer them with `deskmill review {readings.suite} --answer`"]))
    with written_file(folder / f"{readings.suite}.jsonl") as path:
        path.write_text("".join(json.dumps(one.model_dump(mode="json"), ensure_ascii=False) + "\n" for one in _grouped(reviews.values())))
    return written


def _grouped(reviews: Iterable[Review]) -> list[Review]:
    """Return the reviews by task, in the order of first mention, and by round."""
    tasks = {one.task: number for number, one in reversed(list(enumerate(reviews)))}
    return sorted(reviews, key=lambda one: (tasks[one.task], one.round))
