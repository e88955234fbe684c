"""Dates and times as people say them. Most times are in working hours, and ends come after starts."""

import re
from random import Random

from atomic_tasks.arguments.registry import Given, generator
from atomic_tasks.seeds import Weighted

_MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"]
_WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"]
_HOURS = Weighted(dict(zip(range(8, 18), [3, 8, 10, 10, 4, 6, 9, 9, 7, 4], strict=True)))
_QUARTERS = Weighted({0: 5, 15: 1, 30: 4, 45: 1})
_DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]


def _clock(minutes: int) -> str:
    """Return minutes after midnight as a time such as `2:30 pm`."""
    hour, minute = divmod(minutes % 1440, 60)
    return f"{(hour - 1) % 12 + 1}:{minute:02} {'am' if hour < 12 else 'pm'}"


def _minutes(text: str) -> int | None:
    """Return the minutes after midnight of a time such as `2:30 pm`, or None."""
    match = re.fullmatch(r"(\d+):(\d\d) (am|pm)", text)
    return (int(match[1]) % 12 + (12 if match[3] == "pm" else 0)) * 60 + int(match[2]) if match else None


@generator()
def date(random: Random, given: Given) -> str:
    """A day of the year."""
    month = random.randrange(12)
    return f"{_MONTHS[month]} {random.randint(1, _DAYS_IN_MONTH[month])}"


@generator(needs_of=True)
def later_date(random: Random, given: Given) -> str:
    """A day 1 to 20 days after the date that it is tied to."""
    name, _, day = (given.of or "March 3").partition(" ")
    month = _MONTHS.index(name) if name in _MONTHS else 2
    number = int(day or 1) + random.randint(1, 20)
    if number > _DAYS_IN_MONTH[month]:
        number -= _DAYS_IN_MONTH[month]
        month = (month + 1) % 12
    return f"{_MONTHS[month]} {number}"


@generator()
def coming_day(random: Random, given: Given) -> str:
    """A day in the near future, as people say it."""
    day = random.choice(_WEEKDAYS)
    return random.choice(["tomorrow", "tomorrow", f"next {day}", f"this {day}", f"this coming {day}"])


@generator()
def weekday(random: Random, given: Given) -> str:
    """A day of the working week, sometimes of the weekend."""
    return random.choice([*_WEEKDAYS, *_WEEKDAYS, "Saturday", "Sunday"])


@generator()
def month(random: Random, given: Given) -> str:
    """A month."""
    return random.choice(_MONTHS)


@generator()
def year(random: Random, given: Given) -> str:
    """A year of the recent past; recent ones more often."""
    return str(2025 - min(int(random.expovariate(0.5)), 14))


@generator()
def quarter(random: Random, given: Given) -> str:
    """A quarter of the year."""
    return random.choice(["Q1", "Q2", "Q3", "Q4"])


@generator()
def time_of_day(random: Random, given: Given) -> str:
    """A time in working hours, mostly on the hour or the half hour."""
    return _clock(_HOURS.draw(random) * 60 + _QUARTERS.draw(random))


@generator()
def evening_time(random: Random, given: Given) -> str:
    """A time in the evening."""
    return _clock(random.randint(18, 22) * 60 + random.choice([0, 0, 15, 30, 45]))


@generator()
def early_time(random: Random, given: Given) -> str:
    """A time to get up."""
    return _clock(random.choice([5, 6, 6, 6, 7, 7, 8]) * 60 + random.choice([0, 0, 15, 30, 45, 20, 50]))


@generator(needs_of=True)
def later_time(random: Random, given: Given) -> str:
    """A time half an hour to two hours after the time that it is tied to."""
    start = _minutes(given.of or "")
    return _clock((14 * 60 if start is None else start) + random.choice([30, 30, 45, 60, 60, 90, 120]))


@generator()
def minutes(random: Random, given: Given) -> str:
    """A number of minutes, as for timers and meetings."""
    return f"{random.choice([5, 8, 10, 10, 12, 15, 15, 20, 25, 25, 30, 30, 40, 45, 50, 90])} minutes"


@generator()
def seconds(random: Random, given: Given) -> str:
    """A number of seconds."""
    return f"{random.choice([2, 3, 5, 5, 8, 10, 10, 15, 20, 30, 45])} seconds"


@generator()
def hours(random: Random, given: Given) -> str:
    """A number of hours."""
    return f"{random.choice([2, 2, 3, 4, 5, 6, 8, 12])} hours"


def _stamp(seconds_in: int) -> str:
    return f"{seconds_in // 60}:{seconds_in % 60:02}"


@generator()
def timestamp(random: Random, given: Given) -> str:
    """A time in a recording; early times more often."""
    return _stamp(4 + int(random.expovariate(1 / 150)) % 3000)


@generator(needs_of=True)
def later_timestamp(random: Random, given: Given) -> str:
    """A time 5 seconds to 4 minutes after the time that it is tied to."""
    parts = (given.of or "0:30").split(":")
    return _stamp(int(parts[0]) * 60 + int(parts[1]) + random.randint(5, 240))


@generator()
def deadline(random: Random, given: Given) -> str:
    """A time by which something must be ready."""
    return random.choice(
        [f"by {random.choice(_WEEKDAYS)}", "by tomorrow", "by end of day", "by noon", "before the weekend", "by next week", "before lunch"]
    )
