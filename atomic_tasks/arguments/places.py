"""Places: cities tied to their countries, addresses and airports."""

from random import Random

from atomic_tasks.arguments.faker_values import faker_value
from atomic_tasks.arguments.locales import cities, countries, locales
from atomic_tasks.arguments.registry import Given, generator
from atomic_tasks.schema import DEFAULT_LOCALE

_ELSEWHERE = 0.3  # people in every country travel, order and phone abroad: then the city is of the English list


@generator()
def city(random: Random, given: Given) -> str:
    """A well-known city, mostly of the locale."""
    locale = DEFAULT_LOCALE if random.random() < _ELSEWHERE else given.locale
    return random.choice(cities(locale))


@generator()
def country(random: Random, given: Given) -> str:
    """A country, or the country of the city that the argument is tied to."""
    return countries().get(given.of or "") or countries()[random.choice(cities(given.locale))]


@generator(later=["that address"])
def street_address(random: Random, given: Given) -> str:
    """House number and street."""
    locale = locales()[given.locale]
    street = faker_value(random, "street_name", locale.address_locale)
    return f"{random.randint(2, 980)} {street}" if locale.house_number_first else f"{street} {random.randint(2, 180)}"


@generator()
def airport(random: Random, given: Given) -> str:
    """An airport as people call it."""
    return random.choice(locales()[given.locale].airports)
