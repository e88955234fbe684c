"""Metrics of values, texts, lists, JSON, databases and accessibility trees."""

import ast
import csv
import re
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from datetime import datetime
from difflib import SequenceMatcher
from io import StringIO
from json import loads
from pathlib import Path
from typing import Any

import yaml

from eval_flows.episodes.osworld.metrics.matching import expected_alone, holds
from eval_flows.episodes.osworld.metrics.metric import Metrics, Rules, TaskError, asked, unknown
from eval_flows.episodes.osworld.metrics.reading import Place, content, json_file, text
from eval_flows.episodes.osworld.metrics.similarity import alike

_FAILED = "__EVALUATION_FAILED__"  # what a getter of theirs writes into rules if it could not find what is expected
_DAY = 24 * 60  # minutes


def equals(result: Any, rules: Rules) -> float:
    """1 if the result is what is `expected`."""
    return bool(result == asked(rules, "expected"))


def is_one_of(result: Any, rules: Rules) -> float:
    """1 if the result is one of those `expected`."""
    return result in asked(rules, "expected")


def has_item(result: Any, rules: Rules) -> float:
    """1 if what is `expected` is in the result, a list or a text."""
    return asked(rules, "expected") in result


def equals_literally(result: Any, expected: Any, type: str = "str", ignore_case: bool = False) -> float:
    """1 if both are equal as texts, or, of type `list`, item by item. What is expected may stand in rules, under `expected`."""
    if type not in ("str", "list"):
        raise unknown("type", type, ("str", "list"))
    if isinstance(expected, Mapping):
        expected = asked(expected, "expected")
    if type == "list" and not (isinstance(result, list | tuple) and isinstance(expected, list | tuple)):
        return 0.0
    one, other = ([str(item).lower() if ignore_case else str(item) for item in ([side] if type == "str" else side)] for side in (result, expected))
    return one == other


def includes_and_excludes(result: str, rules: Rules) -> float:
    """1 if a text has everything of `include` and nothing of `exclude`."""
    return all(part in result for part in rules.get("include", [])) and not any(part in result for part in rules.get("exclude", []))


def text_alike(result: str, rules: Rules) -> float:
    """How alike a text is to what is `expected`, by their longest common subsequence."""
    return alike(result, asked(rules, "expected"))


def lines_alike(result: Place, expected: Place) -> float:
    """The share of lines that two text files have in common, in their order."""
    return SequenceMatcher(a=text(result).splitlines(), b=text(expected).splitlines()).ratio()


def lines_match(result: Place, rules: Rules) -> float:
    """1 if each pattern of `expect` is found in some line of a file, and no pattern of `unexpect` in any."""
    lines = text(result).splitlines()
    met = [[re.search(pattern, line) is not None for line in lines] for pattern in rules.get("expect", [])]
    unmet = [re.search(pattern, line) is not None for pattern in rules.get("unexpect", []) for line in lines]
    return all(map(any, met)) and not any(unmet)


def has_texts(result: Place, rules: Rules) -> float:
    """1 if a file has every text that is `expected`."""
    found = text(result)
    return all(part in found for part in asked(rules, "expected"))


def counts_times(result: Place, rules: Rules) -> float:
    """1 if as many lines of a file as `expected` have a time of day (HH:MM:SS)."""
    timed = re.compile(r"([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)")
    return sum(timed.search(line) is not None for line in text(result).splitlines()) == int(asked(rules, "expected"))


def is_output(result: Place, output: str) -> float:
    """1 if a file has exactly the output of a command; blank space at the ends does not matter."""
    return bool(output) and text(result).strip() == output.strip()


def rows_match(result: Place, rules: Rules) -> float:
    """1 if each record of `expect` is in a CSV file with a header, and none of `unexpect` is."""
    return expected_alone(csv.DictReader(StringIO(text(result))), rules)


def json_holds(result: Place, rules: Rules, is_yaml: bool = False) -> float:
    """1 if the value at the `key` (a path) of each rule of `expect` holds, and of none of `unexpect`; with `is_yaml`, of a file in YAML."""
    found = yaml.safe_load(text(result)) if is_yaml else json_file(result)
    return all(_holds_at(found, rule) for rule in rules.get("expect", [])) and not any(_holds_at(found, rule) for rule in rules.get("unexpect", []))


