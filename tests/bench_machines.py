"""Figures of virtual machines beside sandboxes, on the small image, which is made if it is not there: resets, a step, and memory.

Left out where QEMU is not installed.
"""

import shutil
from collections.abc import Iterator
from statistics import median

import psutil  # type: ignore[import-untyped]

from eval_flows.episodes.environment import Environment
from eval_flows.episodes.tasks.suite import tasks_of
from machines.actions import Action
from machines.image import Image
from machines.machine import Machine
from machines.qemu import VirtualMachine
from machines.qemu_build import build_disk
from machines.qemu_image import QEMU
from machines.sandbox import Sandbox
from tests.timing import seconds_of
from warehouse.layout import DataFolder

_RESETS = 15
_STEPS = 10
Figure = tuple[str, float, str, str, float]


def figures() -> Iterator[Figure]:
    """Each beside the same figure of a sandbox, but for memory, which is beside the memory that the machine has."""
    if shutil.which(QEMU) is None:
        return
    disk = build_disk("smoke", DataFolder.from_environment().machines, lambda _: None)
    resets = [_reset(kind(disk.image)) for kind in (VirtualMachine, Sandbox)]
    yield "reset_virtual_machine", resets[0], "s", "a reset of a sandbox", resets[1]
    steps = [_step(kind(disk.image)) for kind in (VirtualMachine, Sandbox)]
    yield "step_overhead_virtual_machine", steps[0], "s", "a step in a sandbox", steps[1]
    yield "memory_virtual_machine", _memory(disk.image), "MB", "the memory that it has", disk.made.memory_mb


def _reset(machine: Machine) -> float:
    """Median seconds until a machine that runs is at its snapshot and has answered with a picture and its windows."""

    def reset() -> None:
        machine.reset()
        machine.client.observe(["screenshot", "windows"])

    with machine:
        return median(seconds_of(reset) for _ in range(_RESETS))


def _step(machine: Machine) -> float:
    """Median seconds of typing a letter into a text editor, with the observation that follows."""
    with Environment(machine, sees=("screenshot",)) as environment:
        environment.reset(tasks_of("smoke")[0])
        return median(seconds_of(lambda: environment.step(Action("write", {"text": "a"}))) for _ in range(_STEPS))


def _memory(image: Image) -> float:
    """Megabytes that a machine holds for itself after its first observation."""
    with VirtualMachine(image) as machine:
        machine.client.observe(["screenshot", "tree", "windows"])
        own = next(one for one in psutil.Process().children(recursive=True) if one.name().startswith("qemu"))
        return float(own.memory_full_info().uss) / 2**20


if __name__ == "__main__":
    for name, value, unit, reference, reference_value in figures():
        print(f"{name}: {value:.3f} {unit}; {reference}: {reference_value:.3f}")
