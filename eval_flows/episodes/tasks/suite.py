"""Suites: pinned lists of episodes, each listed by its atomic tasks, and the tasks made from them; and imported suites of other people's tasks."""

from collections.abc import Collection, Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, model_validator

from atomic_tasks.catalog import Catalog, sound_catalog
from atomic_tasks.problems import BadInput
from atomic_tasks.schema import Declared, Identifier
from atomic_tasks.seeds import derived_random
from atomic_tasks.yaml_source import read_declared_file
from compositions.schema import WorkflowStep
from eval_flows.episodes.tasks.compose import NotComposed, listed, sequence, values_of
from eval_flows.episodes.tasks.instruct import instruction
from eval_flows.episodes.tasks.jobs import Job, read_jobs
from eval_flows.episodes.tasks.suite_task import ComposedTask, SuiteTask, written_task
from eval_flows.episodes.tasks.task import Level, Task, made_task
from machines.image import declared
from warehouse.layout import DataFolder, fetch

SUITES = Path(__file__).parent / "suites"
OUR_MACHINES = "our machines"
ANY_IMAGE = "desktop"  # for a suite without an image, on kinds of machine that want one: a remote machine takes no notice


class Listed(Declared):
    """An episode of a suite: its atomic tasks in order, or steps with renamed arguments, and a seed that tells it from others of the same tasks."""

    level: Level
    tasks: tuple[str, ...] = ()
    steps: tuple[WorkflowStep, ...] = ()
    handed: tuple[Identifier, ...] = Field((), description="arguments that name what one step makes and a later one uses: nothing is set up for them")
    seed: int = 0

    @model_validator(mode="after")
    def _one_of_both(self) -> "Listed":
        if bool(self.tasks) == bool(self.steps):
            raise ValueError("give either tasks or steps")
        return self

    @property
    def task_ids(self) -> tuple[str, ...]:
        """Return the listed atomic tasks."""
        return self.tasks or tuple(step.task for step in self.steps)


class Suite(Declared):
    """A file of suites/."""

    title: str
    description: str
    image: Identifier | None = Field(None, description="the image of machines/desktop.yaml that it runs on; none where the platform is windows")
    platform: Literal["linux", "windows"] = Field("linux", description="the platform of the machines that it is played on")
    seed: int
    proven_on: str = Field(OUR_MACHINES, description="where its proof holds; told wherever the suite is shown, if it is elsewhere")
    unproven: tuple[str, ...] = Field((), description="ids of episodes that are known to be unproven")
    episodes: tuple[Listed, ...] = ()
    jobs: Identifier | None = Field(None, description="the folder beside this file with jobs that are episodes too")
    home: str | None = Field(None, description="the home folder that its tasks name")
    imported: Identifier | None = Field(None, description="the folder of the data folder's `imported` with task files of others, instead of both")
    judged_by: Literal["ours", "theirs"] = Field("ours", description="whose metrics judge imported tasks: theirs have their mistakes, for comparison")

    @model_validator(mode="after")
    def _has_episodes(self) -> "Suite":
        if not self.episodes and not self.jobs and not self.imported:
            raise ValueError("give episodes, jobs, or both")
        if (self.image is None) != (self.platform == "windows" and not self.imported):
            raise ValueError("a suite of platform linux names its image; one of windows has none, since we have no image of Windows")
        return self


def own_suites() -> dict[str, Path]:
    """Return the files of the suites that come with Deskmill, by name."""
    return {path.stem: path for path in sorted(SUITES.glob("*.yaml"))}


def _suites() -> dict[str, Path]:
    imported = _imported()
    fetch(imported)
    return {path.parent.name: path for path in sorted(imported.glob("*/suite.yaml"))} | own_suites()


def _imported() -> Path:
    return DataFolder.from_environment().imported


def suite_names() -> list[str]:
    """Return the names of the suites, imported ones too."""
    return sorted(_suites())


def read_suite(name: str) -> Suite:
    """Return the suite of that name; BadInput if there is none."""
    path = _suites().get(name)
    if path is None:
        close = get_close_matches(name, suite_names(), 1)
        raise BadInput(f"there is no suite '{name}'{f'; did you mean {close[0]}?' if close else ''} (there are {', '.join(suite_names())})")
    return read_declared_file(path, Suite)


def jobs_of(suite: Suite, catalog: Catalog) -> list[Job]:
    """Return the jobs of a suite; none if all its episodes are composed."""
    return [] if suite.jobs is None else read_jobs(SUITES / suite.jobs, catalog)


def tasks_of(name: str) -> list[Task]:
    """Return the tasks of the suite of that name."""
    return [one.task for one in suite_tasks(read_suite(name), sound_catalog())]


