"""Hashes of the code that decides the result of an episode: part of the identity of runs and proofs, so nobody has to raise a version.

Comments and docstrings are left out: better words there change no result.
"""

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import blake2b
from pathlib import Path

_EPISODES = Path(__file__).parent
_MACHINES = _EPISODES.parents[1] / "machines"
# the code that starts, records and lists episodes decides nothing: the ids of episodes hold what they are made of
_APART = frozenset(
    f"{name}.py"
    for name in (
        "answering", "compose", "flow", "identity", "instruct", "pin", "pipeline", "prove_task", "proving", "publish", "run", "suite", "try_task",
        "workers",
    )
)  # fmt: skip
_OF_AGENTS = ("agents", "prompts", "play.py")  # prompts have their own hash, and simple agents have no prompts
_OF_OTHER_IDENTITY = ("suites", "build.py", "home", "image.py", "packages.py")  # episodes have ids, and so have images
_KINDS = {".py", ".sh", ".yaml", ".j2"}
_NAMED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@cache
def code_hashes() -> Mapping[str, str]:
    """Return hashes of the code: `agents` run an episode, `checks` make, do and judge it, `machine` is the guest and its client."""
    agents = [_EPISODES / name for name in _OF_AGENTS if name != "prompts"]
    checks = [path for path in _EPISODES.iterdir() if path.name not in {*_APART, *_OF_AGENTS, *_OF_OTHER_IDENTITY}]
    machine = [path for path in _MACHINES.iterdir() if path.name not in _OF_OTHER_IDENTITY]
    return {name: _hash(paths) for name, paths in (("agents", agents), ("checks", checks), ("machine", machine))}


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
    if path.suffix != ".py":
        return path.read_bytes()
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, _NAMED) and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:]
    return ast.dump(tree).encode()
