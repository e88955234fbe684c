"""How many machines one host holds, and what a machine costs: memory, a ready machine, trajectories a minute, dollars a day.

OSGym (the reference) reports 1,024 replicas, 1,420 trajectories a minute, and 0.2 to 0.3 dollars a day a replica.
`python -m tests.bench_density --machines 60 --image desktop --program libreoffice_writer` holds so many machines at once, with the program open, and
asks all of them for observations: one after another, and each at times of its own, as agents do whose model thinks for `--thinks` seconds.
"""

import argparse
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import psutil  # type: ignore[import-untyped]

from machines.image import find_image
from machines.machine import MachineChoice
from tests.holding import Held, hold
from tests.timing import seconds_of
from warehouse.layout import DataFolder

_HELD = (("smoke", "mousepad", 200), ("desktop", "libreoffice_writer", 60))  # an image, a program, and how many 24 GB are to hold
_TOGETHER = 16  # machines that `make bench` holds at once
_OURS = 40.0  # MB a machine: the goal for the guest server and what drives it
_PRICE = {"gigabyte": 0.004, "processor": 0.03}  # dollars an hour, as usual clouds ask for machines that run all day
_OSGYM = {"trajectories": 1420 / 1024, "dollars": 0.25}  # a minute and a replica; a day and a replica
_RESETS = 9
Figure = tuple[str, float, str, str, float]


def figures() -> Iterator[Figure]:
    """Those of images that are built."""
    data = DataFolder.from_environment()
    for image, program, goal in _HELD:
        if not find_image(image, data.machines).is_built:
            continue
        held = hold(MachineChoice("sandbox", image, data.machines), program, _TOGETHER)
        yield f"memory_machine_{program}", held.machine, "MB", f"a part of 24 GB that {goal} machines share", 24 * 1024 / goal
        if image == "smoke":
            yield "memory_ours", held.server + held.driver, "MB", "the goal for what is ours of a machine: guest server and share of a worker", _OURS
            replicas = psutil.virtual_memory().total / 2**20 / (held.machine + held.driver)
            day = 24 * (_PRICE["gigabyte"] * psutil.virtual_memory().total / 2**30 + _PRICE["processor"] * psutil.cpu_count())
            yield (
                "machines_by_memory",
                replicas,
                "machines",
                f"the goal for this memory ({goal} in 24 GB)",
                goal * psutil.virtual_memory().total / 24 / 2**30,
            )
            price = f"{_PRICE['gigabyte']:g} dollars an hour for a gigabyte of memory, and {_PRICE['processor']:g} for a processor"
            yield "dollars_a_day_a_machine", day / replicas, "dollars", f"a replica of OSGym; ours at {price}", _OSGYM["dollars"]
    starts, ready = _ready(MachineChoice("sandbox", "smoke", data.machines)), _ready(MachineChoice("sandbox", "smoke", data.machines, {"ahead": "1"}))
    yield "ready_machine_from_pool", ready, "s", "a start of a machine", starts
    yield "trajectories_a_minute", _trajectories(data), "trajectories", "as many machines of OSGym", _OSGYM["trajectories"] * 2 * psutil.cpu_count()


def _ready(choice: MachineChoice) -> float:
    """Median seconds until a fresh machine answers, when the one before has worked for a while."""
    with choice.make() as machine:

        def fresh() -> None:
            machine.reset()
            machine.client.observe(["windows"])

        taken = []
        for _ in range(_RESETS):
            time.sleep(3.0)
            taken.append(seconds_of(fresh))
        return median(taken)


def _trajectories(data: DataFolder) -> float:
    """Trajectories a minute of the oracle over `smoke`, with two machines a processor."""
    from eval_flows.episodes.agents.choice import AgentChoice  # late: the workers of `hold` import this module too
    from eval_flows.episodes.runs.pipeline import EpisodeOptions, evaluate_episodes
    from tests.conftest import quiet

    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "machines").symlink_to(data.machines.resolve())
        options, played = EpisodeOptions(workers=2 * psutil.cpu_count(), repeats=4), DataFolder(Path(folder))
        begun = time.monotonic()
        run = evaluate_episodes("smoke", AgentChoice("oracle"), options, played, quiet)
        return 60 * len(run.rows) / (time.monotonic() - begun)


def told(number: int, program: str, thinks: float, held: Held) -> Iterator[str]:
    """Yield in words what was held."""
    yield f"{number} machines with {program}, all open after {held.opened:.0f} s"
    yield f"memory of each: {held.machine:.0f} MB, of which {held.server:.1f} MB are the guest server; {held.driver:.1f} MB in {held.workers} workers"
    for words, seconds in (("one after another", held.alone), (f"each every {thinks:.0f} s", held.thinking)):
        late = sum(one > 2.0 for one in seconds)
        yield f"observations {words}: median {median(seconds):.2f} s, longest {max(seconds):.2f} s, {late} of {len(seconds)} after more than 2 s"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--machines", type=int)
    parser.add_argument("--image", default="desktop")
    parser.add_argument("--program", default="libreoffice_writer")
    parser.add_argument("--thinks", type=float, default=10.0, help="seconds that a model takes between two looks (default: 10)")
    asked = parser.parse_args()
    if asked.machines:
        choice = MachineChoice("sandbox", asked.image, DataFolder.from_environment().machines)
        print("\n".join(told(asked.machines, asked.program, asked.thinks, hold(choice, asked.program, asked.machines, asked.thinks))))
    else:
        for name, value, unit, reference, reference_value in figures():
            print(f"{name}: {value:.3f} {unit}; {reference}: {reference_value:.3f}")
