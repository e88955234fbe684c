"""Shared by the tests of episodes: a data folder with the small image in it, and suites of one's own."""

from collections.abc import Callable
from pathlib import Path

import pytest

from eval_flows.episodes.tasks import suite as suites
from machines.image import Image
from warehouse.layout import DataFolder

Listed = Callable[..., str]
HEAD = "title: Small\ndescription: Small.\nimage: smoke\nseed: 7\nepisodes:\n"


@pytest.fixture
def data(image: Image, tmp_path: Path) -> DataFolder:
    """A data folder of the test's own, with the image that all share."""
    found = DataFolder(tmp_path / "data")
    found.root.mkdir()
    found.machines.symlink_to(image.machines)
    return found


@pytest.fixture
def listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Listed:
    """Lists episodes as the suite `small`; its name."""
    monkeypatch.setattr(suites, "SUITES", tmp_path)

    def write(*lines: str, head: str = HEAD) -> str:
        (tmp_path / "small.yaml").write_text(head + "".join(f"  - {line}\n" for line in lines))
        return "small"

    return write
