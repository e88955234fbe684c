"""Registries of plug-ins: names that are built in, merged with the entry points of installed packages, and imported when they are used.

A package adds a name by an entry point, in its `pyproject.toml`:

    [project.entry-points."deskmill.machines"]
    name = "package.module:attribute"

A plug-in that is broken never hinders the others: it is reported when its name is used.
"""

import difflib
import hashlib
import importlib
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.metadata import Distribution, entry_points, packages_distributions
from importlib.metadata import distribution as installed
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

from machines.errors import PluginError

Json = dict[str, Any]
T = TypeVar("T")


@dataclass(frozen=True)
class Plugin:
    """The declaration of a plug-in: its name, its place as `module:attribute`, and the package that declares it, if it is not built in."""

    name: str
    place: str
    package: str | None = None
    version: str | None = None

    def __str__(self) -> str:
        """Return the name and where it is declared."""
        return f"{self.name} ({self.declared})"

    @property
    def declared(self) -> str:
        """Return where it is declared."""
        return f"{self.place}, {f'package {self.package} {self.version}' if self.package else 'a module' if self.name == self.place else 'built in'}"

    def load(self) -> Any:
        """Import it; `PluginError` with its package and the error if that fails. A place that the user names may be in the folder of the user."""
        module, _, attributes = self.place.partition(":")
        if self.name == self.place:
            _look_here_too()
        try:
            found: Any = importlib.import_module(module)
            for attribute in attributes.split("."):
                found = getattr(found, attribute)
        except (Exception, SystemExit) as error:  # a module of somebody else's may raise anything
            remedy = "Correct or uninstall it" if self.package else "It is looked for among the installed packages and in this folder"
            raise PluginError(f"{self} cannot be imported: {type(error).__name__}: {error}. {remedy}") from error
        return found

    @property
    def identity(self) -> Json:
        """Return what a run with it depends on: its place, its package with the version, and a hash of its module's file. Import it if needed."""
        self.load()
        return {"place": self.place, "package": self.package, "version": self.version, "code": _hash_of_module(self.place.partition(":")[0])}


class Registry(Generic[T]):
    """The plug-ins of one kind. `what` is the word for one of them, `group` the name of their entry points."""

    def __init__(self, what: str, group: str, built_in: Mapping[str, str]) -> None:
        self.what = what
        self.group = group
        self._built_in = built_in

    @property
    def plugins(self) -> list[Plugin]:
        """Return all that are declared, built-in ones first; a name that is declared twice is there twice."""
        return [*self.built_in, *self._added]

    @property
    def built_in(self) -> list[Plugin]:
        """Return those of Deskmill itself."""
        return [Plugin(name, place) for name, place in self._built_in.items()]

    @property
    def names(self) -> list[str]:
        """Return the names that are declared."""
        return list(dict.fromkeys(plugin.name for plugin in self.plugins))

    @cached_property
    def _added(self) -> list[Plugin]:
        found = [Plugin(one.name, one.value, *_package(one.dist)) for one in entry_points(group=self.group)]
        return sorted(found, key=lambda plugin: (plugin.name, plugin.place))

    def plugin(self, name: str) -> Plugin:
        """Return the plug-in of a name, or of a place such as `package.module:attribute`; `PluginError` if there is none, or more than one."""
        if ":" in name:
            return Plugin(name, name, *_package_of_module(name.partition(":")[0]))
        found = [plugin for plugin in self.plugins if plugin.name == name]
        if len(found) > 1:
            raise PluginError(f"the {self.what} '{name}' is declared {len(found)} times: {_listed(found)}. Rename or uninstall all but one")
        if not found:
            near = difflib.get_close_matches(name, self.names, 1)
            hint = f"; did you mean '{near[0]}'?" if near else ""
            raise PluginError(f"there is no {self.what} '{name}'{hint}\nthere are: {_listed(self.plugins)}")
        return found[0]

    def __getitem__(self, name: str) -> T:
        """Import the plug-in of a name, or of a place, and return it; `PluginError` if that is not possible."""
        return cast("T", self.plugin(name).load())


def _look_here_too() -> None:
    """Let modules of this folder be imported, after all others: an installed command does not look there by itself."""
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)


def _listed(plugins: Iterable[Plugin]) -> str:
    return "; ".join(map(str, plugins))


def _package(distribution: Distribution | None) -> tuple[str | None, str | None]:
    return (None, None) if distribution is None else (distribution.name, distribution.version)


def _package_of_module(module: str) -> tuple[str | None, str | None]:
    """Return the package that installed a module and its version; None for a module that no package installed, such as a file of the user's."""
    names = _packages_by_module().get(module.partition(".")[0], [])
    return _package(installed(names[0])) if names else (None, None)


@cache
def _packages_by_module() -> Mapping[str, list[str]]:
    return packages_distributions()


def _hash_of_module(module: str) -> str | None:
    """Return a hash of the file of an imported module; None for one without a file."""
    file = sys.modules[module].__file__
    return hashlib.blake2b(Path(file).read_bytes(), digest_size=8).hexdigest() if file else None
