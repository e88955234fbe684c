"""Step drop-out: people leave intermediate steps out (AppSelectBench, section 5, instruction narrator)."""

from collections.abc import Sequence
from random import Random

from compositions.graph import ApplicationGraph
from compositions.model import Step


def kept_steps(steps: Sequence[Step], graph: ApplicationGraph, rate: float, generic_rate: float, random: Random) -> tuple[int, ...]:
    """Positions of the steps that the text will say.

    Each step is dropped with the probability `rate`, a generic one with `generic_rate`; every node of the graph keeps one, and what is kept is never
    generic steps alone where there are others.
    """
    kept = {position for position, step in enumerate(steps) if random.random() >= (generic_rate if step.task.generic else rate)}
    for node in graph.nodes:
        if not kept & set(node):
            telling = [position for position in node if not steps[position].task.generic] or list(node)
            kept.add(random.choice(telling))
    telling = [position for position, step in enumerate(steps) if not step.task.generic]
    if telling and not kept & set(telling):
        kept.add(random.choice(telling))
    return tuple(sorted(kept))
