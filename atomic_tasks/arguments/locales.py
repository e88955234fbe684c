"""Locales: the data for names, files, places and amounts, in atomic_tasks/locales. Texts stay English in all locales."""

import functools
from collections.abc import Mapping
from pathlib import Path

from atomic_tasks.problems import BadInput, Problem
from atomic_tasks.schema import DEFAULT_LOCALE
from atomic_tasks.value_schema import Locale
from atomic_tasks.yaml_source import read_yaml, validated

LOCALES_ROOT = Path(__file__).parents[1] / "locales"


@functools.cache
def locales() -> Mapping[str, Locale]:
    """Return every locale by name. BadInput names all problems of their files."""
    problems: list[Problem] = []
    found: dict[str, Locale] = {}
    for path in sorted(LOCALES_ROOT.glob("*.yaml"), key=lambda path: (path.stem != DEFAULT_LOCALE, path.stem)):
        source = read_yaml(path, problems)
        locale = validated(source, Locale, problems) if source.data is not None else None
        if locale is None:
            continue
        if locale.locale != path.stem:
            problems.append(source.problem(("locale",), f"'{locale.locale}' must be in a file of that name, not in {path.name}"))
        unknown = set(locale.file_topics) - set(found[DEFAULT_LOCALE].file_topics) if DEFAULT_LOCALE in found else set()
        problems += [source.problem(("file_topics", topic), "no generator names files of this topic") for topic in sorted(unknown)]
        found[path.stem] = locale
    if problems:
        raise BadInput(problems)
    return found


def topics(locale: str, topic: str) -> tuple[str, ...]:
    """Return the file names of a topic in a locale, or the English ones if the locale has none."""
    own = locales()[locale].file_topics.get(topic)
    return own or locales()[DEFAULT_LOCALE].file_topics[topic]


@functools.cache
def cities(locale: str) -> tuple[str, ...]:
    """Return the cities of a locale."""
    return tuple(locales()[locale].cities)


@functools.cache
def countries() -> Mapping[str, str]:
    """Return the country of every city of every locale."""
    return {city: country for locale in locales().values() for city, country in locale.cities.items()}
