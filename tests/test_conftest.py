"""Protects how tests are run: a failure is the last thing printed, and each commit runs another part of what rotates."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.conftest import REPOSITORY, commit_number, of_other_commits

FAILING = """\
import duckdb

def test_that_fails(catalog):
    assert duckdb.connect().execute("select 1").fetchall() == []
"""


@pytest.mark.slow(minutes=0.1)
def test_nothing_is_printed_below_a_failure(tmp_path: Path) -> None:
    """DuckDB's bindings print pages of leaks where something that they made is never freed, as what the collector was told to leave alone."""
    (tmp_path / "test_failing.py").write_text(FAILING)
    command = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), str(tmp_path)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False, timeout=120)
    assert "test_that_fails" in done.stdout
    assert "1 failed" in done.stdout.splitlines()[-1], done.stdout  # pytest says more above this line where CI is set
    assert done.stderr == ""


def named(nodeid: str, **options: Any) -> Any:
    """A test with that id, and with the marker if it has options."""
    marker = SimpleNamespace(kwargs=options) if options else None
    return SimpleNamespace(nodeid=nodeid, get_closest_marker=lambda name: marker)


def test_each_commit_runs_another_part_of_a_family_and_all_of_them_run_the_whole() -> None:
    cases = [named(f"a.py::test[{name}]", number=2) for name in "abcde"]
    kinds = [named(f"b.py::test_{name}", of="kinds") for name in "xyz"]
    others = [named("c.py::test[a]"), named("c.py::test[b]")]
    everything = [*cases, *kinds, *others]
    run = [{one.nodeid for one in everything} - of_other_commits(everything, commit) for commit in range(15)]
    assert all({one.nodeid for one in others} <= ids for ids in run)
    assert all(sum(one.nodeid in ids for one in cases) == 2 and sum(one.nodeid in ids for one in kinds) == 1 for ids in run)
    assert set().union(*run) == {one.nodeid for one in everything} and len({frozenset(ids) for ids in run}) == 15
    assert of_other_commits(cases[:1], 3) == set(), "who asks for one by its name gets it"
    assert commit_number() == commit_number()
