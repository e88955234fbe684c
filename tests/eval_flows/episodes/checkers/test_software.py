"""Protects what developers' jobs are checked by: repositories are read as git wrote them, and programs run without a trace."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from eval_flows.episodes.checkers.getters import get
from eval_flows.episodes.checkers.software import _read
from eval_flows.episodes.environment import Environment
from eval_flows.episodes.tasks.makers.maker import make
from eval_flows.episodes.tasks.makers.software import _script
from eval_flows.episodes.tasks.suite import tasks_of
from machines.image import Image
from machines.machine import MachineChoice

COMMITS: list[dict[str, Any]] = [
    {"message": "First\n\nWith a body.", "files": {"a.txt": "one\n", "sub/b.txt": "two\n"}},
    {"message": "On a branch", "branch": "side", "files": {"c.txt": "three\n"}},
    {"message": "Without b", "files": {"sub/b.txt": None}},
    {"message": "Join", "merge": "side"},
]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository as the maker makes it, with a tag of each kind, and two files that are not committed."""
    path = tmp_path / "made"
    more = ["git tag light HEAD~1", "git tag -a full -m note", "echo more >> a.txt", "echo new > d.txt"]
    subprocess.run(["bash", "-euc", "\n".join([*_script(str(path), COMMITS), *more])], check=True, capture_output=True)
    return path


@pytest.mark.parametrize(
    ("what", "expected"),
    [
        ("branch", "main"),
        ("branches", ["main", "side"]),
        ("tags", ["full", "light"]),
        ("subjects.side", ["On a branch", "First"]),
        ("message.main", "Join"),
        ("author.side", "Mara Lind <mara@lab.example>"),
        ("parents.main", 2),
        ("parents.side", 1),
        ("files.main", ["a.txt", "c.txt"]),
        ("files.side", ["a.txt", "c.txt", "sub/b.txt"]),
        ("file.side:sub/b.txt", "two\n"),
        ("tagged.full", "Join"),
        ("tagged.light", "Without b"),
        ("contains.main:On a branch", True),
        ("contains.side:Without b", False),
        ("uncommitted", ["a.txt", "d.txt"]),
    ],
)
def test_a_repository_is_read_as_git_wrote_it(repository: Path, what: str, expected: object) -> None:
    assert _read(repository, what) == expected


def test_a_repository_is_the_same_each_time(tmp_path: Path) -> None:
    def newest(path: Path) -> str:
        subprocess.run(["bash", "-euc", "\n".join(_script(str(path), COMMITS))], check=True, capture_output=True)
        return subprocess.run(["git", "-C", str(path), "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout

    assert newest(tmp_path / "one") == newest(tmp_path / "other")


@pytest.mark.slow
def test_a_program_runs_in_a_copy_of_its_folder(image: Image) -> None:
    with Environment(MachineChoice("sandbox", "smoke", image.machines).make(), ()) as environment:
        environment.reset(tasks_of("smoke")[0])
        make(environment.desktop, {"text": {"path": "Projects/a.sh", "content": "read word; echo $word $1; touch here\n"}})
        asked = {"folder": "Projects", "command": "sh a.sh there; ls", "input": "hello\n"}
        assert get(environment.desktop, "output", asked) == "hello there\na.sh\nhere\n"
        assert get(environment.desktop, "names", "Projects") == ["a.sh"], "the folder itself is as before"
        assert get(environment.desktop, "output", {"folder": "Nowhere", "command": "ls"}) == ""
