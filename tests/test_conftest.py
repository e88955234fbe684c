"""Protects what a person reads after the tests: a failure is the last thing printed."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY

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
