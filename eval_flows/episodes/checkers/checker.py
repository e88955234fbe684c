"""Checkers: the getters and metrics of the catalog's checks, a family in each module.

A new family is one module with its declaration in `atomic_tasks/checkers.yaml`, and one line in `CHECKERS`; or a package of its own with an entry
point `deskmill.checkers` and a file `checkers.yaml` beside the module.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from eval_flows.episodes.runs.identity import identity_of
from machines.errors import PluginError
from machines.plugins import Registry

if TYPE_CHECKING:
    from eval_flows.episodes.environment.desktop import Desktop

Entry = Mapping[str, Any]
OfFile = Callable[[bytes, Any], Any]
OfDesktop = Callable[["Desktop", Any], Any]
Metric = Callable[[Any, Any], float]


@dataclass(frozen=True)
class Checkers:
    """A family of checkers, by name.

    A getter of a file takes its content and what the catalog asks for; it may raise anything if it cannot read the file. A getter of the desktop
    takes the desktop. Both return None if there is nothing. A metric takes what a getter got and what is expected,
    and returns whether that is right, or a share from 0 to 1 if it is graded.

    `apart` names the getters of files that read by native code or SQL: each runs in a process that a file may end. They take and give plain data.
    """

    of_files: Mapping[str, OfFile] = field(default_factory=dict)
    of_desktop: Mapping[str, OfDesktop] = field(default_factory=dict)
    metrics: Mapping[str, Metric] = field(default_factory=dict)
    apart: frozenset[str] = frozenset()

    @property
    def names(self) -> list[str]:
        """Return every name in it."""
        return [*self.of_files, *self.of_desktop, *self.metrics]


CHECKERS: Registry[Checkers] = Registry(
    "family of checkers",
    "deskmill.checkers",
    {
        name: f"eval_flows.episodes.checkers.{name}:CHECKERS"
        for name in (
            "files",
            "pictures",
            "colours",
            "workbooks",
            "documents",
            "projects",
            "sounds",
            "pdfs",
            "captures",
            "folders",
            "screen",
            "metrics",
            "software",
            "tables",
            "drafting",
            "vector",
            "geodata",
            "solids",
            "analyses",
            "coding",
            "molecules",
            "schematics",
            "microscopy",
            "windows",
        )
    },
)


@dataclass(frozen=True)
class Known:
    """All checkers together, the family of each name, and what is wrong with families that cannot be used."""

    checkers: Checkers
    family: Mapping[str, str]
    broken: tuple[str, ...]

    def split(self, entry: Entry) -> tuple[str, str]:
        """Return the names of the getter and of the metric of a check; PluginError if there is none of that name."""
        metric = next((name for name in entry if name in self.checkers.metrics), None)
        getter = next((name for name in entry if name in self.checkers.of_files or name in self.checkers.of_desktop), None)
        if metric is None or getter is None:
            unknown = ", ".join(f"'{name}'" for name in entry if name not in self.family and name != "threshold")
            told = "; ".join(self.broken) or f"the families are {', '.join(map(str, CHECKERS.plugins))}"
            raise PluginError(f"there is no checker {unknown}: {told}")
        return getter, metric


@cache
def known() -> Known:
    """Return the checkers of all families. A family that cannot be imported, or that takes a name of another one, is left out."""
    found, family, broken = Checkers({}, {}, {}), dict[str, str](), []
    for plugin in CHECKERS.plugins:
        try:
            made: Checkers = plugin.load()
            taken = [f"{name} of {CHECKERS.plugin(family[name])}" for name in made.names if name in family]
            if taken:
                raise PluginError(f"{plugin} declares names that are taken: {', '.join(taken)}. Rename or uninstall it")
        except PluginError as error:
            broken.append(str(error))
            continue
        family |= dict.fromkeys(made.names, plugin.name)
        found = Checkers(
            {**found.of_files, **made.of_files},
            {**found.of_desktop, **made.of_desktop},
            {**found.metrics, **made.metrics},
            found.apart | made.apart,
        )
    return Known(found, family, tuple(broken))


def identities(entries: Iterable[Entry]) -> list[Any]:
    """Return what decides how these checks work, beside the code of the built-in ones; PluginError if one of them has no getter or no metric."""
    everything = known()
    used = {everything.family[name] for entry in entries for name in names_of(everything, entry)}
    return [identity for name in sorted(used) if (identity := identity_of(CHECKERS, name)) != name]


def names_of(everything: Known, entry: Entry) -> list[str]:
    """Return the names of the getters and of the metric of a check."""
    other = [name for name in entry["same_as"] if name in everything.family] if isinstance(entry.get("same_as"), Mapping) else []
    return [*everything.split(entry), *other]