def _holds_at(found: Any, rule: Rules) -> bool:
    for key in asked(rule, "key"):
        try:
            found = found[key]
        except (KeyError, IndexError, TypeError):
            return False
    return holds(found, rule)


def json_has(result: Any, rules: Rules) -> float:
    """1 if an object has every value that is `expected`. With `expect_in_result`, it has one of a list, or the text in its own.

    The object may come as its text. `ignore_list_order` is a rule, or stands with what is expected.
    """
    wanted = dict(asked(rules, "expected"))
    any_order = wanted.pop("ignore_list_order", rules.get("ignore_list_order", False))
    if _FAILED in map(str, wanted.values()):
        return 0.0
    found = _object(result) if isinstance(result, str) else result
    if not rules.get("expect_in_result", False):
        return all(_equal(found.get(key), value, any_order) for key, value in wanted.items())
    for key, value in wanted.items():
        got = found.get(key)
        if isinstance(value, list):
            if not any(each in got if isinstance(got, list) else each == got for each in value):
                return 0.0
        elif not isinstance(value, str):
            raise TaskError(f"'expect_in_result' takes texts and lists, and '{key}' is neither")
        elif got is None or value not in got:
            return 0.0
    return 1.0


def _object(written: str) -> Any:
    """Return an object from JSON, or from what Python prints of it."""
    try:
        return loads(written)
    except ValueError:
        return ast.literal_eval(written.strip())


def _equal(got: Any, wanted: Any, any_order: bool) -> bool:
    if any_order and isinstance(got, list) and isinstance(wanted, list):
        return sorted(map(repr, got)) == sorted(map(repr, wanted))
    return bool(got == wanted)


def json_file_has(result: Place, expected: Place) -> float:
    """1 if a file in JSON has every key and value of the expected one."""
    found, wanted = json_file(result), json_file(expected)
    return isinstance(found, Mapping) and all(key in found and found[key] == value for key, value in wanted.items())


def query_gives(result: Place, rules: Rules) -> float:
    """What a query (`sql`) of an SQLite database gives: the first value of the first row. The database is only read."""
    content(result)  # refuses what is no regular file
    with closing(sqlite3.connect(f"{Path(result).absolute().as_uri()}?mode=ro", uri=True)) as database:
        row = database.execute(asked(rules, "sql")).fetchone()
    return float(row[0] or 0) if row else 0.0


def measured_now(result: Place, minutes: Any) -> float:
    """1 if the time (HH:MM) that the second line of a CSV of speed tests ends its second field with is now, within fewer than so many minutes."""
    said = text(result).splitlines()[1].split(",")[1].strip().strip('"')
    then, now = datetime.strptime(said[-5:], "%H:%M"), datetime.now()
    apart = abs((then.hour - now.hour) * 60 + then.minute - now.minute)
    return min(apart, _DAY - apart) < float(minutes)


def same_python(result: Place, expected: Place) -> float:
    """1 if two files of Python have the same lines, without empty ones, blank space at ends, and first lines that name an encoding."""
    return _python_lines(result) == _python_lines(expected)


def _python_lines(place: Place) -> list[str]:
    lines = text(place).splitlines()
    while lines and lines[0].strip().startswith(("#!", "# -*- coding:", "# coding:", "# coding=")):
        del lines[0]
    return [line.expandtabs(4).rstrip() for line in lines if line.strip()]


METRICS: Metrics = {
    "exact_match": equals,
    "match_in_list": is_one_of,
    "is_in_list": has_item,
    "literal_match": equals_literally,
    "check_include_exclude": includes_and_excludes,
    "fuzzy_match": text_alike,
    "diff_text_file": lines_alike,
    "check_list": lines_match,
    "file_contains": has_texts,
    "check_line_number": counts_times,
    "compare_terminal_and_txt": is_output,
    "check_csv": rows_match,
    "check_json": json_holds,
    "check_direct_json_object": json_has,
    "is_included_all_json_objects": json_file_has,
    "run_sqlite3": query_gives,
    "compare_time_in_speedtest_results": measured_now,
    "compare_python_pure_text": same_python,
}
