"""Plain values from Faker. They are drawn once in a fixed order, so that a row needs a choice and no library call."""

import functools
from random import Random

_SIZE = 300
_SEED = 20251201  # any fixed number: datasets depend on the values


@functools.cache
def faker_values(provider: str, locale: str = "en_US") -> tuple[str, ...]:
    """Return distinct values of a Faker provider, in the order of a seeded Faker."""
    from faker import Faker

    faker = Faker(locale)
    faker.seed_instance(_SEED)
    make = getattr(faker, provider)
    return tuple(dict.fromkeys(" ".join(str(make()).split()) for _ in range(_SIZE)))


def faker_value(random: Random, provider: str, locale: str = "en_US") -> str:
    """Draw one value of the provider."""
    return random.choice(faker_values(provider, locale))
