"""Packages that a runner needs and that an extra of Deskmill installs."""

from importlib.util import find_spec

from runners.errors import RunnerError


def needed(module: str, extra: str) -> None:
    """Raise `RunnerError` if the module is not installed, and name the extra that installs it."""
    if find_spec(module) is None:
        raise RunnerError(f"the runner '{extra}' needs a package that is not installed: pip install 'deskmill[{extra}]'")
