"""A shard: the rows of one application, or a part of them, made from exactly what its job holds, and addressed by the hash of that job."""

import hashlib
import platform
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from atomic_tasks.arguments.pools import pool_generators
from atomic_tasks.arguments.registry import Generator, computed_generators
from atomic_tasks.arguments.worlds import World, fitting
from atomic_tasks.schema import PLACEHOLDER, AtomicTask
from atomic_tasks.seeds import Weighted, derived_random
from atomic_tasks.value_schema import Pool
from compositions.binding import bind
from compositions.engine import Engine
from compositions.graph import ApplicationGraph, application_graph
from compositions.model import Composition
from compositions.schema import Workflow
from compositions.splits import Split, SplitOf, SplitShares, split_by
from flows.recipe import CompositionRates
from flows.versions import shaping_versions
from narrators.naming import Names
from narrators.narrator import Narration, Narrator, Spoken
from narrators.near_duplicates import NearDuplicates
from narrators.rates import NarrationRates
from narrators.styles import Styles
from runners.errors import RunnerError
from warehouse.parquet import write_rows

Row = dict[str, Any]
NEARLY_THE_SAME = ("near_duplicates", "nearly the same as an earlier text of this target")  # stage and reason of a rejection
_PART_STARTS = 10**9  # the second part of an application's rows begins with this number, the third with twice it: more than a part can use
_NO_NAMES = Names()  # of a composition across several applications
_WHOLE = 0.5  # share of the workflow rows for workflows of one split: only those can say their goal outside `mixed`


class ShardJob(BaseModel):
    """Everything that a shard is made from: its part of the catalog, the recipe's numbers and the versions.

    `part` numbers the shards of an application. Each has rows of its own numbers, and so of its own seeds.
    """

    model_config = ConfigDict(frozen=True)
    application: str
    part: int = Field(0, exclude_if=lambda part: part == 0)  # so that a first part has the address of a whole
    names: Names
    wanted: int
    most_attempts: int
    wanted_graphs: dict[str, int]
    tasks: dict[str, AtomicTask]
    workflows: dict[str, Workflow]
    pools: tuple[Pool, ...]
    worlds: tuple[World, ...]
    seed: int
    locales: dict[str, float]
    compositions: CompositionRates
    splits: SplitShares
    narration: NarrationRates
    styles: Styles
    versions: dict[str, str]

    @property
    def name(self) -> str:
        """Return the application and, after the first one, the number of the part."""
        return f"{self.application}-{self.part}" if self.part else self.application

    def __str__(self) -> str:
        """Return what messages call it."""
        return f"the shard {self.name}"

    @property
    def address(self) -> str:
        """Return the hash of all fields above."""
        return hashlib.blake2b(self.model_dump_json(by_alias=True).encode(), digest_size=16).hexdigest()


class Shard(BaseModel):
    """The result of a job; `made` is False if its file existed already."""

    name: str
    application: str
    address: str
    made: bool


def make_shard(job: ShardJob, folder: Path) -> Shard:
    """Make the job's rows and write them to the folder under the job's address. Rejected rows are kept with their reason.

    `RunnerError` where the libraries that shape bytes have other versions here than where the job was made.
    """
    here = shaping_versions()
    differing = [f"{name}: {here.get(name)} there, {wanted} here" for name, wanted in job.versions.items() if here.get(name) != wanted]
    if differing:
        raise RunnerError(f"the worker on {platform.node()} would make other bytes ({'; '.join(differing)}): install the same versions on all hosts")
    write_rows(folder / f"{job.address}.parquet", "shard", ShardMaker(job).rows())
    return Shard(name=job.name, application=job.application, address=job.address, made=True)


