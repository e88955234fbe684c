"""Figures of the server: many sessions at once on this host, by the oracle through HTTP, beside the same episodes in processes of this host.

    python -m tests.bench_serve [EPISODES [SESSIONS]]

`make bench` has them for a few episodes of `smoke`, all of which the processes play too. What follows is of the command.

Three in four episodes are of `smoke`, the others of `desktop`. Both images have to be built. Before and after, the processes, open files,
threads, mounts and memory of the server are counted. The processes play every fifth episode, at as many at once.
"""

import os
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil  # type: ignore[import-untyped]

from eval_flows.episodes.agents.choice import AgentChoice, Setting, make_agent
from eval_flows.episodes.environment import Environment
from eval_flows.episodes.runs.play import play
from eval_flows.episodes.runs.workers import Ask, supervised
from eval_flows.episodes.tasks.suite import tasks_of
from eval_flows.episodes.tasks.task import Task
from machines.machine import MachineChoice, Offers
from tests.eval_flows.episodes.serving.conftest import TOKEN, running
from tests.eval_flows.episodes.serving.oracle import Played, play_all
from tests.eval_flows.episodes.serving.test_life import guests, held, processes_of_sessions
from warehouse.layout import DataFolder

EPISODES, SESSIONS = 200, 16
_EVERY = 5
_FEW = 20  # episodes of `make bench`
_FEW_SESSIONS = 4
_JOB_SECONDS = 1800.0
Figure = tuple[str, float, str, str, float]


@dataclass
class Held:
    """What a server holds: sessions' processes and machines, open files, threads, mounts of the host, and megabytes."""

    process: psutil.Process
    most_machines: int = 0
    watched: threading.Event = field(default_factory=threading.Event)

    def __str__(self) -> str:
        """The counts in words."""
        sessions, files, threads, mounts = held(self.process.pid)
        machines, megabytes = len(guests(self.process.pid)), self.process.memory_info().rss / 2**20
        return f"{sessions} processes of sessions, {machines} machines, {files} files, {threads} threads, {mounts} mounts, {megabytes:.0f} MB"

    def watch(self) -> None:
        """Keep the largest number of sessions' processes until `watched` is set."""
        while not self.watched.wait(1):
            self.most_machines = max(self.most_machines, len(processes_of_sessions(self.process.pid)))


def in_processes(job: tuple[Task, MachineChoice], ask: Ask) -> tuple[float, int]:
    """Play one episode in a worker, as a run does; its reward and its steps."""
    task, choice = job
    with Environment(choice.make()) as environment:
        played = play(environment, task, make_agent(Setting(task, environment, 1, AgentChoice("oracle"), ask)), "preloaded", False)
    return played.reward.value, len(played.steps)


