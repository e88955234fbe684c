"""Finds what rows of two splits say alike: one atomic task or goal, from their masked texts, or one phrasing that two tasks share."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from atomic_tasks.catalog import Catalog
from atomic_tasks.schema import PLACEHOLDER, SENTENCE_ENDS, AtomicTask, Talk
from compositions.schema import Workflow
from compositions.splits import Split, SplitOf

Row = Mapping[str, Any]
Span = tuple[int, int]


def leaks(rows: Iterable[Row], catalog: Catalog, workflows: Mapping[str, Workflow]) -> dict[str, set[str]]:
    """The non-generic atomic tasks and the goals that rows of several splits say, with these splits; `mixed` is none of them."""
    splits: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        if row["split"] != "mixed":
            for name in said(row, catalog, workflows):
                splits[name].add(row["split"])
    return {name: found for name, found in splits.items() if len(found) > 1}


def shared_words(catalog: Catalog, workflows: Mapping[str, Workflow], split_of: SplitOf) -> dict[str, set[str]]:
    """The phrasings, arguments masked, that tasks or goals of several splits have in common, with the ids of these tasks and goals.

    Generic tasks have no split, so they may share their words. A goal belongs to the splits of all tasks of its workflow.
    """
    uses: dict[str, dict[str, set[Split]]] = defaultdict(dict)
    for name, talk, splits in _talks(catalog, workflows, split_of):
        for phrasing in _words(talk):
            uses[PLACEHOLDER.sub("{}", phrasing).casefold().rstrip(SENTENCE_ENDS)][name] = splits
    shared = {words: users for words, users in uses.items() if len(users) > 1}
    return {words: set(users) for words, users in shared.items() if len(set().union(*users.values())) > 1}


def _talks(catalog: Catalog, workflows: Mapping[str, Workflow], split_of: SplitOf) -> Iterator[tuple[str, Talk, set[Split]]]:
    for task in catalog.tasks.values():
        split = split_of(task)
        if split is not None:
            yield task.id, task, {split}
    for workflow in workflows.values():
        splits = (split_of(catalog.tasks[step.task]) for step in workflow.steps)
        yield workflow.id, workflow.goal, {split for split in splits if split is not None}


def said(row: Row, catalog: Catalog, workflows: Mapping[str, Workflow]) -> set[str]:
    """The non-generic tasks and the workflow of the row of which a phrasing, a fragment or a background stands in its text.

    Where it is the workflow's, all of the row's tasks are said with it. What stands within the words of another is not said.
    """
    told: dict[str, Talk] = {name: catalog.tasks[name] for name in row["atomic_tasks"]}
    tasks = {name for name in told if not catalog.tasks[name].generic}
    told |= {name: workflows[name].goal for name in [row["workflow"]] if name}
    spans = [(span, name) for name, talk in told.items() for span in _spans(row["masked_text"].casefold(), talk)]
    found = {name for span, name in spans if not any(_within(span, other) for other, _ in spans)}
    jointly = _said_jointly(row, workflows) if row["workflow"] else set()
    if jointly:
        return jointly & tasks
    return (found & {*tasks, row["workflow"]}) | (tasks if row["workflow"] in found else set())


def _said_jointly(row: Row, workflows: Mapping[str, Workflow]) -> set[str]:
    """The tasks of the joint words that are the row's text; none if it has no joint words."""
    workflow, text = workflows[row["workflow"]], row["masked_text"].casefold()
    tasks = {step.label or step.task.rpartition(".")[2]: step.task for step in workflow.steps}
    for joint in workflow.joint:
        for phrasing in (*joint.say, *joint.rewordings.values()):
            pieces = _pieces(phrasing)
            if all(piece in text for piece in pieces) and _pattern(pieces).search(text):
                return {tasks[label] for label in joint.says}
    return set()


def _spans(text: str, talk: Talk) -> Iterator[Span]:
    for phrasing in _words(talk):
        pieces = _pieces(phrasing)
        if all(piece in text for piece in pieces):
            yield from (match.span() for match in _pattern(pieces).finditer(text))


def _words(talk: Talk) -> tuple[str, ...]:
    return (*talk.say, *(talk.named if isinstance(talk, AtomicTask) else ()), *talk.rewordings.values())


def _within(span: Span, other: Span) -> bool:
    return span != other and other[0] <= span[0] and span[1] <= other[1]


@cache
def _pieces(phrasing: str) -> tuple[str, ...]:
    """The phrasing without its arguments, which stand under other names in a composition."""
    return tuple(re.split(r"\{\w*\}", phrasing.casefold().rstrip(SENTENCE_ENDS)))


@cache
def _pattern(pieces: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(r"(?<!\w)" + r"\{\w*\}".join(map(re.escape, pieces)) + r"(?!\w)")
