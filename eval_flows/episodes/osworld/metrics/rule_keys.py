"""The keys that rules of tasks may have, as `rule_keys.yaml` declares them: a key that no metric reads would be passed over in silence."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from atomic_tasks.problems import Place
from atomic_tasks.schema import Declared
from atomic_tasks.yaml_source import read_declared_file

_ALWAYS = ("type", "_comment", "_comments")
Strange = tuple[Place, str, Sequence[str]]  # the place of a key that is not known, the key, and those that are
Keys = tuple[str, ...]


class RuleKeys(Declared):
    """The file."""

    rules: dict[str, Keys]
    lists: dict[str, Keys]
    tables: dict[str, Keys]
    fuzzy: Keys
    getters: dict[str, Keys]


@cache
def rule_keys() -> RuleKeys:
    """Return the declared keys."""
    return read_declared_file(Path(__file__).parent / "rule_keys.yaml", RuleKeys)


def strange_keys(metric: str, getter: str, rules: Any) -> Iterator[Strange]:
    """Yield the keys in the rules of a metric, which a getter gives, that neither reads; places begin at the rules."""
    known = rule_keys()
    if metric in known.rules:
        yield from _strange((), rules, (*known.rules[metric], *known.getters.get(getter, ())))
    if metric not in known.lists:
        return
    lists: Mapping[Place, Any] = (
        {(): rules} if metric not in known.rules else {(key,): rules.get(key) for key in known.rules[metric]} if rules else {}
    )
    for place, several in lists.items():
        yield from _of_each(place, [several] if isinstance(several, Mapping) else several, known.lists[metric])


def strange_keys_of_tables(rules: Any) -> Iterator[Strange]:
    """Yield the same of the rules that are an option of `compare_table`."""
    known = rule_keys()
    for number, rule in enumerate(rules if isinstance(rules, list) else ()):
        kind = rule.get("type") if isinstance(rule, Mapping) else None
        if kind in known.tables:
            yield from _strange((number,), rule, known.tables[kind])
            yield from _of_each((number, "rules"), rule.get("rules"), known.fuzzy)


def _of_each(place: Place, rules: Any, known: Keys) -> Iterator[Strange]:
    for number, rule in enumerate(rules if isinstance(rules, list) else ()):
        yield from _strange((*place, number), rule, known)


def _strange(place: Place, rules: Any, known: Keys) -> Iterator[Strange]:
    if isinstance(rules, Mapping):
        yield from (((*place, key), key, known) for key in rules if key not in (*known, *_ALWAYS))
