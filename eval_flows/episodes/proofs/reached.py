"""What a checker or a maker is made of: every definition of ours that its name reaches, in its own module and in those that it imports.

The record of proofs holds a hash of it. So a proof is void once something changes that it rests on, a metric or a material file as well as a
getter, and stays when another getter of the same module changes, or only a comment, a docstring or a type.
"""

import ast
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from eval_flows.episodes.runs.identity import syntax_tree

_OURS = ("atomic_tasks.", "eval_flows.", "machines.")
_TABLES = {"CHECKERS", "MAKERS"}
_MATERIALS = "materials"
_Reached = tuple[str, str]  # a module and a name that it defines


@dataclass(frozen=True)
class _Module:
    """The definitions of a module by name, and what its imported names stand for: a module of ours and a name in it, empty for the module itself."""

    definitions: Mapping[str, ast.stmt]
    imported: Mapping[str, tuple[str, str]]


@cache
def code_of(module: str, name: str) -> str:
    """Return a hash of all that the entry `name` of a module's table of checkers or makers reaches."""
    entry = _entry(module, name)
    reached = _reached(module, entry)
    made_from = [ast.dump(entry)]
    for one in sorted(reached):
        definition = _module(one[0]).definitions[one[1]]
        made_from += [f"{one[0]}.{one[1]}", ast.dump(definition), *_materials(definition)]
    return hashlib.blake2b("\n".join(made_from).encode(), digest_size=8).hexdigest()


def _entry(module: str, name: str) -> ast.AST:
    """Return what the module's table has for a name; the whole module if the name does not stand in it as it is."""
    definitions = _module(module).definitions
    for table in (definitions[one] for one in sorted(_TABLES & definitions.keys())):
        for node in ast.walk(table):
            if isinstance(node, ast.Dict):
                for key, value in zip(node.keys, node.values, strict=True):
                    if isinstance(key, ast.Constant) and key.value == name:
                        return value
    return ast.Module(list(definitions.values()), [])


def _reached(module: str, entry: ast.AST) -> set[_Reached]:
    found: set[_Reached] = set()
    waiting = list(_used(module, entry))
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting += _used(one[0], _module(one[0]).definitions[one[1]])
    return found


def _used(module: str, node: ast.AST) -> Iterator[_Reached]:
    """Yield the definitions of ours whose names stand in a piece of code of a module."""
    here = _module(module)
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and inner.id in here.definitions:
            yield module, inner.id
        elif isinstance(inner, ast.Name) and inner.id in here.imported:
            other, name = here.imported[inner.id]
            yield from ((other, name),) if name else ()
        elif isinstance(inner, ast.Attribute) and isinstance(inner.value, ast.Name) and here.imported.get(inner.value.id, ("", "-"))[1] == "":
            other = here.imported[inner.value.id][0]
            yield from ((other, inner.attr),) if inner.attr in _module(other).definitions else ()


@cache
def _module(name: str) -> _Module:
    tree = _without_types(syntax_tree(_path(name)))
    definitions: dict[str, ast.stmt] = {}
    imported: dict[str, tuple[str, str]] = {}
    for statement in tree.body:
        match statement:
            case ast.FunctionDef(name=defined) | ast.ClassDef(name=defined) | ast.AsyncFunctionDef(name=defined):
                definitions[defined] = statement
            case ast.Assign(targets=targets):
                names = (inner.id for target in targets for inner in ast.walk(target) if isinstance(inner, ast.Name))
                definitions |= dict.fromkeys(names, statement)
            case ast.AnnAssign(target=ast.Name(id=defined)):
                definitions[defined] = statement
            case ast.ImportFrom(module=str(source)):
                meant = {one.asname or one.name: _meant(source, one.name) for one in statement.names if f"{source}.".startswith(_OURS)}
                imported |= {known: place for known, place in meant.items() if place is not None}
    return _Module(definitions, imported)


def _meant(source: str, name: str) -> tuple[str, str] | None:
    """Return the module and the name that `from source import name` means, through modules that only pass it on; an empty name for a module."""
    if _is_package(source) and find_spec(f"{source}.{name}") is not None:
        return f"{source}.{name}", ""
    passed_on = _module(source)
    return (source, name) if name in passed_on.definitions else passed_on.imported.get(name)


def _is_package(name: str) -> bool:
    found = find_spec(name)
    return found is not None and found.submodule_search_locations is not None


def _path(module: str) -> Path:
    found = find_spec(module)
    assert found is not None and found.origin is not None, module
    return Path(found.origin)


def _without_types(tree: ast.Module) -> ast.Module:
    """Leave out the types of functions: what they name is no part of what a function does."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node.returns = None
        if isinstance(node, ast.arg):
            node.annotation = None
    return tree


def _materials(definition: ast.stmt) -> Iterator[str]:
    """Yield names and hashes of the material files whose folder a definition names."""
    words = [node.value for node in ast.walk(definition) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    if _MATERIALS in words:
        folder = Path(__file__).parents[1] / "tasks" / _MATERIALS
        inner = [word for word in words if word and (folder / word).is_dir()]
        for path in sorted(path for one in inner or [""] for path in (folder / one).rglob("*") if path.is_file()):
            yield f"{path.relative_to(folder)} {hashlib.blake2b(path.read_bytes(), digest_size=8).hexdigest()}"
