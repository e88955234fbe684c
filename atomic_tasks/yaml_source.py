"""Reading YAML with line numbers, and validating it against a pydantic model without stopping at the first error."""

from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from atomic_tasks.problems import BadInput, Place, Problem, Source, suggestion

Model = TypeVar("Model", bound=BaseModel)
_TEXT = "tag:yaml.org,2002:str"
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml is ten times faster and may be absent


def read_yaml(path: Path, problems: list[Problem]) -> Source:
    """The file's data with the line of every key and item; syntax errors and duplicate keys become problems."""
    source = Source(path)
    loader = None
    try:
        loader = _Loader(path.read_bytes())
        node = loader.get_single_node()
        source.line_of = partial(_line_of, node)
        source.data = None if node is None else _data(node, source, loader, problems)
    except OSError as error:
        problems.append(source.problem((), f"cannot be read: {error.strerror}"))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else 1
        reason = getattr(error, "problem", None) or "this is not YAML"
        hint = "quote a text that starts with { or holds ': '"
        problems.append(Problem(source.file, line, "file", f"{reason}; {hint}"))
    finally:
        if loader is not None:
            loader.dispose()
    return source


def _data(node: yaml.Node, source: Source, loader: Any, problems: list[Problem]) -> object:
    """Plain data of a node."""
    if node.tag == _TEXT:
        return node.value
    if isinstance(node, yaml.SequenceNode):
        return [_data(item, source, loader, problems) for item in node.value]
    if not isinstance(node, yaml.MappingNode):
        return loader.construct_object(node)
    mapping: dict[str, object] = {}
    for key_node, value_node in node.value:
        key = _key(key_node)
        if key in mapping:
            problems.append(Problem(source.file, key_node.start_mark.line + 1, key, "this key stands twice"))
        mapping[key] = _data(value_node, source, loader, problems)
    return mapping


def _key(node: yaml.Node) -> str:
    return str(node.value)


def _line_of(node: yaml.Node | None, place: Place) -> int:
    """The line of the place in the tree, or of the nearest thing around it; mappings have the lines of their keys."""
    line = 1
    for part in place:
        if isinstance(node, yaml.MappingNode):
            found = [(key.start_mark.line, value) for key, value in node.value if _key(key) == part]
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            found = [(node.value[part].start_mark.line, node.value[part])]
        else:
            found = []
        if not found:
            return line
        line, node = found[-1][0] + 1, found[-1][1]
    return line


def validated(source: Source, model: type[Model], problems: list[Problem], place: Place = ()) -> Model | None:
    """The model that the data under `place` describes, or None with every reason noted."""
    data: Any = source.data
    for part in place:
        data = data[part]
    try:
        return model.model_validate(data)
    except ValidationError as error:
        for detail in error.errors():
            inner = (*place, *(part for part in detail["loc"] if not _is_internal(part)))
            problems.append(source.problem(inner, _reason(detail, model)))
        return None


def read_declared_file(path: Path, model: type[Model]) -> Model:
    """The model that a file describes; BadInput names every problem in it."""
    problems: list[Problem] = []
    source = read_yaml(path, problems)
    found = validated(source, model, problems) if source.data is not None else None
    if found is None or problems:
        raise BadInput(problems or f"{path} is empty")
    return found


def _is_internal(part: str | int) -> bool:
    """Pydantic's own words in a location, such as `function-before`, which say nothing to a reader."""
    return isinstance(part, str) and ("[" in part or part.startswith("function-"))


def _reason(detail: Any, model: type[BaseModel]) -> str:
    """Pydantic's message in the reader's words, with the nearest known key."""
    if detail["type"] == "extra_forbidden":
        word = str(detail["loc"][-1])
        return f"unknown key '{word}'{suggestion(word, _all_keys(model))}"
    if detail["type"] == "missing":
        return "is missing"
    return str(detail["msg"]).removeprefix("Value error, ")


def _all_keys(model: type[BaseModel]) -> set[str]:
    """Every key that the model or the models inside it know."""
    schema = model.model_json_schema()
    keys = set(schema.get("properties", {}))
    for definition in schema.get("$defs", {}).values():
        keys |= set(definition.get("properties", {}))
    return keys