class ShardMaker:
    """Makes the rows of one job, one after another, until enough are accepted or the attempts are used up."""

    def __init__(self, job: ShardJob) -> None:
        self.job = job
        self.generators: dict[str, Generator] = {**computed_generators(), **pool_generators(job.pools)}
        split_of = split_by(job.splits)
        self.narrator = Narrator(job.styles, job.narration, split_of)
        self.engine = Engine((task for task in job.tasks.values() if task.application == job.application), split_of)
        own = sorted(task.id for task in job.tasks.values() if task.application == job.application)
        self.near_duplicates = NearDuplicates()
        self.workflows = sorted(name for name in job.workflows if name not in job.wanted_graphs)
        self.whole = [name for name in self.workflows if len(_splits(job, job.workflows[name], split_of)) == 1]
        self.telling = [name for name in own if not job.tasks[name].generic] or own
        self._orders: dict[tuple[int, int, str], list[str]] = {}
        self._asked_for: dict[tuple[Composition, tuple[int, ...], str | None], Row] = {}
        self._locales = Weighted(job.locales)
        self._fitting_worlds: dict[tuple[Composition, str], Sequence[World]] = {}
        rates = job.compositions
        self._kinds = Weighted({"single": rates.single, "chain": rates.chain, "workflow": rates.workflow if self.workflows else 0})
        self._chain_lengths = Weighted(rates.chain_lengths)

    def rows(self) -> Iterator[Row]:
        """Yield singleton rows, then graph rows, accepted and rejected."""
        yield from self._until(self.job.wanted, self._single_application, "task")
        for workflow, wanted in self.job.wanted_graphs.items():
            yield from self._until(wanted, lambda number, random, w=workflow: self._workflow(w, random), f"graph/{workflow}")

    def _until(self, wanted: int, compose: Any, stage: str) -> Iterator[Row]:
        accepted = 0
        start = self.job.part * _PART_STARTS
        for number in count(start):
            if accepted >= wanted or number - start >= wanted * self.job.most_attempts:
                return
            seed = (self.job.seed, self.job.application, stage, number)
            random = derived_random(*seed)
            row = self._row(compose(number, random), random)
            row["row_seed"] = "/".join(map(str, seed))
            accepted += row["rejected_stage"] is None
            yield row

    def _single_application(self, number: int, random: Random) -> Composition:
        """Return a single task, a chain or a workflow of the application; tasks and workflows take turns, so that all are used."""
        kind = self._kinds.draw(random)
        if kind == "workflow":
            names = self.whole if self.whole and random.random() < _WHOLE else self.workflows
            return self._workflow(self._turn(names, number), random)
        task = self.job.tasks[self._turn(self.telling, number)]
        if kind == "chain":
            made = self.engine.chain(task, self._chain_lengths.draw(random), random)
            if made is not None:
                return made
        for _ in range(8):
            made = self.engine.single(task, random)
            if made is not None:
                return made
        raise RuntimeError(f"{task.id} cannot be composed, though the catalog was validated")

    def _asked(self, composition: Composition, graph: ApplicationGraph, kept: tuple[int, ...], goal: str | None) -> Row:
        """Return the columns that follow from the said steps and the said goal, from the cache if they are there."""
        key = composition, kept, goal
        if key not in self._asked_for:
            self._asked_for[key] = _asked(composition, graph, kept, goal)
        return self._asked_for[key]

    def _turn(self, names: list[str], number: int) -> str:
        """Return the number-th name in an order that is drawn again for every round."""
        turn, place = divmod(number, len(names))
        key = (turn, len(names), names[0])
        if key not in self._orders:
            self._orders[key] = derived_random(self.job.seed, self.job.application, "turn", turn).sample(names, len(names))
        return self._orders[key][place]

    def _worlds_of(self, composition: Composition, locale: str) -> Sequence[World]:
        """Return the worlds of the locale that have most values for the composition, from the cache if they are there."""
        key = (composition, locale)
        if key not in self._fitting_worlds:
            used = {step.task.application for step in composition.steps}
            self._fitting_worlds[key] = fitting([world for world in self.job.worlds if world.locale == locale], composition.arguments, used)
        return self._fitting_worlds[key]

    def _workflow(self, name: str, random: Random) -> Composition:
        return self.engine.from_workflow(self.job.workflows[name], self.job.tasks, random)

    def _row(self, composition: Composition, random: Random) -> Row:
        """Bind, narrate and judge one composition."""
        graph = application_graph(composition)
        locale = self._locales.draw(random)
        worlds = self._worlds_of(composition, locale)
        world = random.choice(worlds) if worlds else None
        values = bind(composition.arguments, self.generators, locale, random, world)
        workflow = self.job.workflows[composition.workflow] if composition.workflow else None
        goal, joint = (workflow.goal, workflow.joint) if workflow else (None, ())
        alone = len(graph.nodes) == 1
        spoken = Spoken(goal, alone and goal is not None, self.job.names if alone else _NO_NAMES, values, self.generators, joint)
        narration = self.narrator.narrate(composition, graph, spoken, random)
        row = _described(composition, graph, narration, values)
        row |= self._asked(composition, graph, narration.kept, goal.capability if goal and narration.says_goal else None)
        row["locale"] = locale
        row["world"] = world.id if world else None
        row["task_id"] = task_id(row)
        row["rejected_stage"], row["rejected_reason"] = None, None
        if not self.near_duplicates.add(row["text"]):
            row["rejected_stage"], row["rejected_reason"] = NEARLY_THE_SAME
        return row


