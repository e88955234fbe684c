"""How the wall time of episodes falls with machines: measured with 1, 2 and 4 on this host, and by a simulation for 10 and 50 hosts.

The model is a server that answers in two seconds, and the agent waits five steps for it. Windows Agent Arena plays its 154 tasks in 20 minutes on
about 50 machines (Section 4). The simulation takes the measured seconds of episodes of one machine, gives each free machine the next task, and adds
nothing for a network: it is arithmetic, and says what the shape of the work allows.
"""

import heapq
import random
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from eval_flows.episodes.agents.choice import AgentChoice
from eval_flows.episodes.runs.pipeline import EpisodeOptions, evaluate_episodes
from language_models.endpoint import Endpoint
from tests.conftest import quiet
from tests.language_models.fake_server import fake_server
from warehouse.layout import DataFolder

_LATENCY = 2.0  # seconds
_STEPS = 5
_TASKS, _MINUTES = 154, 20.0  # of Windows Agent Arena, on some 50 machines
Figure = tuple[str, float, str, str, float]


def figures() -> Iterator[Figure]:
    """Those of this host, each beside one machine, and those of the simulation, beside Windows Agent Arena."""
    walls: dict[int, float] = {}
    seconds: list[float] = []
    for machines in (1, 2, 4):
        walls[machines], played = _played(machines)
        seconds = seconds or played
        yield f"smoke_with_{machines}_machines", walls[machines], "s", "one machine", walls[1]
    for hosts in (10, 50):
        yield f"simulated_{_TASKS}_tasks_on_{hosts}_hosts", simulated(seconds, _TASKS, hosts) / 60, "min", "Windows Agent Arena on 50", _MINUTES


def simulated(seconds: Sequence[float], tasks: int, machines: int, seed: int = 0) -> float:
    """Return the seconds until the last of so many tasks ends, each of a length drawn from those measured, and given to the first free machine."""
    draw = random.Random(seed)
    free = [0.0] * machines
    for _ in range(tasks):
        heapq.heapreplace(free, free[0] + draw.choice(seconds))
    return max(free)


def _played(machines: int) -> tuple[float, list[float]]:
    """Return the seconds that `smoke` takes with so many machines, and those of each episode."""

    def reply(request: dict[str, Any]) -> str:
        step = int(request["messages"][1]["content"].partition("Step ")[2].partition(" of")[0])
        return "```decision\nDONE\n```" if step == _STEPS else "```decision\nWAIT\n```"

    with tempfile.TemporaryDirectory() as folder, fake_server(reply, _LATENCY) as server:
        (Path(folder) / "machines").symlink_to(DataFolder.from_environment().machines.resolve())
        options = EpisodeOptions(workers=machines, endpoint=Endpoint("m", server.base_url))
        begun = time.monotonic()
        run = evaluate_episodes("smoke", AgentChoice("model", model="m"), options, DataFolder(Path(folder)), quiet)
        return time.monotonic() - begun, [row["seconds"] for row in run.rows]


if __name__ == "__main__":
    for name, value, unit, reference, reference_value in figures():
        print(f"{name}: {value:.2f} {unit}; {reference}: {reference_value:.2f}")
