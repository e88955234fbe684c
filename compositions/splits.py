"""Splits: an atomic task falls to train, dev or test by a stable hash, and what is said of tasks to the split that they share."""

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
    """Shares of the atomic tasks that fall to dev and to test; the others fall to train."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
    dev: float = Field(ge=0, le=1)
    test: float = Field(ge=0, le=1)

    @property
    def by_split(self) -> dict[Split, float]:
        """The share of each split that some task can fall to."""
        shares: dict[Split, float] = {"train": 1 - self.dev - self.test, "dev": self.dev, "test": self.test}
        return {split: share_of_split for split, share_of_split in shares.items() if share_of_split > 0}


def no_split(task: AtomicTask) -> Split | None:
    """The split of every task where nothing is split, as in suites of episodes."""
    return None


def split_by(shares: SplitShares) -> SplitOf:
    """What gives the split of an atomic task at these shares; None for a generic task, which falls to no split."""

    @cache
    def of_id(task: str) -> Split:
        return task_split(task, shares)

    return lambda task: None if task.generic else of_id(task.id)


def task_split(task: str, shares: SplitShares) -> Split:
    """The split of a non-generic atomic task, from its id alone, so that no later task moves an earlier one."""
    place = share("split", task)
    return "test" if place < shares.test else "dev" if place < shares.test + shares.dev else "train"


def split_of(said_tasks: Collection[str], shares: SplitShares) -> Split:
    """The split of a text that says these non-generic tasks: theirs, or `mixed` where they differ. A text that says none is in train."""
    splits = {task_split(task, shares) for task in said_tasks}
    return splits.pop() if len(splits) == 1 else "mixed" if splits else "train"


def shared_splits(tasks: Iterable[AtomicTask], of: SplitOf) -> set[Split]:
    """The splits in which every application of the tasks has a non-generic one, so that a text over all of them can be in that split."""
    by_application: dict[str, set[Split]] = defaultdict(set)
    for task in tasks:
        split = of(task)
        if split is not None:
            by_application[task.application].add(split)
    found = list(by_application.values())
    return found[0].intersection(*found[1:]) if found else set()
