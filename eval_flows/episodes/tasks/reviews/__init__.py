"""Reviews of jobs: what readers found who saw nothing but the instruction and the screen at the start, and what was changed after it.

Each job is read twice by somebody who did not write it. The reviews of a suite are in the file `<suite>.jsonl` of this folder.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError, model_validator

from atomic_tasks.problems import BadInput, Problem
from atomic_tasks.schema import Declared

FOLDER = Path(__file__).parent
ROUNDS = (1, 2)


class Review(Declared):
    """One reading of a job."""

    task: str
    round: Literal[1, 2] = Field(description="the second reader did not see what the first one found")
    by: Literal["person", "model"] = Field(description="who read it; a model is marked as such")
    read: str = Field(min_length=20, description="the instruction as it was read")
    way: str = Field(min_length=5, description="how the reader would do it")
    found: tuple[str, ...] = Field((), description="what could mislead, or could be done in two ways")
    verdict: Literal["clear", "unclear", "wrong"]
    answer: str = Field("", description="what was changed after it, or why nothing was")

    @model_validator(mode="after")
    def _is_answered(self) -> "Review":
        if self.verdict != "clear" and not self.found:
            raise ValueError(f"the verdict is '{self.verdict}', but nothing was found: say what is")
        if self.found and not self.answer:
            raise ValueError("nobody answered: say what was changed, or why nothing was")
        return self

    def lines(self, now: str) -> Iterator[str]:
        """Yield it as lines for a person, beside the instruction as it is now."""
        yield f"review {self.round}, by a {self.by}: {self.verdict}"
        if self.read != now:
            yield f"    it read: {self.read}"
        yield f"    way: {self.way}"
        yield from (f"    found: {one}" for one in self.found)
        if self.answer:
            yield f"    answer: {self.answer}"


def read_reviews(suite: str, folder: Path = FOLDER) -> dict[str, list[Review]]:
    """Return the reviews of a suite's jobs, by job and in the order of rounds; BadInput names each problem with its line."""
    path = folder / f"{suite}.jsonl"
    problems: list[Problem] = []
    found: dict[str, list[Review]] = {}
    for number, line in enumerate(path.read_text().splitlines() if path.is_file() else (), 1):
        try:
            review = Review.model_validate_json(line)
        except ValidationError as error:
            problems += [Problem(path.name, number, ".".join(map(str, one["loc"])) or "review", one["msg"]) for one in error.errors()]
            continue
        others = found.setdefault(review.task, [])
        if any(one.round == review.round for one in others):
            problems.append(Problem(path.name, number, "round", f"'{review.task}' has a review {review.round} before"))
        others.append(review)
    if problems:
        raise BadInput(problems)
    return {task: sorted(reviews, key=lambda one: one.round) for task, reviews in found.items()}
