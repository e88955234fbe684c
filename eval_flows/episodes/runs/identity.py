"""Hashes of the code that decides the result of an episode: part of the identity of runs and proofs, so nobody has to raise a version.

Comments and docstrings are left out: better words there change no result.
"""

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

from machines.plugins import Registry

_EPISODES = Path(__file__).parents[1]
_MACHINES = _EPISODES.parents[1] / "machines"
# code that starts, records and lists episodes decides nothing, and the ids of episodes hold what they are composed of
_OF_AGENTS = ("agents", "people/intervention.py", "runs/play.py")
_TOLD = ("lines.py", "telling.py")  # of machines: the text that a model reads of a screen
_OF_CHECKS = (
    "agents/awaited.py",
    "agents/elements/ocr.py",
    "agents/oracle.py",
    "agents/screen_texts.py",
    "checkers",
    "environment",
    "proofs/proof.py",
    "tasks/changes.py",
    "tasks/fill.py",
    "tasks/makers",
    "tasks/task.py",
)
_OF_MACHINES = ("actions.py", "client.py", "guest", "hands.py", "observation.py", "trees")  # images and virtual disks have ids of their own
_OF_KINDS = {
    "sandbox": ("bubblewrap.py", "launch.sh", "sandbox.py", "shares.py"),
    "qemu": ("patient_client.py", "qemu.py"),
    "remote": ("remote",),
}
_KINDS = {".py", ".js", ".sh", ".yaml", ".j2"}
_OF_SINGLE_TASKS = ("examples", "oracles", "stand_ins")  # folders of `osworld`
_NAMED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@cache
def code_hashes(kind: str) -> Mapping[str, str]:
    """Return hashes of the code: `agents` decide, `checks` set up, do and judge a task, `machine` is the guest, its client and this kind of machine.

    Prompts are left out: they have their own hash, and simple agents have none. A kind of machine from a package has an identity of its own.
    """
    machine = [_MACHINES / name for name in (*_OF_MACHINES, *_OF_KINDS.get(kind, ()))]
    prompts = set((_EPISODES / "agents" / "prompts").glob("*.j2"))
    checks = [_EPISODES / name for name in _OF_CHECKS]
    of_agents = [*(_EPISODES / name for name in _OF_AGENTS), *(_MACHINES / name for name in _TOLD)]
    agents = [path for path in _files(of_agents) if path not in checks and path not in prompts]
    return {name: _hash(paths) for name, paths in (("agents", agents), ("checks", checks), ("machine", machine))}


def imported_code() -> Mapping[str, str]:
    """Return a hash of the code that sets up and judges imported tasks; runs of Deskmill's own suites do not depend on it.

    Oracles, files and examples are left out: each task has its own content of them.
    """
    folder = _EPISODES / "osworld"
    return {"imported": _hash([path for path in folder.iterdir() if path.name not in _OF_SINGLE_TASKS])}


def identity_of(registry: Registry[Any], name: str) -> Any:
    """Return what decides how a plug-in works: the name of a built-in one, whose code has its hash, or the place, version and code of another."""
    plugin = registry.plugin(name)
    return name if plugin.package is None and ":" not in name else plugin.identity


def _hash(paths: list[Path]) -> str:
    made_from = blake2b(digest_size=8)
    for path in sorted(set(_files(paths))):
        made_from.update(f"{path.relative_to(_EPISODES.parents[1])}\n".encode() + meaning(path) + b"\n")
    return made_from.hexdigest()


def _files(paths: list[Path]) -> Iterator[Path]:
    for path in paths:
        yield from (inner for inner in [path, *path.rglob("*")] if inner.is_file() and inner.suffix in _KINDS)


def meaning(path: Path) -> bytes:
    """Return the meaning of a file to the program: a syntax tree without docstrings for Python, the bytes for anything else."""
    return ast.dump(syntax_tree(path)).encode() if path.suffix == ".py" else path.read_bytes()


def syntax_tree(path: Path) -> ast.Module:
    """Return the syntax tree of a file of Python without its docstrings."""
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, _NAMED) and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:]
    return tree
