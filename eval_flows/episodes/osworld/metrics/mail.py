"""Metrics of Thunderbird: preferences, filters of messages, folders of mail."""

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from eval_flows.episodes.osworld.metrics.matching import expected_alone, holds
from eval_flows.episodes.osworld.metrics.metric import Metrics, Rules
from eval_flows.episodes.osworld.metrics.reading import Place, content, listed, text

_PREFERENCE = re.compile(r'user_pref\("((?:[^"\\]|\\.)+)", (.+)\);')
_CONDITION = re.compile(r"""\b(?:AND|OR) \((?:[\w ]+),(?:[\w ']+),(?:"(?:[^"\\]|\\.)+"|[^)]+)\)|\bALL\b""")
_BEGIN = re.compile(r"^From(?= |$)", re.MULTILINE)
_DELETED = re.compile(r"^X-Mozilla-Status: ([0-9a-fA-F]{4})\s*$", re.MULTILINE)
_EXPUNGED = 0x0008


def preferences_hold(result: Place, rules: Rules) -> float:
    """1 if each preference of `expect` (file prefs.js) is set and holds against its rule, and none of `unexpect` does."""
    found = {match[1]: json.loads(match[2]) for line in text(result).splitlines() if (match := _PREFERENCE.fullmatch(line.strip()))}
    return all(name in found and holds(found[name], rule) for name, rule in rules.get("expect", {}).items()) and not any(
        name in found and holds(found[name], rule) for name, rule in rules.get("unexpect", {}).items()
    )


def filters_match(result: Place, rules: Rules) -> float:
    """1 if each record of `expect` is met by a filter (file msgFilterRules.dat), and none of `unexpect` is.

    A filter has `name`, `enabled` (yes, no), `type`, `action`, `actionValue` and `condition`: a list of texts such as "AND (subject,contains,x)".
    """
    return expected_alone(_filters(text(result).splitlines()), rules)


def _filters(lines: Iterable[str]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for line in lines:
        name, equals, quoted = line.strip().partition("=")
        value = quoted.removeprefix('"').removesuffix('"').replace('\\"', '"').replace("\\\\", "\\")
        if name == "name":
            found.append({})
        if equals and found:
            found[-1][name] = _CONDITION.findall(value) if name == "condition" else value
    return found


def same_mail(
    result: Any, expected: Any, ignore_status: bool = False, ignore_keys: bool = False, remove_deleted: bool = True, remove_duplicate: bool = True
) -> float:
    """1 if a folder of mail (mbox), or each of a list, has the expected messages in any order.

    Options leave out parts of messages (`ignore_status`: X-Mozilla-Status, `ignore_keys`: labels) or messages (`remove_deleted`, `remove_duplicate`).
    """

    def messages(place: Place) -> Sequence[str]:
        found = [_message(one, ignore_status, ignore_keys) for one in _split(place) if not (remove_deleted and _is_deleted(one))]
        return sorted(set(found) if remove_duplicate else found)

    return all(messages(one) == messages(other) for one, other in zip(listed(result), listed(expected), strict=True))


def _split(place: Place) -> list[str]:
    """Return the messages of a folder. Mail may be in any encoding: each byte is a letter."""
    written = content(place).decode("latin-1").replace("\r\n", "\n")
    return [one for one in _BEGIN.split(written) if one.strip()]


def _is_deleted(message: str) -> bool:
    found = _DELETED.search(message)
    return found is not None and bool(int(found[1], 16) & _EXPUNGED)


def _message(message: str, ignore_status: bool, ignore_keys: bool) -> str:
    """Return a message without its first line, which says when it was filed."""
    body = message.partition("\n")[2]
    body = re.sub(r"^X-Mozilla-Status2?:.*\n", "", body, flags=re.MULTILINE) if ignore_status else body
    return (re.sub(r"^X-Mozilla-Keys:.*\n", "", body, flags=re.MULTILINE) if ignore_keys else body).strip()


METRICS: Metrics = {
    "check_thunderbird_prefs": preferences_hold,
    "check_thunderbird_filter": filters_match,
    "check_thunderbird_folder": same_mail,
}
