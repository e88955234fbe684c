"""Step drop-out: people leave intermediate steps out (AppSelectBench, section 5, instruction narrator)."""

from collections.abc import Sequence
from random import Random

from compositions.graph import ApplicationGraph
from compositions.model import Composition, Step


def kept_steps(composition: Composition, graph: ApplicationGraph, rates: tuple[float, float], most: int, random: Random) -> tuple[int, ...]:
    """Positions of the steps that the text will say.

    `rates` are the probabilities of dropping a telling step and a generic one. Every node of the graph keeps a step, what
    is kept is never generic steps alone where there are others, and beyond that at most `most` steps are kept. Nobody asks
    for what the same request revises, so that is never said where something else can be.
    """
    steps = composition.steps
    rate, generic_rate = rates
    untold = _revised(steps)
    drawn = {position for position, step in enumerate(steps) if random.random() >= (generic_rate if step.task.generic else rate)}
    kept = drawn - untold
    telling = {position for position, step in enumerate(steps) if not step.task.generic} - untold
    needed: set[int] = set()
    for node in graph.nodes:
        fitting = sorted(kept & telling & set(node)) or sorted(telling & set(node)) or list(node)
        needed.add(random.choice(fitting))
    spare = sorted(kept - needed)
    random.shuffle(spare)
    return tuple(sorted(needed | set(spare[: max(0, most - len(needed))])))


def _revised(steps: Sequence[Step]) -> set[int]:
    """Positions of the telling steps that a later step revises."""
    revising = [(position, {*step.needs, *step.ends}) for position, step in enumerate(steps) if step.task.revises]
    return {
        earlier
        for position, facts in revising
        for earlier in range(position)
        if not steps[earlier].task.generic and facts.intersection(steps[earlier].gives)
    }