def suite_tasks(suite: Suite, catalog: Catalog) -> list[SuiteTask]:
    """Return the task of every episode of a suite; BadInput names all problems before anything starts."""
    if suite.imported is not None:
        from eval_flows.episodes.osworld.imported_suite import imported_tasks  # it imports this room

        return list(imported_tasks(_imported() / suite.imported, suite.judged_by))
    problems = list(_problems(suite, catalog))
    if problems:
        raise BadInput("\n".join(problems))
    found: dict[str, SuiteTask] = {}
    made: SuiteTask
    entries: list[Listed | Job] = [*suite.episodes, *jobs_of(suite, catalog)]
    for number, entry in enumerate(entries):
        where = entry.id if isinstance(entry, Job) else f"episodes[{number}]"
        try:
            made = written_task(entry, catalog) if isinstance(entry, Job) else _composed(suite, entry, catalog)
        except NotComposed as error:
            problems.append(f"{where}: {error}")
            continue
        if made.task.infeasible is None and not any(step.check for step in made.task.steps):
            problems.append(f"{where}: nothing is checked at its end, so doing nothing would earn the reward; list a task with a check")
        problems += [f"{where}: {clash}" for clash in _clashes(made.task)]
        problems += [f"{where}: {lack}" for lack in _lacking(suite, made.task)]
        if made.task.episode_id in found:
            problems.append(f"{where}: the same episode is listed before; give it another seed")
        found[made.task.episode_id] = made
    problems += [f"unproven: no episode has the id {one}; did the episode change since it was listed?" for one in suite.unproven if one not in found]
    if problems:
        raise BadInput("\n".join(problems))
    return list(found.values())


def _composed(suite: Suite, entry: Listed, catalog: Catalog) -> ComposedTask:
    seed: tuple[str | int, ...] = (suite.seed, *entry.task_ids, entry.seed)
    composition = sequence(catalog, entry.tasks, derived_random(*seed)) if entry.tasks else listed(catalog, entry.steps)
    for name in entry.handed:
        if sum(name in step.arguments for step in composition.steps) < 2:
            raise NotComposed(f"handed: no two steps share an argument '{name}'; there are {', '.join(composition.arguments)}")
    values = values_of(composition, catalog, *seed, "bind")
    text = instruction(composition, values, catalog, *seed)
    made = made_task(composition, values, catalog, entry.level, text, entry.handed)
    return ComposedTask(made, composition, seed, entry.handed, "listed as unproven" if made.episode_id in suite.unproven else None)


def _lacking(suite: Suite, task: Task) -> Iterable[str]:
    """Yield the programs of a task that the image lacks."""
    for step in task.steps:
        if suite.image is not None and step.program not in declared().images.get(suite.image, [step.program]):
            yield f"{step.task} needs {step.program}, which image '{suite.image}' lacks: add it to machines/desktop.yaml"


def _clashes(task: Task) -> Iterable[str]:
    """Yield places that two steps set up differently: the later step would overwrite what the earlier one needs."""
    there: dict[str, tuple[str, Any]] = {}
    for step in task.steps:
        own = {resource(maker, asked): (maker, asked) for entry in step.setup for maker, asked in entry.items()}
        for place, made in own.items():
            before, other = there.setdefault(place, (step.task, made))
            if other != made:
                yield f"{before} and {step.task} both set up {place}, but differently; give it another seed, or list other tasks"


def _problems(suite: Suite, catalog: Catalog) -> Iterable[str]:
    images = declared().images
    if suite.image is not None and suite.image not in images:
        yield f"image: there is no image '{suite.image}' in machines/desktop.yaml; there are {', '.join(images)}"
    for number, entry in enumerate(suite.episodes):
        where = f"episodes[{number}]"
        for task_id in entry.task_ids:
            task = catalog.tasks.get(task_id)
            if task is None:
                close = get_close_matches(task_id, catalog.tasks, 1)
                yield f"{where}: unknown atomic task '{task_id}'{f'; did you mean {close[0]}?' if close else ''}"
            elif not task.is_executable and task.preload is None:
                yield f"{where}: {task_id} has no oracle: it cannot be done on a machine"
            elif (platform := catalog.applications[task.application].platform) != suite.platform:
                yield f"{where}: {task_id} is a task of platform {platform}, and the suite is for {suite.platform}: list it in another suite"


def valid_programs(one: SuiteTask, catalog: Catalog, programs: Collection[str]) -> list[str]:
    """Return the programs of a machine that can do the first phase of the task: the right first choices on an empty desktop."""
    if one.task.infeasible is not None:
        return []  # the task is infeasible: no application can do it
    if not isinstance(one, ComposedTask):
        return [one.task.steps[0].program]
    platform = catalog.applications[one.task.steps[0].application].platform
    handles = {each.program or name: name for name, each in catalog.applications.items() if each.platform == platform}
    installed = {name: handle for handle, name in handles.items() if handle in programs}
    capabilities = [catalog.tasks[step.task].capability for step in one.task.phases[0]]
    return sorted(installed[name] for name in catalog.doing(capabilities, installed))


def resource(maker: str, asked: Any) -> str:
    """Return the path at which a maker makes something, or a place in the registry; else the name of the maker, such as the clipboard."""
    if not isinstance(asked, dict):
        return str(asked)
    return f"{asked['key']}\\{asked['name']}" if "key" in asked else str(asked.get("path", maker))
