"""A running sandbox, shared where a test does not spoil it."""

from collections.abc import Iterator

import pytest

from machines.image import Image
from machines.sandbox import Limits, Sandbox


@pytest.fixture(scope="module")
def machine(image: Image) -> Iterator[Sandbox]:
    """One sandbox for the tests of a module, with limits that hostile tests reach quickly."""
    with Sandbox(image, Limits(processes=120, memory_mb=600, disk_mb=64)) as running:
        yield running
