"""Jobs: episodes that are written as a whole, for work whose parts have no purpose of their own (ProSoftArena, sections 3 and 5.2).

A composed episode is a chain of atomic tasks, and narrators write its text. A job has an instruction of its own, the materials that it begins with,
and checks of the result. Each file of a suite's folder holds the jobs of one application.
"""

from collections.abc import Collection, Iterator, Mapping
from functools import cache
from pathlib import Path

from pydantic import Field, model_validator

from atomic_tasks.catalog import Catalog
from atomic_tasks.executable import Executable, executable_mistakes, other_ways, texts_in
from atomic_tasks.problems import BadInput, Place, Problem, Source, suggestion
from atomic_tasks.schema import Declared, Entry, Identifier, NearMiss, Way, placeholders
from atomic_tasks.yaml_source import read_declared_file, read_yaml, validated
from eval_flows.episodes.tasks.task import Level

_FIELDS = Path(__file__).parent / "disciplines.yaml"


class Phase(Declared):
    """The part of a pipeline (L3) that is done in one application."""

    application: Identifier
    oracle: tuple[Entry, ...] = Field(min_length=1)
    check: tuple[Entry, ...] = Field(min_length=1)
    changes: tuple[Entry, ...] = ()


class Reference(Declared):
    """A run of a person: how many steps and seconds it took, and where it is recorded (ProSoftArena, Table 7)."""

    steps: int
    seconds: float
    recording: str


class Job(Declared):
    """One job. `values` maps a name to its value and to another value, with which the oracle must not earn the reward."""

    id: str = Field(pattern=r"^[a-z0-9_]+\.[a-z0-9_]+$")
    level: Level
    subfield: str | None = Field(None, description="of disciplines.yaml; a suite of everyday work has none")
    instruction: str = Field(min_length=20)
    source: str = Field(min_length=5, description="what it was made from: a page of a manual, the subject of a tutorial, or a practice of the field")
    operations: tuple[str, ...] = Field(min_length=1, description="the core operations, in words of the application")
    output: str = Field(min_length=5, description="the result, and where it goes")
    criteria: tuple[str, ...] = Field(min_length=1, description="what the checks look at, in words")
    rubric: tuple[str, ...] = Field((), description="L4: what people or models judge besides the checks")
    values: dict[Identifier, tuple[str, str]] = Field(default_factory=dict)
    setup: tuple[Entry, ...] = ()
    open: tuple[str, ...] = Field((), description="arguments with which the program starts, such as a file")
    oracle: tuple[Entry, ...] = ()
    check: tuple[Entry, ...] = ()
    changes: tuple[Entry, ...] = ()
    phases: tuple[Phase, ...] = Field((), description="L3: its parts, in place of oracle, check and changes")
    also: tuple[Way, ...] = ()
    near_misses: tuple[NearMiss, ...] = ()
    infeasible: str | None = Field(None, min_length=20, description="why the application cannot do it; the right answer is FAIL")
    unproven: str | None = Field(None, min_length=20, description="why its proof does not hold yet")
    reference: Reference | None = None

    @model_validator(mode="after")
    def _is_whole(self) -> "Job":
        if self.infeasible is not None:
            if self.oracle or self.check or self.phases or self.also or self.near_misses:
                raise ValueError("an infeasible job has no oracle, checks, phases, other ways and near misses: remove them")
            return self
        if self.level == "L3":
            if not self.phases or self.oracle or self.check or self.changes:
                raise ValueError("a job of level L3 has phases, and they have oracle, check and changes")
        elif not self.oracle or not self.check or self.phases:
            raise ValueError("a job needs an oracle and a check; only L3 has phases")
        if not self.also or len(self.near_misses) < 2:
            raise ValueError("needs another way (also) and two near misses: a check judges results, and must tell a mistake")
        if self.level == "L4" and not self.rubric:
            raise ValueError("a job of level L4 needs a rubric")
        if self.level in ("L2", "L4") and sum("step" in entry for entry in self.oracle) < 2:
            raise ValueError("name the parts of its oracle by at least two lines `step`: a proof leaves each part out")
        return self

    @property
    def parts(self) -> tuple[Phase, ...]:
        """Return its phases, or the whole as one."""
        whole = Phase.model_construct(application=self.application, oracle=self.oracle, check=self.check, changes=self.changes)
        return self.phases or (whole,)

    @property
    def application(self) -> str:
        """Return the application that the id names."""
        return self.id.partition(".")[0]


