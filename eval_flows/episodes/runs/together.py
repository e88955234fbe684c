"""How many episodes a worker process may play at once."""

from collections.abc import Iterable

from eval_flows.episodes.runs.workers import TOGETHER
from eval_flows.episodes.tasks.task import Task


def together_of(tasks: Iterable[Task]) -> int:
    """Return the number for some tasks: one if a task has to be judged alone."""
    return 1 if any(task.is_judged_alone for task in tasks) else TOGETHER
