"""Turn the errors of pydantic into plain words, without errors that only follow from another mistake."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError

from atomic_tasks.problems import Place, nearest, suggestion
from atomic_tasks.yaml_mistakes import shown

_EXPECTED = {
    "string_type": "a text (quote it)",
    "tuple_type": "a list",
    "list_type": "a list",
    "dict_type": "a mapping of keys to values",
    "mapping_type": "a mapping of keys to values",
    "model_type": "a mapping of keys to values",
    "model_attributes_type": "a mapping of keys to values",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
}
_REASONS: Mapping[str, Callable[[Any, Mapping[str, Any]], str]] = {  # made from the given value, and from what pydantic says about the rule
    "missing": lambda given, rule: "is missing",
    "too_short": lambda given, rule: f"needs at least {_items(rule['min_length'])}, but has {rule['actual_length']}",
    "too_long": lambda given, rule: f"may have at most {_items(rule['max_length'])}, but has {rule['actual_length']}",
    "string_too_short": lambda given, rule: f"needs at least {rule['min_length']} characters, but is {shown(given)}",
    "string_pattern_mismatch": lambda given, rule: f"{shown(given)} does not fit the pattern {rule['pattern']}",
    "literal_error": lambda given, rule: f"must be {rule['expected'].replace(chr(39), '')}, not {shown(given)}",
    "greater_than_equal": lambda given, rule: f"must be at least {rule['ge']:g}, not {shown(given)}",
    "greater_than": lambda given, rule: f"must be more than {rule['gt']:g}, not {shown(given)}",
    "less_than_equal": lambda given, rule: f"must be at most {rule['le']:g}, not {shown(given)}",
}


def form_mistakes(error: ValidationError, model: type[BaseModel]) -> Iterator[tuple[Place, str]]:
    """Yield the place and the reason of each mistake."""
    details: Sequence[Any] = error.errors()
    places = [tuple(part for part in detail["loc"] if not _is_internal(part)) for detail in details]
    keys = _all_keys(model)
    misspelt = {(*place[:-1], nearest(str(place[-1]), keys)) for place, detail in zip(places, details, strict=True) if _is_unknown(detail)}
    for place, detail in zip(places, details, strict=True):
        follows = detail["type"] == "too_short" and any(other[: len(place)] == place != other for other in places)
        if not follows and not (detail["type"] == "missing" and place in misspelt):
            yield place, _reason(detail, keys)


def _is_unknown(detail: Any) -> bool:
    return bool(detail["type"] == "extra_forbidden")


def _is_internal(part: str | int) -> bool:
    """Tell whether a part of a location is an internal word of pydantic, such as `function-before`."""
    return isinstance(part, str) and ("[" in part or part.startswith("function-"))


def _reason(detail: Any, keys: set[str]) -> str:
    """Return pydantic's message in plain words, with the nearest known key."""
    kind, given = detail["type"], detail["input"]
    if _is_unknown(detail):
        word = str(detail["loc"][-1])
        return f"unknown key '{word}'{suggestion(word, keys)}"
    if kind in _EXPECTED:
        return f"must be {_EXPECTED[kind]}, not {shown(given)}"
    if kind in _REASONS:
        return _REASONS[kind](given, detail.get("ctx", {}))
    return str(detail["msg"]).removeprefix("Value error, ")


def _items(number: int) -> str:
    return f"{number} item{'s' * (number != 1)}"


def _all_keys(model: type[BaseModel]) -> set[str]:
    """Return every key of the model and of the models inside it."""
    schema = model.model_json_schema()
    keys = set(schema.get("properties", {}))
    for definition in schema.get("$defs", {}).values():
        keys |= set(definition.get("properties", {}))
    return keys
