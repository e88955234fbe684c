"""Getters of what a task itself says: rules, and rules with dates that depend on today."""

from collections.abc import Callable, Mapping
from copy import deepcopy
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from eval_flows.episodes.osworld.getters.getter import Asked, Getters, Guest, TaskError, asked

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_MONDAY, _FRIDAY, _SATURDAY, _SUNDAY = 0, 4, 5, 6


def _later(today: date, months: int, day: int = 1) -> date:
    months += today.month - 1
    return date(today.year + months // 12, months % 12 + 1, day)


def _next(today: date, weekday: int) -> date:
    """Return the next such day after today."""
    return today + timedelta(days=(weekday - today.weekday() - 1) % 7 + 1)


def _of_week(today: date, weekday: int, weeks: int) -> date:
    return today + timedelta(days=weekday - today.weekday() + 7 * weeks)


def _first_monday(today: date, months: int) -> date:
    first = _later(today, months)
    return first + timedelta(days=-first.weekday() % 7)


_WHEN: Mapping[str, Callable[[date], date]] = {
    "tomorrow": lambda today: today + timedelta(days=1),
    "this month": lambda today: today,
    "5th next month": lambda today: _later(today, 1, 5),
    "10th next month": lambda today: _later(today, 1, 10),
    "11th next month": lambda today: _later(today, 1, 11),
    "this Saturday": lambda today: _of_week(today, _SATURDAY, 0),
    "this Sunday": lambda today: _of_week(today, _SUNDAY, 0),
    "next Monday": lambda today: _next(today, _MONDAY),
    "next Friday": lambda today: _next(today, _FRIDAY),
    "next Saturday": lambda today: _next(today, _SATURDAY),
    "next Sunday": lambda today: _next(today, _SUNDAY),
    "next week Friday": lambda today: _of_week(today, _FRIDAY, 1),
    "next week Saturday": lambda today: _of_week(today, _SATURDAY, 1),
    "next week Sunday": lambda today: _of_week(today, _SUNDAY, 1),
    "first monday four months later": lambda today: _first_monday(today, 4),
    "first monday eight months later": lambda today: _first_monday(today, 8),
    "next Monday split": lambda today: _next(today, _MONDAY),
    "next Friday split": lambda today: _next(today, _FRIDAY),
}
_SPLIT = {"from": ("puDay", "puMonth", "puYear"), "to": ("doDay", "doMonth", "doYear")}


def day_of(when: str, today: date, start: date | None = None) -> date:
    """Return the day that a phrase means, seen from today; TaskError if the phrase is unknown.

    The end of a range that follows a day which begins it lies in the same week: Monday to Friday, Friday to Sunday.
    """
    if when not in _WHEN:
        raise TaskError(f"unknown relative time {when!r}: the known ones are {', '.join(_WHEN)}")
    found = _WHEN[when](today)
    weekday = _WHEN[when](today).weekday()
    follows = start is not None and when.startswith("next ") and start.weekday() < weekday
    return _of_week(start, weekday, 0) if follows and start is not None else found


def dated(form: str, day: date) -> str:
    """Return a text with the parts of a day in place of {DoW}, {Month}, {MonthFull}, {month}, {Month0D}, {MonthD}, {Day0D}, {DayD} and {Year}."""
    name = _MONTHS[day.month - 1]
    parts = {
        "DoW": _DAYS[day.weekday()],
        "Month": name[:3],
        "MonthFull": name,
        "month": name.lower(),
        "Month0D": f"{day.month:02}",
        "MonthD": str(day.month),
        "Day0D": f"{day.day:02}",
        "DayD": str(day.day),
        "Year": str(day.year),
    }
    for part, value in parts.items():
        form = form.replace(f"{{{part}}}", value)
    return form


def rule(guest: Guest, wanted: Asked) -> Any:
    """The `rules` of the task as they are."""
    return asked(wanted, "rules")


def rule_relative_time(guest: Guest, wanted: Asked) -> Any:
    """The `rules` with dates: `relativeTime` says when, `from` and perhaps `to`, seen from today in the `timezone` of the rules (UTC).

    Without `to`, the form of the date stands in `expected.time`, else in `expected.from` and `expected.to`; a `split` one in its three parts.
    """
    rules = deepcopy(asked(wanted, "rules"))
    when, expected = asked(rules, "relativeTime"), asked(rules, "expected")
    try:
        today = datetime.now(ZoneInfo(rules.get("timezone", "UTC"))).date()
    except (ZoneInfoNotFoundError, ValueError):
        raise TaskError(f"unknown timezone {rules['timezone']!r}") from None
    start = day_of(asked(when, "from"), today)
    days = {"from": start, "to": day_of(when["to"], today, start)} if "to" in when else {"time": start}
    for key, day in days.items():
        is_split = str(when.get(key, "")).endswith(" split")
        for name in _SPLIT[key] if is_split else (key,):
            expected[name] = dated(asked(expected, name), day)
    return rules


def time_diff_range(guest: Guest, wanted: Asked) -> Any:
    """The minutes (`diff_range_in_minutes`) by which two times may differ."""
    return asked(wanted, "diff_range_in_minutes")


GETTERS: Getters = {"rule": rule, "rule_relativeTime": rule_relative_time, "time_diff_range": time_diff_range}
