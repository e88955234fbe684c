"""Places: cities tied to their countries, addresses and airports."""

from random import Random

from atomic_tasks.arguments.faker_values import faker_value
from atomic_tasks.arguments.registry import generator

_CITIES = {
    "Lisbon": "Portugal", "Tokyo": "Japan", "Chicago": "the United States", "Nairobi": "Kenya", "Toronto": "Canada",
    "Berlin": "Germany", "Mumbai": "India", "Seoul": "South Korea", "Dublin": "Ireland", "Denver": "the United States",
    "Barcelona": "Spain", "Sydney": "Australia", "Amsterdam": "the Netherlands", "Seattle": "the United States",
    "Mexico City": "Mexico", "Oslo": "Norway", "Vienna": "Austria", "Singapore": "Singapore", "Cape Town": "South Africa",
    "Edinburgh": "Scotland", "Buenos Aires": "Argentina", "Prague": "the Czech Republic", "Boston": "the United States",
    "Istanbul": "Turkey", "Bangkok": "Thailand", "Copenhagen": "Denmark", "Montreal": "Canada", "Athens": "Greece",
    "Austin": "the United States", "Helsinki": "Finland", "Manchester": "England", "Naples": "Italy", "Krakow": "Poland",
    "Portland": "the United States", "Auckland": "New Zealand", "Lima": "Peru", "Hanoi": "Vietnam", "Marseille": "France",
    "Phoenix": "the United States", "Zurich": "Switzerland", "Reykjavik": "Iceland", "Dubai": "the United Arab Emirates",
}  # fmt: skip
_AIRPORTS = ["LAX", "JFK", "O'Hare", "Heathrow", "Charles de Gaulle", "Frankfurt Airport", "SFO", "Schiphol", "Haneda",
             "Logan Airport", "Denver International", "Gatwick", "Changi", "Sea-Tac"]  # fmt: skip


@generator()
def city(random: Random, of: str | None) -> str:
    """A city that many people know."""
    return random.choice(list(_CITIES))


@generator()
def country(random: Random, of: str | None) -> str:
    """A country, that of the city where the argument is tied to one."""
    return _CITIES.get(of or "") or random.choice(list(_CITIES.values()))


@generator(later=["that address"])
def street_address(random: Random, of: str | None) -> str:
    """House number and street."""
    return f"{random.randint(2, 980)} {faker_value(random, 'street_name')}"


@generator()
def airport(random: Random, of: str | None) -> str:
    """An airport as people call it."""
    return random.choice(_AIRPORTS)
