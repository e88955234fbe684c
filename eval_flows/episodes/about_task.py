"""About one executable atomic task for a reader: what an episode of it asks, how its result is checked, and where that is proven."""

import textwrap
from collections.abc import Iterator
from pathlib import Path

from atomic_tasks.catalog import Catalog, sound_catalog
from atomic_tasks.schema import Declared, Entry, NearMiss, Way
from eval_flows.episodes.proofs.proving import subject_of
from eval_flows.episodes.proofs.record import Proven, content_of, read_record
from eval_flows.episodes.references import ReferenceRun, effort_lines, reference_runs
from eval_flows.episodes.tasks.annotation import oracle_lines
from eval_flows.episodes.tasks.suite import OUR_MACHINES, Suite, own_suites, read_suite, suite_tasks
from eval_flows.episodes.tasks.suite_task import SuiteTask

_WIDTH = 120


class AboutTask(Declared):
    """An atomic task as a suite has it alone. `proof` says in words what is proven, and where; `person` is the reference run of a person."""

    kind: str = "executable task"
    id: str
    suite: str
    platform: str
    instruction: str
    check: tuple[Entry, ...]
    also: tuple[Way, ...]
    near_misses: tuple[NearMiss, ...]
    proof: str
    oracle_lines: int
    oracle_seconds: float | None
    person: ReferenceRun | None

    def text(self) -> str:
        """Return it as lines for a person."""
        return "\n".join(textwrap.fill(line, _WIDTH, subsequent_indent=" " * 8, break_on_hyphens=False) for line in self._lines())

    def _lines(self) -> Iterator[str]:
        yield f"executable task {self.id} of the suite {self.suite}, on {self.platform}"
        yield f"instruction: {self.instruction}"
        yield from (f"check: {entry}" for entry in self.check)
        yield from (f"other way: {one.way}" for one in self.also)
        yield from (f"near miss: {one.mistake}" for one in self.near_misses)
        yield f"proof: {self.proof}"
        yield from effort_lines(self.oracle_lines, self.oracle_seconds, self.person, self.suite)


def about_task(task_id: str, warehouse: Path) -> AboutTask | None:
    """Return all about the executable atomic task of that id; None if no suite of ours has it alone. The warehouse tells what people showed."""
    catalog = sound_catalog()
    task = catalog.tasks.get(task_id)
    if task is None or not task.is_executable:
        return None
    for name in own_suites():
        suite = read_suite(name)
        listed = tuple(one for one in suite.episodes if one.level == "L1" and one.tasks == (task_id,))[:1]
        if listed:
            (made,) = suite_tasks(suite.model_copy(update={"episodes": listed, "jobs": None, "unproven": ()}), catalog)
            proven = _proven(name, suite, made, catalog)
            return AboutTask(
                id=task_id,
                suite=name,
                platform=suite.platform,
                instruction=made.task.instruction,
                check=made.task.steps[-1].check,
                also=task.also,
                near_misses=task.near_misses,
                proof=_proof(name, suite, made, proven),
                oracle_lines=oracle_lines(made.task),
                oracle_seconds=proven.oracle_seconds if proven else None,
                person=reference_runs(warehouse, name).get(made.task.episode_id),
            )
    return None


def _proven(name: str, suite: Suite, made: SuiteTask, catalog: Catalog) -> Proven | None:
    """Return the proof of the task as it stands now, if it is recorded."""
    if made.task.infeasible is not None or suite.proven_on != OUR_MACHINES:
        return None
    known = read_record(name).get(made.lineage)
    return known if known is not None and known.content == content_of(subject_of(made, catalog)) else None


def _proof(name: str, suite: Suite, made: SuiteTask, proven: Proven | None) -> str:
    if made.task.infeasible is not None:
        return f"none, it is infeasible: {made.task.infeasible}"
    if suite.proven_on != OUR_MACHINES:
        return f"proven on {suite.proven_on}"
    return f"{proven.trials} trials" if proven else f"not in a record; `deskmill prove {name}` proves it"
