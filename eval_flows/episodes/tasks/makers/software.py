"""Makers of software development: repositories of git, with the same commits each time."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from eval_flows.episodes.tasks.makers.maker import Makers
from machines.errors import MachineError

if TYPE_CHECKING:
    from eval_flows.episodes.environment.desktop import Desktop

_AUTHOR = ("Mara Lind", "mara@lab.example")
_FIRST, _BETWEEN = 1_767_261_600, 86_400  # seconds: 2026-01-01 10:00 UTC, and a day


def _repository(desktop: Desktop, asked: Any) -> None:
    script = "\n".join(_script(desktop.place(asked["path"]), asked["commits"]))
    done = desktop.client.execute(["bash", "-euc", script])
    if done["returncode"] != 0:
        raise MachineError(f"the repository {asked['path']} could not be made: {str(done['error'])[-500:]}")


def _script(path: str, commits: list[dict[str, Any]]) -> Iterator[str]:
    """Yield the lines that make the commits; the author is set in the repository, so that new commits have one too."""
    yield f"mkdir -p {shlex.quote(path)}; cd {shlex.quote(path)}; git init -q -b main"
    yield f"git config user.name '{_AUTHOR[0]}'; git config user.email {_AUTHOR[1]}; git config commit.gpgsign false"
    for number, commit in enumerate(commits):
        yield f"export GIT_AUTHOR_DATE='{_FIRST + number * _BETWEEN} +0000' GIT_COMMITTER_DATE='{_FIRST + number * _BETWEEN} +0000'"
        if "merge" in commit:
            yield f"git merge -q --no-ff -m {shlex.quote(commit['message'])} {shlex.quote(commit['merge'])}"
            continue
        branch = shlex.quote(commit.get("branch", "main"))
        if "branch" in commit:
            yield f"git checkout -q {branch} 2>/dev/null || git checkout -q -b {branch}"
        for name, text in commit.get("files", {}).items():
            yield _change(name, text)
        yield f"git commit -q --allow-empty -m {shlex.quote(commit['message'])}"
        if "branch" in commit:
            yield "git checkout -q main"


def _change(name: str, text: str | None) -> str:
    quoted = shlex.quote(name)
    if text is None:
        return f"git rm -q {quoted}"
    return f"mkdir -p $(dirname {quoted}); printf %s {shlex.quote(text)} > {quoted}; git add {quoted}"


MAKERS = Makers(of_state={"repository": _repository})
