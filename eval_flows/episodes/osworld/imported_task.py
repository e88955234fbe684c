"""A task that was imported: the document of its file, and the hashes of the files that it fetches. It has a stage of its own."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field

from atomic_tasks.catalog import Catalog
from eval_flows.episodes.environment.stage import Stage, stage_of
from eval_flows.episodes.osworld.applications import applications, applications_of
from eval_flows.episodes.osworld.needs import signs_of_windows
from eval_flows.episodes.osworld.oracles import Oracle
from eval_flows.episodes.osworld.task_file import TaskFile
from eval_flows.episodes.tasks.suite_task import SuiteTask, Variant
from eval_flows.episodes.tasks.task import Task, TaskStep

JudgedBy = Literal["ours", "theirs"]
"""Whose metrics judge: theirs have the mistakes of the two benchmarks."""
NO_ORACLE = "imported: it has no oracle"
_OF_NOTHING = "os"  # the application of a task that names none
_ALL = {"file": "*"}  # task files do not say what may change


class ImportedTask(Task):
    """A task of a task file: the `document` of the file, the SHA-256 of each file that it fetches by address, and the folder where these lie."""

    is_judged_alone: ClassVar[bool] = True  # its getters ask the machine
    document: dict[str, Any]
    hashes: dict[str, str]
    judged_by: JudgedBy
    store: Path = Field(exclude=True)

    @property
    def file(self) -> TaskFile:
        """Return the task file."""
        return TaskFile.model_validate(self.document)

    def on(self, home: str) -> "ImportedTask":
        """Return the task as it is: its paths are absolute, and its braces are its own."""
        return self

    @property
    def programs(self) -> list[str]:
        """Return the handles of the programs that it names or starts."""
        return [one.program for one in applications_of(self.file) if one.program is not None]


class MirroredTask(ImportedTask):
    """The same with a mirror of sites, by the SHA-256 of its zip file: its browser has the pages there, and no network."""

    mirror: str


class ImportedSuiteTask(SuiteTask):
    """A task of an imported suite, with the reason why it is not proven, if there is one."""

    task: ImportedTask

    def __init__(self, name: str, task: ImportedTask, unproven: str | None) -> None:
        self.name = name
        self.task = task
        self._unproven = unproven

    def changed(self, catalog: Catalog) -> dict[str, Task]:
        """Return nothing: its values are not told apart."""
        return {}

    def ways(self, catalog: Catalog) -> list[Variant]:
        """Return nothing."""
        return []

    def near_misses(self, catalog: Catalog) -> list[Variant]:
        """Return nothing."""
        return []

    @property
    def unproven(self) -> str | None:
        """Return why it is not proven."""
        return self._unproven

    @property
    def lineage(self) -> str:
        """Return the name of its file."""
        return self.name


def imported_task(
    name: str,
    file: TaskFile,
    hashes: Mapping[str, str],
    store: Path,
    judged_by: JudgedBy = "ours",
    oracle: Oracle | None = None,
    mirror: str | None = None,
) -> ImportedSuiteTask:
    """Return the task of a task file that is runnable here, with the mirror of that hash, if it uses one.

    The first of its steps has the whole oracle, since the file tells of no parts.
    """
    programs = list(dict.fromkeys(one.program for one in applications_of(file) if one.program is not None)) or [_OF_NOTHING]
    oracles = [oracle.steps if oracle else (), *([()] * (len(programs) - 1))]
    steps = tuple(
        TaskStep(task=name, application=one, program=one, setup=(), preload=None, oracle=done, check=(), changes=(_ALL,))
        for one, done in zip(programs, oracles, strict=True)
    )
    made = ImportedTask(
        level="L3" if len(programs) > 1 else "L2",
        discipline=_domain(name, file),
        instruction=file.instruction,
        values={},
        steps=steps,
        infeasible="the task file says that it cannot be done" if file.is_infeasible else None,
        document=file.document,
        hashes={address: hashes[address] for _, address in file.addresses},
        judged_by=judged_by,
        store=store,
    )
    if mirror is not None:
        made = MirroredTask(**dict(made), mirror=mirror)
    unproven = None if file.is_infeasible else NO_ORACLE if oracle is None else oracle.unproven
    return ImportedSuiteTask(name, made, unproven)


def _domain(name: str, file: TaskFile) -> str:
    """Return the benchmark of a task file and the part of it that its folder belongs to; empty for a folder that the benchmark does not have."""
    benchmark = "OSWorld" if next(signs_of_windows(file), None) is None else "Windows Agent Arena"
    folder = Path(name).parent.name or file.snapshot or ""
    domain = applications().domains[benchmark].get(folder)
    return "" if domain is None else f"{benchmark}, {domain}"


@stage_of.register
def _(task: ImportedTask) -> Stage:
    from eval_flows.episodes.osworld.stage import ImportedStage  # getters and metrics, which only a played task needs

    return ImportedStage(task)
