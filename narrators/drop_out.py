"""Step drop-out: people leave intermediate steps out (AppSelectBench, section 5, instruction narrator)."""

from collections.abc import Mapping, Sequence
from random import Random

from compositions.graph import ApplicationGraph
from compositions.model import Composition, Step
from compositions.splits import Split, SplitOf, no_split


class DropOut:
    """Draws the steps that a text says, again and again for one composition.

    Every node of the graph keeps one step. A node with telling steps does not keep only generic steps. A step that a later step revises is
    dropped if another step can be said instead. The kept telling steps belong to one split, unless no split has a step in every node.
    """

    def __init__(self, composition: Composition, graph: ApplicationGraph, split_of: SplitOf = no_split) -> None:
        steps = composition.steps
        self._is_generic = [step.task.generic for step in steps]
        self._untold = _revised(steps)
        splits = {position: split_of(step.task) for position, step in enumerate(steps) if not step.task.generic and position not in self._untold}
        of_nodes = [{splits[position] for position in node if position in splits} for node in graph.nodes]
        told = [of_node for of_node in of_nodes if of_node]
        shared = told[0].intersection(*told[1:]) if told else set()
        self._in_shared_splits = {position: split for position, split in splits.items() if split in shared}
        self._allowed = {split: _Allowed(splits, graph, split) for split in {*shared, None}}

    def kept(self, rates: tuple[float, float], most: int, random: Random) -> tuple[int, ...]:
        """Return the positions of the steps that the text will say.

        `rates` are the probabilities of dropping a telling step and a generic step. After one step for each node, further steps are kept
        while there are fewer than `most`.
        """
        rate, generic_rate = rates
        kept = {position for position, generic in enumerate(self._is_generic) if random.random() >= (generic_rate if generic else rate)}
        kept -= self._untold
        allowed = self._allowed[self._split(kept, random)]
        kept -= allowed.other
        needed = {_one([position for position in node if position in kept] or node, random) for node in allowed.of_nodes}
        spare, room = sorted(kept - needed), max(0, most - len(needed))
        if len(spare) > room:
            spare = random.sample(spare, room)
        return tuple(sorted(needed.union(spare)))

    def _split(self, kept: set[int], random: Random) -> Split | None:
        """Return a split that has a telling step in every node with telling steps, or None. The splits of kept steps are preferred."""
        positions = self._in_shared_splits
        return positions[_one([position for position in positions if position in kept] or list(positions), random)] if positions else None


class _Allowed:
    """The steps that a text of one split may say; None allows all splits.

    `of_nodes` holds for each node the steps of which one is needed: telling steps if there are any. `other` holds the telling steps of other splits.
    """

    def __init__(self, splits: Mapping[int, Split | None], graph: ApplicationGraph, split: Split | None) -> None:
        self.other = {position for position, own in splits.items() if split not in (None, own)}
        self.of_nodes = [sorted((splits.keys() - self.other).intersection(node)) or list(node) for node in graph.nodes]


def _one(positions: Sequence[int], random: Random) -> int:
    return positions[0] if len(positions) == 1 else random.choice(positions)


def _revised(steps: Sequence[Step]) -> set[int]:
    """Return the positions of the telling steps that a later step revises."""
    revising = [(position, {*step.needs, *step.ends}) for position, step in enumerate(steps) if step.task.revises]
    return {
        earlier
        for position, facts in revising
        for earlier in range(position)
        if not steps[earlier].task.generic and facts.intersection(steps[earlier].gives)
    }
