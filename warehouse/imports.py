"""What a process of ours need not import: modules that it loads only at their first use, and modules that it does without."""

import contextlib
import sys
from collections.abc import Collection, Iterator, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import LazyLoader
from types import ModuleType


class _Delayed(MetaPathFinder):
    """Finds modules so that they load at the first use of one of their attributes."""

    def __init__(self, names: Collection[str]) -> None:
        self._names = names

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        found = PathFinder.find_spec(name, path) if name in self._names else None
        if found is not None and found.loader is not None:
            found.loader = LazyLoader(found.loader)
        return found


class _Refused(MetaPathFinder):
    """Finds nothing, and says that some packages are not installed."""

    def __init__(self, names: Collection[str]) -> None:
        self._names = names

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> None:
        if name in self._names:
            raise ModuleNotFoundError(f"this process does without {name}", name=name)


def load_when_used(*names: str) -> None:
    """From now on, import these modules only when one of their attributes is used."""
    sys.meta_path.insert(0, _Delayed(names))


@contextlib.contextmanager
def without(*names: str) -> Iterator[None]:
    """Refuse to import these packages in a block. Libraries that can do without them then take them for not installed."""
    refusing = _Refused(names)
    sys.meta_path.insert(0, refusing)
    try:
        yield
    finally:
        sys.meta_path.remove(refusing)
