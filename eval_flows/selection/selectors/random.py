"""The random selector: uniformly one of the candidates (AppSelectBench, section 4.3)."""

from collections.abc import Iterator, Sequence

from atomic_tasks.seeds import derived_random
from eval_flows.selection.selectors.selector import LocalSelector, Prediction
from eval_flows.selection.tasks import Task


class RandomSelector(LocalSelector):
    """Chooses uniformly; the same seed and task always give the same answer."""

    model = "random"

    def __init__(self, candidates: Sequence[str], seed: int) -> None:
        self.candidates = list(candidates)
        self.seed = seed
        self.sampling = f"seed {seed}"

    def select(self, tasks: Sequence[Task]) -> Iterator[Prediction]:
        """Yield one answer for each task."""
        for task in tasks:
            yield Prediction(derived_random(self.seed, "random selector", task.task_id).choice(self.candidates), "answered")