def _asked(composition: Composition, graph: ApplicationGraph, kept: tuple[int, ...], goal: str | None) -> Row:
    """Return what a text with these steps and this goal, if any, asks for, and of which nodes of the graph."""
    capabilities = [step.task.capability for step in composition.steps]
    said = {capabilities[position] for position in kept}
    is_graph = len(graph.nodes) > 1
    return {
        "dropped_steps": [position for position in range(len(composition.steps)) if position not in kept],
        "said_capabilities": sorted(said if goal is None else {*said, goal}),
        "node_applications": graph.applications if is_graph else (),
        "node_capabilities": [sorted({capabilities[number] for number in node if number in kept}) for node in graph.nodes] if is_graph else (),
        "edges": [{"source": source, "target": target} for source, target in graph.edges],
    }


def _described(composition: Composition, graph: ApplicationGraph, narration: Narration, values: dict[str, str]) -> Row:
    """Return the columns for one narrated composition: its text and its lineage."""
    arguments = composition.arguments
    return {
        "text": narration.text,
        "masked_text": narration.masked_text,
        "target_application": graph.applications[0] if len(graph.nodes) == 1 else None,
        "naming": narration.naming,
        "names_application": narration.naming == "application",
        "named": narration.named,
        "style": narration.style,
        "voice": narration.voice,
        "says_goal": narration.says_goal,
        "has_typo": narration.has_typo,
        "composition_id": composition.composition_id,
        "composition_kind": composition.kind,
        "workflow": composition.workflow,
        "atomic_tasks": composition.task_ids,
        "said_tasks": narration.said_tasks,
        "drop_out_rate": narration.drop_out_rate,
        "arguments": [{"name": name, "generator": arguments[name].generator or "one_of", "value": value} for name, value in values.items()],
        "text_key": text_key(narration.text),
        "masked_key": text_key(PLACEHOLDER.sub("{}", narration.masked_text)),
    }


def _splits(job: ShardJob, workflow: Workflow, split_of: SplitOf) -> set[Split | None]:
    """Return the splits of the telling tasks that are in every composition of a workflow."""
    tasks = (job.tasks[step.task] for step in workflow.steps if not step.optional)
    return {split_of(task) for task in tasks if not task.generic}


def text_key(text: str) -> int:
    """Return a 64-bit hash of the text without case and spacing, to compare texts across shards."""
    return int.from_bytes(hashlib.blake2b(" ".join(text.casefold().split()).encode(), digest_size=8).digest(), "big", signed=True)


def task_id(row: Row) -> str:
    """Return a hash of everything that made the text: the composition, its values, the said steps and the style."""
    values = [argument["value"] for argument in row["arguments"]]
    made_of = (row["composition_id"], *map(str, row["dropped_steps"]), row["style"], row["masked_text"], row["text"], *values)
    return hashlib.blake2b("\x1f".join(made_of).encode(), digest_size=8).hexdigest()
