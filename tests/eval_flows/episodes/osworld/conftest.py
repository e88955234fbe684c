"""Shared by the tests of imported tasks: a data folder of their own, in which suites are found."""

from pathlib import Path

import pytest

from warehouse.layout import DataFolder


@pytest.fixture
def own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DataFolder:
    """An empty data folder that the environment names."""
    monkeypatch.setenv("DESKMILL_DATA", str(tmp_path / "data"))
    return DataFolder.from_environment()
