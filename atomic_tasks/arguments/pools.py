"""Generators from data: the pools in atomic_tasks/pools. Columns of a pool can be tied to each other."""

from collections.abc import Iterable, Mapping, Sequence
from random import Random

from atomic_tasks.arguments.registry import Generator, Given
from atomic_tasks.schema import DEFAULT_LOCALE
from atomic_tasks.value_schema import Pool


def pool_generators(pools: Iterable[Pool]) -> dict[str, Generator]:
    """Return one generator for each column of the pools, by column name. Pools with the same columns are joined by locale."""
    alike: dict[tuple[str, ...], list[Pool]] = {}
    for pool in pools:
        alike.setdefault(pool.columns, []).append(pool)
    return {column: _column(same, number) for columns, same in alike.items() for number, column in enumerate(columns)}


def _column(pools: Sequence[Pool], number: int) -> Generator:
    """Return the generator of one column. If it is tied to a value of another column, it takes a row with that value."""
    name = pools[0].columns[number]
    rows: dict[str, dict[str, None]] = {}
    for pool in pools:
        rows.setdefault(pool.locale, {}).update(dict.fromkeys(row[number] for row in pool.values))
    values = {locale: tuple(own) for locale, own in rows.items()}
    anywhere = values.get(DEFAULT_LOCALE) or next(iter(values.values()))
    fitting = _fitting(pools, number)
    later = tuple(dict.fromkeys(said for pool in pools for said in pool.later.get(name, ())))

    def draw(random: Random, given: Given) -> str:
        return random.choice(fitting.get(given.of) or values.get(given.locale) or anywhere)

    return Generator(name, draw, (lambda random, value: random.choice(later)) if later else None)


def _fitting(pools: Sequence[Pool], number: int) -> Mapping[str | None, tuple[str, ...]]:
    """Return for every value of the other columns the values of this column in the same rows."""
    beside: dict[str | None, dict[str, None]] = {}
    for row in (row for pool in pools for row in pool.values):
        for other, value in enumerate(row):
            if other != number:
                beside.setdefault(value, {})[row[number]] = None
    return {value: tuple(own) for value, own in beside.items()}
