"""Read YAML with line numbers, and validate it against a pydantic model without stopping at the first error."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from atomic_tasks.form_mistakes import form_mistakes
from atomic_tasks.problems import BadInput, Place, Problem, Source
from atomic_tasks.yaml_mistakes import FOLDED, IN_ITSELF, folded, syntax_mistake, undecodable

Model = TypeVar("Model", bound=BaseModel)
_TEXT = "tag:yaml.org,2002:str"
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml is ten times faster, but it can be missing


def read_yaml(path: Path, problems: list[Problem]) -> Source:
    """Return the data of the file with the line of every key and item. Syntax errors and repeated keys are added to `problems`."""
    source = Source(path)
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        problems.append(source.problem((), f"cannot be read: {error.strerror}"))
        return source
    except UnicodeDecodeError as error:
        problems.append(Problem(source.file, *_in_file(undecodable(error))))
        return source
    try:
        with _loaded(text) as (loader, node):
            source.line_of = partial(_line_of, text)
            source.data = None if node is None else _Reading(source, loader, problems).data(node)
    except yaml.YAMLError as error:
        problems.append(Problem(source.file, *_in_file(syntax_mistake(error, text))))
    return source


@contextmanager
def _loaded(text: str) -> Iterator[tuple[Any, yaml.Node | None]]:
    """Yield the loader of a text and the tree that it made; YAMLError if the text is not YAML."""
    loader = _Loader(text)
    try:
        yield loader, loader.get_single_node()
    finally:
        loader.dispose()


def _in_file(mistake: tuple[int, str]) -> tuple[int, str, str]:
    """Return line, field and reason of a mistake of the whole file."""
    line, reason = mistake
    return line, "file", reason


class _Reading:
    """Makes plain data from nodes, and reports what YAML allows but declared data does not."""

    def __init__(self, source: Source, loader: Any, problems: list[Problem]) -> None:
        self.source = source
        self.loader = loader
        self.problems = problems
        self._around: list[int] = []  # the ids of the nodes around the node that is read

    def data(self, node: yaml.Node) -> object:
        """Return the plain data of a node."""
        if node.tag == _TEXT:
            return node.value
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node)
        if id(node) in self._around:
            self._note(node, "file", IN_ITSELF)
            return None
        self._around.append(id(node))
        made = [self._item(item) for item in node.value] if isinstance(node, yaml.SequenceNode) else self._mapping(node)
        self._around.pop()
        return made

    def _item(self, node: yaml.Node) -> object:
        if folded(node):
            self._note(node, "file", FOLDED)
        return self.data(node)

    def _scalar(self, node: yaml.Node) -> object:
        try:
            return self.loader.construct_object(node)
        except ValueError as error:  # 2026-13-45
            self._note(node, "file", f"'{node.value}' looks like a date or a number but is not one ({error}); quote it")
            return None

    def _mapping(self, node: yaml.Node) -> dict[str, object]:
        mapping: dict[str, object] = {}
        for key_node, value_node in node.value:
            key = _key(key_node)
            if key in mapping:
                self._note(key_node, key, "this key stands twice")
            mapping[key] = self.data(value_node)
        return mapping

    def _note(self, node: yaml.Node, field: str, reason: str) -> None:
        self.problems.append(Problem(self.source.file, node.start_mark.line + 1, field, reason))


def _key(node: yaml.Node) -> str:
    return str(node.value)


@lru_cache(maxsize=4)
def _tree(text: str) -> yaml.Node | None:
    """Return the tree of a file again, for the lines of problems: to keep the trees of all files would take more memory than the catalog."""
    with _loaded(text) as (_, node):
        return node


def _line_of(text: str, place: Place) -> int:
    """Return the line of the place in the file, or of the nearest place around it. A value of a mapping has the line of its key."""
    line, node = 1, _tree(text)
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
    """Return the model of the data under `place`. Return None if the data has mistakes, and add them to `problems`."""
    data: Any = source.data
    for part in place:
        data = data[part]
    try:
        return model.model_validate(data)
    except ValidationError as error:
        problems += [source.problem((*place, *inner), reason) for inner, reason in form_mistakes(error, model)]
        return None


def read_declared_file(path: Path, model: type[Model]) -> Model:
    """Return the model of a file. BadInput names all problems of the file."""
    problems: list[Problem] = []
    source = read_yaml(path, problems)
    found = validated(source, model, problems) if source.data is not None else None
    if found is None or problems:
        raise BadInput(problems or f"{path} is empty")
    return found
