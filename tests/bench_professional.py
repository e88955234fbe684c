"""Figures of the image `professional`: its size, how long it takes to make where it is not there yet, and how long until each program is ready."""

import subprocess
from collections.abc import Iterator
from statistics import median

from eval_flows.episodes.environment import Environment
from eval_flows.episodes.tasks.task import Task, TaskStep
from machines.build import build_image
from machines.image import Image, find_image
from machines.machine import MachineChoice
from tests.timing import seconds_of
from warehouse.layout import DataFolder

_RESETS = 3
_REFERENCE = "mousepad"
_NO_PROGRAM = frozenset({"thunar", "xfce4-terminal", "chromium", _REFERENCE})  # they serve the others
Figure = tuple[str, float, str, str, float]


def figures() -> Iterator[Figure]:
    """Yield the size beside the small image's, and the seconds from a reset to a ready program beside those of a text editor."""
    machines = DataFolder.from_environment().machines
    small = build_image("smoke", machines, lambda _: None)
    if not find_image("professional", machines).is_built:
        minutes = seconds_of(lambda: build_image("professional", machines, lambda _: None)) / 60
        yield "build_image_professional", minutes, "min", "the most that CI may take", 25
    image = find_image("professional", machines)
    yield "size_image_professional", _gigabytes(image), "GB", "the image smoke", _gigabytes(small)
    reference = _ready(image, _REFERENCE)
    for program in sorted(set(image.programs) - _NO_PROGRAM):
        yield f"ready_{program}", _ready(image, program), "s", f"{_REFERENCE} on the same image", reference


def _gigabytes(image: Image) -> float:
    """Return the gigabytes that the root file system takes on disk."""
    told = subprocess.run(["du", "--summarize", "--block-size=1000", str(image.root)], capture_output=True, text=True, check=True)
    return int(told.stdout.split()[0]) / 1e6


def _ready(image: Image, program: str) -> float:
    """Return the median seconds from a reset of the machine until the program's window is there and the screen is still."""
    step = TaskStep(task="bench.open", application=program, program=program, setup=(), preload=(), oracle=(), check=())
    task = Task(level="L1", discipline="", instruction="Open it.", values={}, steps=(step,))
    with Environment(MachineChoice("sandbox", image.name, image.machines).make()) as environment:
        return median(seconds_of(lambda: environment.reset(task)) for _ in range(_RESETS))


if __name__ == "__main__":
    for name, value, unit, reference, reference_value in figures():
        print(f"{name}: {value:.3f} {unit}; {reference}: {reference_value:.3f}")
