"""Getters of rules: what a task expects, with days seen from today."""

from collections.abc import Mapping
from datetime import date
from typing import Any

import pytest

from eval_flows.episodes.osworld.getters.rules import dated, day_of
from eval_flows.episodes.osworld.metrics import TaskError
from tests.eval_flows.episodes.osworld.getters.guests import FolderGuest, got


def test_rules_are_given_as_they_are(guest: FolderGuest) -> None:
    assert got(guest, "rule", rules={"expected": 1}) == {"expected": 1}
    assert got(guest, "time_diff_range", diff_range_in_minutes="60") == "60"


@pytest.mark.parametrize(
    ("when", "today", "start", "found"),
    [
        ("tomorrow", "2026-12-31", None, "2027-01-01"),
        ("10th next month", "2026-12-05", None, "2027-01-10"),
        ("next Monday", "2026-11-23", None, "2026-11-30"),
        ("next Friday", "2026-11-28", None, "2026-12-04"),
        ("next Friday", "2026-11-28", "2026-11-30", "2026-12-04"),
        ("next Sunday", "2026-11-26", "2026-11-27", "2026-11-29"),
        ("next week Friday", "2026-11-23", None, "2026-12-04"),
        ("this Saturday", "2026-11-24", None, "2026-11-28"),
        ("first monday four months later", "2026-08-15", None, "2026-12-07"),
        ("first monday eight months later", "2026-11-15", None, "2027-07-05"),
    ],
)
def test_days_are_seen_from_today(when: str, today: str, start: str | None, found: str) -> None:
    assert day_of(when, date.fromisoformat(today), (start and date.fromisoformat(start)) or None) == date.fromisoformat(found)


def test_days_are_written_as_the_task_wants_them() -> None:
    form = "{DoW}, {Month} {Day0D} {DayD} {MonthFull} {month} {Month0D} {MonthD} {Year}"
    assert dated(form, date(2027, 3, 5)) == "Fri, Mar 05 5 March march 03 3 2027"


def test_rules_get_their_dates_and_stay_as_they_were_in_the_task(guest: FolderGuest) -> None:
    rules = {"relativeTime": {"from": "10th next month", "to": "11th next month"}, "expected": {"from": "{Day0D}", "to": "{Day0D}", "place": "x"}}
    assert got(guest, "rule_relativeTime", rules=rules)["expected"] == {"from": "10", "to": "11", "place": "x"}
    assert rules["expected"]["from"] == "{Day0D}"
    one = {"relativeTime": {"from": "5th next month"}, "timezone": "Europe/Zurich", "expected": {"time": "{DayD}"}}
    assert got(guest, "rule_relativeTime", rules=one)["expected"] == {"time": "5"}
    split = {
        "relativeTime": {"from": "next Monday split", "to": "next Friday split"},
        "expected": dict.fromkeys(("puDay", "puMonth", "puYear", "doDay", "doMonth", "doYear"), "{Year}"),
    }
    assert got(guest, "rule_relativeTime", rules=split)["expected"]["doYear"].isdigit()


@pytest.mark.parametrize(
    ("rules", "told"),
    [
        ({"relativeTime": {"from": "some day"}, "expected": {"time": ""}}, "unknown relative time 'some day'"),
        ({"relativeTime": {"from": "tomorrow"}, "expected": {}}, "lack 'time'"),
        ({"relativeTime": {"from": "tomorrow"}, "timezone": "Mars/Base", "expected": {"time": ""}}, "unknown timezone 'Mars/Base'"),
    ],
)
def test_rules_without_a_day_are_a_mistake_of_the_task(guest: FolderGuest, rules: Mapping[str, Any], told: str) -> None:
    with pytest.raises(TaskError, match=told):
        got(guest, "rule_relativeTime", rules=rules)
