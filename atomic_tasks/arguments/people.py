"""People and companies: names from Faker in several locales, with fitting addresses and numbers."""

import functools
import re
import unicodedata
from random import Random

from atomic_tasks.arguments.faker_values import faker_value
from atomic_tasks.arguments.locales import locales
from atomic_tasks.arguments.registry import Given, generator
from atomic_tasks.value_schema import Locale

_FROM_ELSEWHERE = 0.12  # a company's people are not all from one country


def _ascii(name: str) -> str:
    """Return the name in plain lower-case letters, as in accounts."""
    return unicodedata.normalize("NFKD", name.lower()).encode("ascii", "ignore").decode()


@functools.cache
def _all_locales() -> tuple[Locale, ...]:
    return tuple(locale for _, locale in sorted(locales().items()))


def name_locale(random: Random, given: Given) -> str:
    """Draw one of Faker's locales: mostly of the composition's locale, sometimes of any."""
    locale = random.choice(_all_locales()) if random.random() < _FROM_ELSEWHERE else locales()[given.locale]
    return random.choice(locale.name_locales)


@generator(later=lambda random, value: value.split()[0])
def person(random: Random, given: Given) -> str:
    """First and last name. A second mention uses the first name."""
    locale = name_locale(random, given)
    return f"{faker_value(random, 'first_name', locale)} {faker_value(random, 'last_name', locale)}"


@generator()
def first_name(random: Random, given: Given) -> str:
    """A first name."""
    return faker_value(random, "first_name", name_locale(random, given))


@generator()
def email_address(random: Random, given: Given) -> str:
    """An address made from a name, or from the value of `of` if the argument is tied to a person."""
    name = given.of or person(random, given)
    parts = re.sub(r"[^a-z ]", "", _ascii(name)).split()
    local = random.choice([f"{parts[0]}.{parts[-1]}", f"{parts[0][0]}{parts[-1]}", parts[0]]) if len(parts) > 1 else parts[0]
    return f"{local}@{random.choice(locales()[given.locale].mail_domains)}"


@generator()
def company(random: Random, given: Given) -> str:
    """A company's name."""
    return faker_value(random, "company", locales()[given.locale].address_locale)


@generator()
def phone_number(random: Random, given: Given) -> str:
    """A number from the ranges reserved for fiction."""
    pattern = random.choice(locales()[given.locale].phone_numbers)
    return re.sub("#", lambda _: str(random.randint(0, 9)), pattern)


@generator()
def username(random: Random, given: Given) -> str:
    """An account name as in companies."""
    locale = name_locale(random, given)
    last = re.sub(r"[^a-z]", "", _ascii(faker_value(random, "last_name", locale)))
    return f"{_ascii(faker_value(random, 'first_name', locale))[0]}{last}"
