"""Step drop-out: people leave intermediate steps out (AppSelectBench, section 5, instruction narrator)."""

from collections.abc import Sequence
from random import Random

from compositions.graph import ApplicationGraph
from compositions.model import Step


def kept_steps(steps: Sequence[Step], graph: ApplicationGraph, rates: tuple[float, float], most: int, random: Random) -> tuple[int, ...]:
    """Positions of the steps that the text will say.

    `rates` are the probabilities of dropping a telling step and a generic one. Every node of the graph keeps a step, what
    is kept is never generic steps alone where there are others, and beyond that at most `most` steps are kept.
    """
    rate, generic_rate = rates
    kept = {position for position, step in enumerate(steps) if random.random() >= (generic_rate if step.task.generic else rate)}
    telling = {position for position, step in enumerate(steps) if not step.task.generic}
    needed: set[int] = set()
    for node in graph.nodes:
        fitting = sorted(kept & telling & set(node)) or sorted(telling & set(node)) or list(node)
        needed.add(random.choice(fitting))
    spare = sorted(kept - needed)
    random.shuffle(spare)
    return tuple(sorted(needed | set(spare[: max(0, most - len(needed))])))
