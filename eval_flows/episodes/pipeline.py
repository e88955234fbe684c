"""Evaluating an agent on a suite: reading the suite, building what it runs on, playing, and loading the warehouse."""

import asyncio
import contextlib
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from atomic_tasks.catalog import sound_catalog
from atomic_tasks.problems import BadInput
from eval_flows.episodes.agents.choice import SIMPLE, AgentChoice
from eval_flows.episodes.run import Plan, Progress, Row, run_episodes, valid_programs
from eval_flows.episodes.suite import Suite, read_suite, suite_episodes
from eval_flows.episodes.workers import Answer, Reply
from language_models.client import Client
from language_models.endpoint import Endpoint
from language_models.errors import ModelError
from machines.errors import MachineNeeds
from machines.image import Image, find_image
from machines.sandbox import check_host
from warehouse.layout import DataFolder
from warehouse.loader import load_warehouse

_MODEL_LOOP_SECONDS = 10.0


@dataclass(frozen=True)
class EpisodeOptions:
    """How a suite is run."""

    workers: int = 2
    repeats: int = 1
    bare: bool = False
    limit: int | None = None
    levels: tuple[str, ...] = ()
    endpoint: Endpoint | None = None
    budget: float | None = None


@dataclass(frozen=True)
class SuiteRun:
    """A run of a suite that ended."""

    run_id: str
    rows: list[Row]


def evaluate_episodes(suite_name: str, agent: AgentChoice, options: EpisodeOptions, data: DataFolder, progress: Progress) -> SuiteRun:
    """Run an agent over a suite; what cannot be is said before anything starts."""
    plan = planned_run(suite_name, agent, options, data)
    with _answers(options, plan.run_id, data) as answer:
        rows = run_episodes(plan, data, options.workers, progress, answer)
    load_warehouse(data)
    return SuiteRun(plan.run_id, rows)


def planned_run(suite_name: str, agent: AgentChoice, options: EpisodeOptions, data: DataFolder) -> Plan:
    """The run that is asked for; BadInput or MachineNeeds for what it lacks."""
    suite, catalog = read_suite(suite_name), sound_catalog()
    episodes = suite_episodes(suite, catalog)
    chosen = [one for one in episodes if not options.levels or one.episode.level in options.levels][: options.limit]
    if agent.model is None and agent.name not in SIMPLE:
        raise BadInput(f"there is no agent '{agent.name}': use {', '.join(SIMPLE)}, or a model with --model")
    if not chosen:
        raise BadInput(f"suite {suite_name} has no episodes of level {', '.join(options.levels)}")
    image = ready_image(suite, data)
    valid = {one.episode.episode_id: valid_programs(one, catalog, image) for one in chosen}
    return Plan(suite_name, [one.episode.episode_id for one in episodes], chosen, valid, agent, image, options.bare, options.repeats)


def ready_image(suite: Suite, data: DataFolder) -> Image:
    """The image that a suite runs on; MachineNeeds for what the host lacks, or where it is not built."""
    check_host()
    image = find_image(suite.image, data.machines)
    if not image.is_built:
        raise MachineNeeds(f"the image '{suite.image}' is not built yet: deskmill machine build {suite.image}")
    return image


@contextlib.contextmanager
def _answers(options: EpisodeOptions, run_id: str, data: DataFolder) -> Iterator[Answer | None]:
    """What answers the workers that ask the model: one client for all of them, made, used and closed on a thread of its own."""
    if options.endpoint is None:
        yield None
        return
    endpoint, there = options.endpoint, Future[tuple[Client, asyncio.AbstractEventLoop, asyncio.Event]]()

    async def live(client: Client) -> None:
        end = asyncio.Event()
        there.set_result((client, asyncio.get_running_loop(), end))
        await end.wait()

    def serve() -> None:
        try:
            with Client(endpoint, data.model_calls, run_id, budget=options.budget) as client:
                client.run(live(client))
        except Exception as error:
            if there.done():
                raise
            there.set_exception(error)

    thread = threading.Thread(target=serve, name="model", daemon=True)
    thread.start()
    client, loop, end = there.result()

    def answer(question: Any, reply: Reply) -> None:
        asked = asyncio.run_coroutine_threadsafe(client.ask(question), loop)
        asked.add_done_callback(lambda done: reply(_said(done)))

    try:
        yield answer
    finally:
        loop.call_soon_threadsafe(end.set)
        thread.join(_MODEL_LOOP_SECONDS)


def _said(done: Any) -> Any:
    """The answer, or in words what prevented it."""
    error = done.exception()
    if error is None:
        return done.result()
    return str(error) if isinstance(error, ModelError) else f"{type(error).__name__}: {error}"
