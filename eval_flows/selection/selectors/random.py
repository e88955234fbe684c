"""The random selector: uniformly one of the candidates (AppSelectBench, section 4.3)."""

from collections.abc import Sequence

from atomic_tasks.seeds import derived_random
from eval_flows.selection.selectors.answer import Answer


class RandomSelector:
    """Chooses uniformly; the same seed and task give the same answer whatever else is asked."""

    model = "random"

    def __init__(self, candidates: Sequence[str], seed: int) -> None:
        self.candidates = list(candidates)
        self.seed = seed
        self.sampling = f"seed {seed}"

    def select(self, task_ids: Sequence[str], texts: Sequence[str]) -> list[Answer]:
        """One answer for each task."""
        return [Answer(derived_random(self.seed, "random selector", task_id).choice(self.candidates), "answered") for task_id in task_ids]
