"""Binding: each argument of a composition gets one value. Tied arguments fit each other. Two arguments of one generator differ."""

from collections.abc import Mapping
from random import Random

from atomic_tasks.arguments.registry import Generator, Given
from atomic_tasks.schema import Argument

_TRIES = 8


def bind(arguments: Mapping[str, Argument], generators: Mapping[str, Generator], locale: str, random: Random) -> dict[str, str]:
    """Return a value for each argument name, in the order of the arguments, all in one locale.

    A tied argument is bound after the argument that it is tied to.
    """
    values: dict[str, str] = {}
    free = Given(None, locale)

    def value_of(name: str) -> str:
        if name in values:
            return values[name]
        argument = arguments[name]
        given = Given(value_of(argument.of), locale) if argument.of else free
        for _ in range(_TRIES):
            value = random.choice(argument.one_of) if argument.one_of else generators[argument.generator or ""].draw(random, given)
            same = [other for other, taken in values.items() if taken == value]
            if not any(arguments[other].generator == argument.generator for other in same):
                break
        values[name] = value
        return value

    return {name: value_of(name) for name in arguments}
