"""Getters of software development: what programs print, and what a repository of git holds.

A program runs on the machine, in a copy of its folder outside of home, so that a look changes nothing. A repository is fetched and read on this host.
"""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eval_flows.episodes.checkers.checker import Checkers
from eval_flows.episodes.checkers.getters import path_of

if TYPE_CHECKING:
    from dulwich.objects import Commit
    from dulwich.repo import Repo

    from eval_flows.episodes.environment.desktop import Desktop

Json = dict[str, Any]
_SECONDS = 20
_COPY = "/tmp/deskmill-check"
_MOST_BYTES, _MOST_FILES = 20_000_000, 3_000  # of a repository
_MOST_PRINTED = 20_000


def _output(desktop: Desktop, asked: Json) -> str:
    folder = shlex.quote(desktop.place(asked["folder"]))
    script = (
        f"rm -rf {_COPY} && cp -r {folder} {_COPY} && cd {_COPY} && printf %s {shlex.quote(str(asked.get('input', '')))} "
        f"| timeout {_SECONDS} bash -c {shlex.quote(str(asked['command']))} 2>&1 | head -c {_MOST_PRINTED}"
    )
    return str(desktop.client.execute(["bash", "-c", script])["output"])


def _repository(desktop: Desktop, asked: Json) -> Any:
    root = desktop.place(path_of(asked))
    with tempfile.TemporaryDirectory() as folder:
        _fetch(desktop, root, Path(folder))
        if not (Path(folder) / ".git").is_dir():
            return None
        try:
            return _read(Path(folder), str(asked["what"]))
        except Exception:  # a damaged repository is the agent's doing, and raises a dozen kinds of errors
            return None


def _fetch(desktop: Desktop, root: str, folder: Path) -> None:
    """Copy the files of a repository from the machine, without what is too much for one of these tasks."""
    left, files = _MOST_BYTES, 0
    for path in _paths(desktop.client.listing(root) or [], ""):
        content = desktop.client.file(f"{root}/{path}")
        files += 1
        if content is None or files > _MOST_FILES or (left := left - len(content)) < 0:
            continue
        target = (folder / path).resolve()
        if target.is_relative_to(folder.resolve()):
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)


def _paths(entries: list[Json], before: str) -> Iterator[str]:
    for entry in entries:
        path = f"{before}{entry['name']}"
        if entry.get("children") is not None:
            yield from _paths(entry["children"], f"{path}/")
        elif "target" not in entry and entry["name"] not in ("config", "hooks"):  # what git would run is not fetched
            yield path


def _read(folder: Path, what: str) -> Any:
    from dulwich import porcelain
    from dulwich.repo import Repo

    (folder / ".git" / "config").write_text("[core]\n\trepositoryformatversion = 0\n")
    kind, _, rest = what.partition(".")
    with Repo(str(folder)) as repository:
        heads = sorted(name.decode() for name in porcelain.branch_list(repository))
        if kind == "branch":
            return bytes(porcelain.active_branch(repository)).decode()
        if kind == "branches":
            return heads
        if kind == "tags":
            return sorted(name.decode() for name in porcelain.tag_list(repository))
        if kind == "uncommitted":
            return _uncommitted(porcelain.status(repository))
        return _of_commit(repository, kind, rest)


def _of_commit(repository: Repo, kind: str, rest: str) -> Any:
    name, _, more = rest.partition(":")
    newest = _commit(repository, b"refs/tags/" + name.encode() if kind == "tagged" else b"refs/heads/" + name.encode() if name else b"HEAD")
    if kind == "subjects":
        return [_subject(entry.commit) for entry in repository.get_walker(include=[newest.id])]
    if kind == "contains":
        return any(_subject(entry.commit) == more for entry in repository.get_walker(include=[newest.id]))
    found: dict[str, Callable[[], Any]] = {
        "message": lambda: newest.message.decode(errors="replace").strip(),
        "author": lambda: newest.author.decode(errors="replace"),
        "parents": lambda: len(newest.parents),
        "files": lambda: sorted(path.decode() for path, _ in _files(repository, newest)),
        "file": lambda: next((text for path, text in _files(repository, newest) if path.decode() == more), b"").decode(errors="replace"),
        "tagged": lambda: _subject(newest),
    }
    return found[kind]()


def _commit(repository: Repo, reference: bytes) -> Commit:
    """Return the commit of a branch or of a tag, also of one with a message."""
    from dulwich.objects import Commit, Tag

    found = repository[reference]
    if isinstance(found, Tag):
        found = repository[found.object[1]]
    assert isinstance(found, Commit)
    return found


def _subject(commit: Commit) -> str:
    return str(commit.message.decode(errors="replace")).strip().partition("\n")[0]


def _files(repository: Repo, commit: Commit) -> Iterator[tuple[bytes, bytes]]:
    for entry in repository.object_store.iter_tree_contents(commit.tree):
        yield entry.path, repository[entry.sha].as_raw_string()


def _uncommitted(status: Any) -> list[str]:
    staged = [path for paths in status.staged.values() for path in paths]
    names = {one.decode() if isinstance(one, bytes) else str(one) for one in (*staged, *status.unstaged, *status.untracked)}
    return sorted(names)


CHECKERS = Checkers(of_desktop={"output": _output, "repository": _repository})
