"""Evaluating an agent on a suite: read the suite, build what it needs, play, and load the warehouse."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from atomic_tasks.catalog import sound_catalog
from atomic_tasks.problems import BadInput
from eval_flows.episodes.agents.action_space import ACTION_SPACES
from eval_flows.episodes.agents.choice import AGENTS, AgentChoice
from eval_flows.episodes.checkers.checker import identities
from eval_flows.episodes.environment import PictureForm
from eval_flows.episodes.environment.environment import Start
from eval_flows.episodes.runs.answering import answering
from eval_flows.episodes.runs.run import Plan, run_episodes
from eval_flows.episodes.runs.store import Row
from eval_flows.episodes.tasks.needs import refuse_form, refuse_if_lacking, refuse_without_packages
from eval_flows.episodes.tasks.suite import read_suite, suite_tasks, valid_programs
from eval_flows.episodes.tasks.task import Task
from eval_flows.progress import Progress
from language_models.chat import Request
from language_models.endpoint import Endpoint
from language_models.errors import BudgetReached, ModelError
from machines.errors import MachineNeeds
from machines.machine import MachineChoice
from warehouse.layout import DataFolder
from warehouse.loader import load_warehouse


@dataclass(frozen=True)
class EpisodeOptions:
    """Options of a run of a suite."""

    workers: int = 2
    repeats: int = 1
    start: Start = "preloaded"
    machine: str = "sandbox"
    machine_options: Mapping[str, str] = field(default_factory=dict)
    limit: int | None = None
    levels: tuple[str, ...] = ()
    endpoint: Endpoint | None = None
    budget: float | None = None
    form: PictureForm = field(default_factory=PictureForm)


@dataclass(frozen=True)
class SuiteRun:
    """A run of a suite, its rows, and why it ended early, if a budget was reached."""

    run_id: str
    rows: list[Row]
    ended_early: str | None = None


def evaluate_episodes(suite_name: str, agent: AgentChoice, options: EpisodeOptions, data: DataFolder, progress: Progress) -> SuiteRun:
    """Run an agent over a suite. Errors in the options are raised before a machine starts; ModelError if the endpoint dies during the run."""
    plan = planned_run(suite_name, agent, options, data)
    with answering(options.endpoint, data.model_calls, plan.run_id, options.budget) as respond:
        ran = run_episodes(plan, data, options.workers, progress, respond)
    load_warehouse(data)
    if ran.ended_by is None:
        return SuiteRun(plan.run_id, ran.rows)
    kept = f"{ran.ended_by}. {len(ran.rows)} of {ran.wanted} episodes of run {plan.run_id} are played and kept"
    if isinstance(ran.ended_by, BudgetReached):
        return SuiteRun(plan.run_id, ran.rows, f"{kept}; run the same command with a larger budget to go on")
    raise ModelError(f"{kept}; run the same command to go on")


def planned_run(suite_name: str, agent: AgentChoice, options: EpisodeOptions, data: DataFolder) -> Plan:
    """Return the run that the options ask for; BadInput or MachineNeeds if something is missing."""
    suite, catalog = read_suite(suite_name), sound_catalog()
    episodes = suite_tasks(suite, catalog)
    chosen = [one for one in episodes if not options.levels or one.task.level in options.levels][: options.limit]
    if agent.agent == "model" and agent.model is None:
        raise BadInput("the agent 'model' asks a language model: name it with --model")
    AGENTS.plugin(agent.agent).load()
    ACTION_SPACES.plugin(agent.actions).load()
    if options.endpoint is not None and "screenshot" in agent.observation.wants:
        Request("", "", images=(b"",)).body(options.endpoint)  # ModelError where the model takes no pictures
    if not chosen:
        raise BadInput(f"suite {suite_name} has no episodes of level {', '.join(options.levels)}")
    machine = ready_machine(suite_name, [one.task for one in episodes], data, options.machine, options.machine_options)
    refuse_form(options.form, options.machine, machine.offers)
    if unseen := agent.observation.wants - machine.offers.observations:
        raise MachineNeeds(f"machines of kind '{options.machine}' observe no {', '.join(sorted(unseen))}, which '{agent.observation.words}' needs")
    valid = {one.task.episode_id: valid_programs(one, catalog, machine.offers.programs) for one in episodes}
    checkers = identities(entry for one in episodes for step in one.task.steps for entry in step.check)
    of_suite = [one.task.episode_id for one in episodes]
    return Plan(suite_name, of_suite, chosen, valid, agent, machine, checkers, options.start, options.repeats, options.endpoint, options.form)


def ready_machine(suite: str, tasks: Sequence[Task], data: DataFolder, kind: str, options: Mapping[str, str]) -> MachineChoice:
    """Return the machine for tasks of a suite.

    MachineNeeds if it lacks what they need, if the host lacks something, or if the image is not built.
    """
    declared = read_suite(suite)
    machine = MachineChoice(kind, declared.image, data.machines, options)
    refuse_without_packages(suite, tasks, sound_catalog().checkers)
    refuse_if_lacking(suite, declared, tasks, kind, machine.offers)
    machine.check()
    return machine
