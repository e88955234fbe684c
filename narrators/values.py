"""Argument values in a text: their places, their order, and the text with the values masked."""

import re
from collections import defaultdict
from collections.abc import Mapping
from functools import cached_property

_LED_BY = re.compile(r"(\w+) (?:(?:the|my|our|your|a|an) )?[\"'(]?$")
MASK = "{}"


class Values:
    """The values of arguments in a text, by argument name. The case of the first letter does not matter.

    The longest value is matched first, so that a value inside a longer value is not found there.
    """

    def __init__(self, values: Mapping[str, str], text: str) -> None:
        self._name_of: dict[str, str] = {}
        for name, value in values.items():
            self._name_of.setdefault(_key(value), name)
        self._values = sorted(values.values(), key=len, reverse=True)
        self._text = text

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile("|".join(_spelled(value, self._text) for value in self._values) or r"(?!)")

    def _found(self, text: str) -> list[tuple[str, int]]:
        return [(self._name_of[_key(match[0])], match.start()) for match in self._pattern.finditer(text)]

    def standing_in(self, text: str) -> list[str]:
        """Return the names whose values are in the text, in the order of their first places."""
        return list(dict.fromkeys(name for name, _ in self._found(text)))

    def order(self, text: str, generators: Mapping[str, str]) -> dict[str, list[str]]:
        """Return the order of values that can be mixed up: the values of each generator, and the values that begin with a digit."""
        alike: dict[str, list[str]] = defaultdict(list)
        for name in self.standing_in(text):
            alike[generators[name]].append(name)
            if self._value(name)[0].isdigit():
                alike["numbers"].append(name)
        return dict(alike)

    def _value(self, name: str) -> str:
        return next(key for key, owner in self._name_of.items() if owner == name)

    def led_by(self, name: str, text: str) -> set[str]:
        """Return the words right before the value, without articles."""
        before = (_LED_BY.search(text[:start]) for found, start in self._found(text) if found == name)
        return {match[1].casefold() for match in before if match}

    def masked(self, text: str, as_names: bool = False) -> str:
        """Return the text with a mask in the place of every value, or with the name of the argument in braces."""
        return self._pattern.sub(lambda match: f"{{{self._name_of[_key(match[0])]}}}" if as_names else MASK, text)


def _key(value: str) -> str:
    return value[:1].casefold() + value[1:]


def _spelled(value: str, text: str) -> str:
    """Return a pattern for the value as a word of its own, or inside other words if the text has it only there."""
    first = value[0]
    spelled = f"[{re.escape(first.lower())}{re.escape(first.upper())}]{re.escape(value[1:])}" if first.lower() != first.upper() else re.escape(value)
    bounded = ("(?<!\\w)" if first.isalnum() else "") + spelled + ("(?!\\w)" if value[-1].isalnum() else "")
    return bounded if re.search(bounded, text) else spelled
