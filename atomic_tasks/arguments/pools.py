"""Generators whose values are data: the pools in atomic_tasks/pools, whose columns may be tied to each other."""

from collections.abc import Iterable, Mapping
from random import Random

from atomic_tasks.arguments.registry import Generator
from atomic_tasks.schema import Pool


def pool_generators(pools: Iterable[Pool]) -> dict[str, Generator]:
    """One generator for each column of each pool, by column name."""
    return {column: _column(pool, number) for pool in pools for number, column in enumerate(pool.columns)}


def _column(pool: Pool, number: int) -> Generator:
    """The generator of one column: tied to another column's value, it takes a row that has it."""
    name = pool.columns[number]
    values = tuple(dict.fromkeys(row[number] for row in pool.values))
    fitting = _fitting(pool, number)
    later = pool.later.get(name)

    def draw(random: Random, of: str | None) -> str:
        return random.choice(fitting.get(of, values))

    return Generator(name, draw, (lambda random, value: random.choice(later)) if later else None)


def _fitting(pool: Pool, number: int) -> Mapping[str | None, tuple[str, ...]]:
    """For every value of the other columns, the values of this column that stand beside it."""
    beside: dict[str | None, dict[str, None]] = {}
    for row in pool.values:
        for other, value in enumerate(row):
            if other != number:
                beside.setdefault(value, {})[row[number]] = None
    return {value: tuple(own) for value, own in beside.items()}
