"""A built image and a running sandbox, shared where a test does not spoil it."""

from collections.abc import Iterator

import pytest

from machines.image import Image, build_image, find_image
from machines.sandbox import Limits, Sandbox
from tests.conftest import REPOSITORY


@pytest.fixture(scope="session")
def image() -> Image:
    """The small image, made once for all tests of this checkout."""
    found = find_image("smoke", REPOSITORY / "data" / "machines")
    build_image(found, print)
    return found


@pytest.fixture(scope="module")
def machine(image: Image) -> Iterator[Sandbox]:
    """One sandbox for the tests of a module, with limits that hostile tests reach quickly."""
    with Sandbox(image, Limits(processes=120, memory_mb=600, disk_mb=64)) as running:
        yield running
