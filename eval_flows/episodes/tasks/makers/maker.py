"""Makers: what `setup` makes before an episode. Files are made on this host, with the same bytes each time, and uploaded.

A new family is one module, a line in `FAMILIES`, and its declaration in `atomic_tasks/checkers/`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from eval_flows.episodes.environment.desktop import Desktop

Json = Mapping[str, Any]
OfFile = Callable[[Json], bytes]
OfState = Callable[["Desktop", Any], None]
FAMILIES = ("common", "software", "tables", "drafting", "vector", "microscopy", "geodata", "coding", "solids", "molecules", "schematics", "windows")


@dataclass(frozen=True)
class Makers:
    """A family of makers, by name: of files, whose `path` the catalog declares, and of state of the machine."""

    of_files: Mapping[str, OfFile] = field(default_factory=dict)
    of_state: Mapping[str, OfState] = field(default_factory=dict)


@cache
def makers() -> Makers:
    """Return the makers of all families."""
    families: list[Makers] = [import_module(f"{__package__}.{name}").MAKERS for name in FAMILIES]
    files = {name: maker for family in families for name, maker in family.of_files.items()}
    return Makers(files, {name: maker for family in families for name, maker in family.of_state.items()})


def family_of(name: str) -> str:
    """Return the module of the family that has a maker."""
    modules = (f"{__package__}.{family}" for family in FAMILIES)
    return next(module for module in modules if name in {**import_module(module).MAKERS.of_files, **import_module(module).MAKERS.of_state})


def make(desktop: Desktop, entry: Json) -> None:
    """Make what one entry of `setup` declares, with its placeholders filled."""
    ((name, asked),) = entry.items()
    if name in makers().of_state:
        makers().of_state[name](desktop, asked)
    else:
        desktop.client.upload(desktop.place(asked["path"]), made_file(name, asked))


def made_file(name: str, asked: Json) -> bytes:
    """Return the content of the file that a maker makes."""
    return makers().of_files[name](asked)
