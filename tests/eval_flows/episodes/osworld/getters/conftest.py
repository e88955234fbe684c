"""Shared by the tests of getters: a machine that is a folder of this host."""

from pathlib import Path

import pytest

from tests.eval_flows.episodes.osworld.getters.guests import FolderGuest


@pytest.fixture
def guest(tmp_path: Path) -> FolderGuest:
    (tmp_path / "home").mkdir()
    return FolderGuest(tmp_path)
