"""People and companies: names from Faker in several locales, addresses and numbers that fit them."""

import re
import unicodedata
from random import Random

from atomic_tasks.arguments.faker_values import faker_value
from atomic_tasks.arguments.registry import generator

NAME_LOCALES = ["en_US"] * 6 + ["en_GB", "en_IN", "es_ES", "fr_FR", "de_DE", "it_IT"]
_DOMAINS = ["northwind.com", "contoso.com", "fabrikam.org", "gmail.com", "outlook.com", "harlowfinch.co", "adatum.io", "tailspin.net"]


@generator(later=lambda random, value: value.split()[0])
def person(random: Random, of: str | None) -> str:
    """First and last name; a second mention uses the first name."""
    locale = random.choice(NAME_LOCALES)
    return f"{faker_value(random, 'first_name', locale)} {faker_value(random, 'last_name', locale)}"


@generator()
def first_name(random: Random, of: str | None) -> str:
    """A first name."""
    return faker_value(random, "first_name", random.choice(NAME_LOCALES))


@generator()
def email_address(random: Random, of: str | None) -> str:
    """An address made from a name, that of `of` where the argument is tied to a person."""
    name = of or person(random, None)
    parts = re.sub(r"[^a-z ]", "", unicodedata.normalize("NFKD", name.lower()).encode("ascii", "ignore").decode()).split()
    local = random.choice([f"{parts[0]}.{parts[-1]}", f"{parts[0][0]}{parts[-1]}", parts[0]]) if len(parts) > 1 else parts[0]
    return f"{local}@{random.choice(_DOMAINS)}"


@generator()
def company(random: Random, of: str | None) -> str:
    """A company's name."""
    return faker_value(random, "company")


@generator()
def phone_number(random: Random, of: str | None) -> str:
    """A number from the ranges reserved for fiction."""
    area = random.choice([206, 212, 305, 312, 415, 512, 617, 720])
    return random.choice([f"+1 {area} 555 01{random.randint(0, 99):02}", f"({area}) 555-01{random.randint(0, 99):02}"])


@generator()
def username(random: Random, of: str | None) -> str:
    """An account name as companies make them."""
    last = re.sub(r"[^a-z]", "", faker_value(random, "last_name").lower())
    return f"{faker_value(random, 'first_name')[0].lower()}{last}"