def chosen(suite: str, number: int) -> list[Task]:
    """So many episodes of a suite, spread over it, and again from its beginning if it has fewer."""
    tasks = tasks_of(suite)
    return list(islice(cycle(tasks[:: max(1, len(tasks) // max(1, number))]), number))


def figures() -> Iterator[Figure]:
    """Steps and episodes through the server, each beside the same episodes in processes. An oracle at its other end counts more steps: it sends WAIT."""
    by_suite = [("smoke", chosen("smoke", _FEW))]
    machines = DataFolder.from_environment().machines
    with served(machines) as data, server_of(data, by_suite, _FEW_SESSIONS) as (_, address):
        played, seconds = through_server(address, data, by_suite, _FEW_SESSIONS)
    results, alone = by_processes(by_suite, machines, _FEW_SESSIONS, every=1)
    if any(one.reward != 1 for one in played) or any(reward != 1 for reward, _ in results):
        raise RuntimeError("the oracle did not earn 1 in every episode: these figures are of something else")
    reference, steps = f"the same in {_FEW_SESSIONS} processes of this host", sum(one.steps for one in played)
    yield "served_steps_per_second", steps / seconds, "steps/s", reference, sum(steps for _, steps in results) / alone
    yield "served_episodes_a_minute", 60 * len(played) / seconds, "episodes", reference, 60 * len(results) / alone


@contextmanager
def served(machines: Path) -> Iterator[DataFolder]:
    """A data folder with images of machines and nothing else."""
    with TemporaryDirectory() as folder:
        data = DataFolder(Path(folder))
        data.machines.symlink_to(machines.resolve())
        yield data


@contextmanager
def server_of(data: DataFolder, by_suite: Sequence[tuple[str, list[Task]]], sessions: int) -> Iterator[tuple[psutil.Process, str]]:
    """A server in a process of its own, and its address; what it loads once is loaded."""
    with running(data.root, "--sessions", str(sessions)) as (process, address):
        for suite, tasks in by_suite:
            play_all(address, TOKEN, suite, tasks[:1], offers(data, suite), 1)
        yield psutil.Process(process.pid), address


def through_server(address: str, data: DataFolder, by_suite: Sequence[tuple[str, list[Task]]], sessions: int) -> tuple[list[Played], float]:
    """Play through a server; what was played, and the seconds."""
    begun = time.perf_counter()
    played = [one for suite, tasks in by_suite for one in play_all(address, TOKEN, suite, tasks, offers(data, suite), sessions)]
    return played, time.perf_counter() - begun


def by_processes(
    by_suite: Sequence[tuple[str, list[Task]]], machines: Path, workers: int, every: int = _EVERY
) -> tuple[list[tuple[float, int]], float]:
    """Play one of so many episodes in processes of this host; their rewards and steps, and the seconds."""
    jobs = [(task, MachineChoice("sandbox", suite, machines)) for suite, tasks in by_suite for task in tasks[::every]]
    begun = time.perf_counter()
    done = list(supervised(jobs, in_processes, workers, _JOB_SECONDS))
    return [one.result or (0.0, 0) for one in done], time.perf_counter() - begun


def through_watched_server(data: DataFolder, by_suite: Sequence[tuple[str, list[Task]]], sessions: int) -> tuple[list[Played], float]:
    """Play through a server, and print what it holds before and after."""
    with server_of(data, by_suite, sessions) as (process, address):
        held = Held(process)
        print(f"before: {held}", flush=True)
        watching = threading.Thread(target=held.watch)
        watching.start()
        spent = sum(held.process.cpu_times()[:2])
        played, seconds = through_server(address, data, by_suite, sessions)
        held.watched.set()
        watching.join()
        own = sum(held.process.cpu_times()[:2]) - spent
        time.sleep(20)  # connections that clients have closed are closed here too, and threads that wait for work end
        print(f"after: {held}; at most {held.most_machines} machines at once; {own:.0f} s of the server's own processor time in {seconds:.0f} s")
    return played, seconds


def offers(data: DataFolder, suite: str) -> Offers:
    """What the machine of a suite offers."""
    return MachineChoice("sandbox", suite, data.machines).offers


def pace(episodes: int, steps: int, seconds: float) -> str:
    """The figures in words. An oracle at the other end of a server counts more steps: where it waits it sends WAIT."""
    return f"{steps} steps in {seconds:.0f} s, {steps / seconds:.2f} steps/s, {episodes / seconds * 60:.1f} episodes a minute"


def main(episodes: int = EPISODES, sessions: int = SESSIONS) -> None:
    """Print the figures."""
    print(f"load {os.getloadavg()}, {os.cpu_count()} processors", flush=True)
    of_desktop = episodes // 4
    by_suite = [("smoke", chosen("smoke", episodes - of_desktop)), ("desktop", chosen("desktop", of_desktop))]
    machines = DataFolder.from_environment().machines
    with served(machines) as data:
        played, seconds = through_watched_server(data, by_suite, sessions)
    steps = sum(one.steps for one in played)
    earned = sum(one.reward == 1 for one in played)
    print(f"served: {earned} of {len(played)} earned 1; {pace(len(played), steps, seconds)}", flush=True)
    for one in played:
        if one.reward != 1:
            print(f"    {one.task.episode_id} {one.reward} {one.end} {one.task.instruction:.100}")
    results, seconds = by_processes(by_suite, machines, sessions)
    steps = sum(steps for _, steps in results)
    print(f"in processes: {sum(reward == 1 for reward, _ in results)} of {len(results)} earned 1; {pace(len(results), steps, seconds)}")
    print(f"load {os.getloadavg()}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
