"""Step drop-out: people leave intermediate steps out (AppSelectBench, section 5, instruction narrator)."""

from collections.abc import Collection, Mapping, Sequence
from random import Random

from compositions.graph import ApplicationGraph
from compositions.model import Composition, Step
from compositions.splits import Split, SplitOf, no_split


def kept_steps(
    composition: Composition, graph: ApplicationGraph, rates: tuple[float, float], most: int, random: Random, split_of: SplitOf = no_split
) -> tuple[int, ...]:
    """Return the positions of the steps that the text will say.

    `rates` are the probabilities of dropping a telling step and a generic step. Every node of the graph keeps one step. A node
    with telling steps does not keep only generic steps. Further steps are kept while there are fewer than `most`. A step that a
    later step revises is dropped if another step can be said instead. The kept telling steps belong to one split, unless no
    split has a step in every node.
    """
    steps = composition.steps
    rate, generic_rate = rates
    untold = _revised(steps)
    drawn = {position for position, step in enumerate(steps) if random.random() >= (generic_rate if step.task.generic else rate)}
    kept = drawn - untold
    splits = {position: split_of(step.task) for position, step in enumerate(steps) if not step.task.generic and position not in untold}
    split = _split_to_keep(graph, splits, kept, random)
    kept -= {position for position, other in splits.items() if split not in (None, other)}
    telling = {position for position, other in splits.items() if split in (None, other)}
    needed: set[int] = set()
    for node in graph.nodes:
        fitting = sorted(kept & telling & set(node)) or sorted(telling & set(node)) or list(node)
        needed.add(random.choice(fitting))
    spare = sorted(kept - needed)
    random.shuffle(spare)
    return tuple(sorted(needed | set(spare[: max(0, most - len(needed))])))


def _split_to_keep(graph: ApplicationGraph, splits: Mapping[int, Split | None], kept: Collection[int], random: Random) -> Split | None:
    """Return a split that has a telling step in every node with telling steps, or None if there is no such split.

    `splits` maps the positions of telling steps to their splits. The splits of kept steps are preferred.
    """
    of_nodes = [{splits[position] for position in node if position in splits} for node in graph.nodes]
    told = [of_node for of_node in of_nodes if of_node]
    shared = told[0].intersection(*told[1:]) if told else set()
    positions = [position for position, split in splits.items() if split in shared]
    return splits[random.choice([position for position in positions if position in kept] or positions)] if positions else None


def _revised(steps: Sequence[Step]) -> set[int]:
    """Return the positions of the telling steps that a later step revises."""
    revising = [(position, {*step.needs, *step.ends}) for position, step in enumerate(steps) if step.task.revises]
    return {
        earlier
        for position, facts in revising
        for earlier in range(position)
        if not steps[earlier].task.generic and facts.intersection(steps[earlier].gives)
    }
