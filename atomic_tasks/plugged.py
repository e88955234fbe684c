"""Checkers that installed packages add: what they declare is data, and it is read without running their code.

A package adds getters and metrics by an entry point `deskmill.checkers` in a package of its own. The file `checkers.yaml` beside the module of the
entry point declares them, in the form of our `checkers.yaml`.
"""

from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path

from pydantic import Field

from atomic_tasks.checkers import Checkers, Named, WithKeys
from atomic_tasks.problems import Problem
from atomic_tasks.schema import Declared, Identifier
from atomic_tasks.yaml_source import read_yaml, validated

GROUP = "deskmill.checkers"


class PluggedCheckers(Declared):
    """The getters and metrics of a package."""

    getters: dict[Identifier, WithKeys] = Field({})
    metrics: dict[Identifier, Named] = Field({})


def with_plugged(own: Checkers) -> tuple[Checkers, list[Problem]]:
    """Return our checkers with those of packages, and the mistakes in what packages declare; a declaration with mistakes is left out."""
    getters, metrics, problems = dict(own.getters), dict(own.metrics), list[Problem]()
    for entry_point in sorted(entry_points(group=GROUP), key=lambda one: (one.name, one.value)):
        path = _declaration(entry_point)
        if path is None:
            where = f"entry point {entry_point.name} = {entry_point.value}"
            problems.append(Problem(where, 1, "module", "has no file checkers.yaml beside it that declares its checkers; it must be in a package"))
            continue
        source = read_yaml(path, problems)
        made = None if source.data is None else validated(source, PluggedCheckers, problems)
        if made is None:
            continue
        taken = [name for name in (*made.getters, *made.metrics) if name in getters or name in metrics]
        if taken:
            problems += [source.problem((), f"'{name}' is declared before: rename it") for name in taken]
            continue
        getters |= made.getters
        metrics |= made.metrics
    return own.model_copy(update={"getters": getters, "metrics": metrics}), problems


def _declaration(entry_point: EntryPoint) -> Path | None:
    """Return the file beside the module; only the top package is looked up, since to look up a module inside it would run it."""
    top, *inner = entry_point.module.split(".")
    try:
        spec = find_spec(top)
    except (ImportError, ValueError):
        return None
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder, *inner[:-1], "checkers.yaml")
        if path.is_file():
            return path
    return None
