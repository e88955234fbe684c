"""Binding: each argument of a composition gets one value. Tied arguments fit each other. Two arguments of one generator differ."""

from collections.abc import Mapping
from random import Random

from atomic_tasks.arguments.registry import Generator, Given
from atomic_tasks.arguments.worlds import OF_TABLE, TABLE_FILES, World, draw_from
from atomic_tasks.schema import Argument

_TRIES = 8


def bind(
    arguments: Mapping[str, Argument], generators: Mapping[str, Generator], locale: str, random: Random, world: World | None = None
) -> dict[str, str]:
    """Return a value for each argument name, in the order of the arguments, all in one locale and, as far as it has values, in one world.

    A tied argument is bound after the argument that it is tied to, and a column after its table.
    """
    values: dict[str, str] = {}
    free = Given(None, locale)
    tables = [name for name, argument in arguments.items() if argument.generator in TABLE_FILES]

    def drawn(argument: Argument) -> str:
        if argument.one_of:
            return random.choice(argument.one_of)
        name = argument.generator or ""
        if world is not None and argument.of is None:
            file = value_of(tables[0]) if tables and name in OF_TABLE else None
            value = draw_from(world, name, file, random)
            if value is not None:
                return value
        return generators[name].draw(random, Given(value_of(argument.of), locale) if argument.of else free)

    def value_of(name: str) -> str:
        if name in values:
            return values[name]
        argument = arguments[name]
        for _ in range(_TRIES):
            value = drawn(argument)
            same = [other for other, taken in values.items() if taken == value]
            if not any(arguments[other].generator == argument.generator for other in same):
                break
        values[name] = value
        return value

    for name in arguments:
        value_of(name)
    return {name: values[name] for name in arguments}
