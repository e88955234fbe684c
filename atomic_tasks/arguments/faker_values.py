"""Plain values from Faker, drawn once in a fixed order, so that a row costs a choice and not a library call."""

import functools
from random import Random

_SIZE = 300
_SEED = 20251201  # any fixed number: the values are part of what a dataset is made from


@functools.cache
def faker_values(provider: str, locale: str = "en_US") -> tuple[str, ...]:
    """Distinct values of a Faker provider, in the order in which a seeded Faker gives them."""
    from faker import Faker

    faker = Faker(locale)
    faker.seed_instance(_SEED)
    make = getattr(faker, provider)
    return tuple(dict.fromkeys(" ".join(str(make()).split()) for _ in range(_SIZE)))


def faker_value(random: Random, provider: str, locale: str = "en_US") -> str:
    """One of the provider's values."""
    return random.choice(faker_values(provider, locale))
