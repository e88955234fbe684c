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

    def value_of(name: str) -> str:
        if name not in values:
            argument = arguments[name]
            fitting = value_of(argument.of) if argument.of else None
            values[name] = _drawn(name, argument, fitting)
        return values[name]

    def _drawn(name: str, argument: Argument, fitting: str | None) -> str:
        taken = {values[other] for other in values if arguments[other].generator == argument.generator}
        value = ""
        for _ in range(_TRIES):
            value = random.choice(argument.one_of) if argument.one_of else generators[argument.generator or ""].draw(random, Given(fitting, locale))
            if value not in taken:
                break
        return value

    for name in arguments:
        value_of(name)
    return {name: values[name] for name in arguments}
