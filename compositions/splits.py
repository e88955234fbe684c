"""Splits: a stable hash puts each atomic task into train, dev or test. A text belongs to the split that its tasks share."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from functools import cache
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from atomic_tasks.schema import AtomicTask
from atomic_tasks.seeds import share

Split = Literal["train", "dev", "test", "mixed"]
SplitOf = Callable[[AtomicTask], Split | None]
SPLITS: tuple[Split, ...] = ("train", "dev", "test", "mixed")


class SplitShares(BaseModel):
    """Shares of the atomic tasks in dev and in test. The other tasks are in train."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
    dev: float = Field(ge=0, le=1)
    test: float = Field(ge=0, le=1)

    @property
    def by_split(self) -> dict[Split, float]:
        """Return the share of each split, if it is above 0."""
        shares: dict[Split, float] = {"train": 1 - self.dev - self.test, "dev": self.dev, "test": self.test}
        return {split: share_of_split for split, share_of_split in shares.items() if share_of_split > 0}


def no_split(task: AtomicTask) -> Split | None:
    """Return None for every task, where nothing is split, as in suites of episodes."""
    return None


def split_by(shares: SplitShares) -> SplitOf:
    """Return a function from an atomic task to its split at these shares. A generic task has no split: None."""

    @cache
    def of_id(task: str) -> Split:
        return task_split(task, shares)

    return lambda task: None if task.generic else of_id(task.id)


def task_split(task: str, shares: SplitShares) -> Split:
    """Return the split of a non-generic atomic task. It depends on the id alone, so that a new task moves no earlier one."""
    place = share("split", task)
    return "test" if place < shares.test else "dev" if place < shares.test + shares.dev else "train"


def split_of(said_tasks: Collection[str], shares: SplitShares) -> Split:
    """Return the split of a text that says these non-generic tasks, or `mixed` if their splits differ. A text without such tasks is in train."""
    splits = {task_split(task, shares) for task in said_tasks}
    return splits.pop() if len(splits) == 1 else "mixed" if splits else "train"


def shared_splits(tasks: Iterable[AtomicTask], of: SplitOf) -> set[Split]:
    """Return the splits in which every application has a non-generic task, so that one text can say all applications."""
    by_application: dict[str, set[Split]] = defaultdict(set)
    for task in tasks:
        split = of(task)
        if split is not None:
            by_application[task.application].add(split)
    found = list(by_application.values())
    return found[0].intersection(*found[1:]) if found else set()