class Jobs(Declared):
    """A file of jobs."""

    jobs: tuple[Job, ...] = Field(min_length=1)


class Disciplines(Declared):
    """The disciplines with their subfields (ProSoftArena, Appendix B.1)."""

    disciplines: dict[str, tuple[str, ...]]

    def of(self, subfield: str | None) -> str | None:
        """Return the discipline of a subfield."""
        return next((name for name, subfields in self.disciplines.items() if subfield in subfields), None)


@cache
def disciplines() -> Disciplines:
    """Return the declared disciplines."""
    return read_declared_file(_FIELDS, Disciplines)


def read_jobs(folder: Path, catalog: Catalog, names: Collection[str] = ()) -> list[Job]:
    """Return the jobs of a folder, file by file, or only of the files of these names; BadInput names every problem with file and line."""
    problems: list[Problem] = []
    found: dict[str, Job] = {}
    without_subfield: list[Problem] = []
    for path in (path for path in sorted(folder.glob("*.yaml")) if not names or path.stem in names):
        source = read_yaml(path, problems)
        made = None if source.data is None else validated(source, Jobs, problems)
        for number, job in enumerate(made.jobs if made else ()):
            place: Place = ("jobs", number)
            problems += _mistakes(job, catalog, source, place)
            if job.id in found:
                problems.append(source.problem((*place, "id"), f"'{job.id}' is the id of another job"))
            found[job.id] = job
            if job.subfield is None:
                without_subfield.append(source.problem((*place, "id"), f"'{job.id}' has no subfield, but other jobs of its suite have one"))
    if len(without_subfield) < len(found):
        problems += without_subfield
    if problems or not found:
        raise BadInput(problems or f"there are no jobs in {folder}")
    return list(found.values())


def _mistakes(job: Job, catalog: Catalog, source: Source, place: Place) -> Iterator[Problem]:
    subfields = [one for names in disciplines().disciplines.values() for one in names]
    if job.subfield is not None and job.subfield not in subfields:
        yield source.problem((*place, "subfield"), f"unknown subfield '{job.subfield}'{suggestion(job.subfield, subfields)}")
    for part in job.parts:
        if part.application not in catalog.applications:
            yield source.problem(place, f"unknown application '{part.application}'{suggestion(part.application, catalog.applications)}")
    own = Executable(place, job.setup, job.oracle, job.check, job.changes)
    phases = [Executable((*place, "phases", number), (), one.oracle, one.check, one.changes) for number, one in enumerate(job.phases)]
    yield from executable_mistakes(catalog.checkers, [own, *phases, *other_ways(job, place)], source.problem)
    declared = job.model_dump(exclude={"values"})
    used = {name for text in texts_in(declared) for name in placeholders(text)}
    for name in job.values:
        if name not in used:
            yield source.problem((*place, "values", name), "nothing in the job uses this value")
    for name in sorted(set(placeholders(job.instruction)) - set(job.values)):
        yield source.problem((*place, "instruction"), f"`values` has no '{name}', so a reader would see {{{name}}}")
    done = "\n".join(text for part in job.parts for text in texts_in(part.oracle))
    texts = [(key, number, text) for key in ("also", "near_misses") for number, one in enumerate(getattr(job, key)) for text in one.instead]
    for key, number, text in texts:
        if text not in done:
            yield source.problem((*place, key, number, "instead"), f"no text of the oracle has '{text}' in it")


def replaced(declared: object, instead: Mapping[str, str]) -> object:
    """Return a copy of nested lists and mappings with other texts in place of some."""
    if isinstance(declared, str):
        for text, other in instead.items():
            declared = declared.replace(text, other)
        return declared
    if isinstance(declared, Mapping):
        return {key: replaced(part, instead) for key, part in declared.items()}
    if isinstance(declared, list | tuple):
        return [replaced(part, instead) for part in declared]
    return declared
