"""Evaluating an agent on a suite: read the suite, build what it needs, play, and load the warehouse."""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace

from atomic_tasks.catalog import sound_catalog
from atomic_tasks.problems import BadInput
from eval_flows.episodes.agents.action_space import ACTION_SPACES, needs
from eval_flows.episodes.agents.choice import AGENTS, AgentChoice
from eval_flows.episodes.agents.observation_source import ObservationChoice
from eval_flows.episodes.checkers.checker import identities
from eval_flows.episodes.environment import PictureForm
from eval_flows.episodes.environment.stage import Start
from eval_flows.episodes.people.intervention import PeopleChoice
from eval_flows.episodes.people.refusals import refuse_without_screen, with_people
from eval_flows.episodes.runs.answering import answering
from eval_flows.episodes.runs.identity import imported_code
from eval_flows.episodes.runs.run import Plan, Ran, run_episodes
from eval_flows.episodes.runs.store import Row
from eval_flows.episodes.tasks.needs import refuse_actions, refuse_form, refuse_if_lacking, refuse_without_packages
from eval_flows.episodes.tasks.suite import ANY_IMAGE, read_suite, suite_tasks, valid_programs
from eval_flows.episodes.tasks.task import Task
from eval_flows.progress import Progress
from language_models.chat import Request
from language_models.endpoint import Endpoint
from language_models.errors import BudgetReached, ModelError
from language_models.interface import interface_of
from machines.errors import MachineNeeds
from machines.machine import AHEAD, MachineChoice
from runners.runner import Runner, RunnerChoice, open_runner
from warehouse.layout import DataFolder
from warehouse.loader import load_warehouse


@dataclass(frozen=True)
class EpisodeOptions:
    """Options of a run of a suite. With a `runner`, its workers play, and `workers` counts for nothing."""

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
    runner: RunnerChoice | None = None
    people: PeopleChoice | None = None


def runner_of_machines(name: str, address: str | None, workers: int) -> RunnerChoice | None:
    """Return the runner whose workers play, each with room for machines; None for processes of this host, which the run watches itself.

    `BadInput` if processes of this host are to have an address.
    """
    if name == "processes":
        if address:
            raise BadInput("processes of this host have no address: leave --address out, or name a runner that has one, such as dask")
        return None
    return RunnerChoice(name, address, None if address else workers, resource="machine")


@dataclass(frozen=True)
class SuiteRun:
    """A run of a suite, its rows, and why it ended early, if a budget was reached."""

    run_id: str
    rows: list[Row]
    ended_early: str | None = None


def evaluate_episodes(
    suite_name: str, agent: AgentChoice, options: EpisodeOptions, data: DataFolder, progress: Progress, opened: Runner = open_runner
) -> SuiteRun:
    """Run an agent over a suite; `opened` opens the runner of the options. Errors in the options are raised before a machine starts.

    ModelError if the endpoint dies during the run.
    """
    plan = planned_run(suite_name, agent, options, data)
    ran = play_run(plan, options, data, progress, opened)
    load_warehouse(data)
    if ran.ended_by is None:
        return SuiteRun(plan.run_id, ran.rows)
    kept = f"{ran.ended_by}. {len(ran.rows)} of {ran.wanted} episodes of run {plan.run_id} are played and kept"
    if isinstance(ran.ended_by, BudgetReached):
        return SuiteRun(plan.run_id, ran.rows, f"{kept}; run the same command with a larger budget to go on")
    raise ModelError(f"{kept}; run the same command to go on")


def play_run(plan: Plan, options: EpisodeOptions, data: DataFolder, progress: Progress, opened: Runner = open_runner) -> Ran:
    """Play what is left of a run, without loading the warehouse. ModelError if the endpoint is not there; one that is played needs no endpoint."""
    endpoint = None if plan.is_played(data) else options.endpoint
    of_hosts = nullcontext() if options.runner is None else opened(options.runner)
    with answering(endpoint, data.model_calls, plan.run_id, options.budget) as respond, of_hosts as runner:
        return run_episodes(plan, data, options.workers, progress, respond, runner)


def planned_run(suite_name: str, agent: AgentChoice, options: EpisodeOptions, data: DataFolder) -> Plan:
    """Return the run that the options ask for; BadInput or MachineNeeds if something is missing."""
    suite, catalog = read_suite(suite_name), sound_catalog()
    episodes = suite_tasks(suite, catalog)
    chosen = [one for one in episodes if not options.levels or one.task.level in options.levels][: options.limit]
    if agent.model is None and agent.asks_a_model:
        raise BadInput(f"the agent '{agent.agent}' asks a language model: name it with --model")
    _, agent = agent.checked_options, agent.settled
    agent = with_people(agent, options.people, options.runner is None)
    if options.endpoint is not None and (refuse := getattr(AGENTS[agent.agent], "refuse", None)):
        refuse(agent.agent, options.endpoint, options.form)
    space = ACTION_SPACES[agent.actions]()
    if options.endpoint is not None:
        refuse_pictures(agent.observation, options.endpoint)
    if suite.imported and options.start == "bare":
        raise BadInput(f"--start bare: the tasks of the imported suite '{suite_name}' say themselves what is open; leave the option out")
    if not chosen:
        raise BadInput(f"suite {suite_name} has no episodes of level {', '.join(options.levels)}")
    machine = ready_machine(suite_name, [one.task for one in episodes], data, options.machine, options.machine_options)
    refuse_without_screen(options.people, machine)
    if options.runner is not None:
        refuse_on_many_hosts(machine)
    refuse_form(options.form, options.machine, machine.offers)
    refuse_actions(agent.actions, needs(space), options.machine, machine.offers)
    if unseen := agent.observation.wants - machine.offers.observations:
        raise MachineNeeds(f"machines of kind '{options.machine}' observe no {', '.join(sorted(unseen))}, which '{agent.observation.words}' needs")
    valid = {one.task.episode_id: valid_programs(one, catalog, machine.offers.programs) for one in episodes}
    checkers = identities(entry for one in episodes for step in one.task.steps for entry in step.check)
    if suite.imported:
        checkers.append(imported_code())
    of_suite = [one.task.episode_id for one in episodes]
    plan = Plan(suite_name, of_suite, chosen, valid, agent, machine, checkers, options.start, options.repeats, options.endpoint, options.form)
    return replace(plan, people=options.people)


def refuse_on_many_hosts(machine: MachineChoice) -> None:
    """Raise `MachineNeeds` if workers of a runner, each episode in a process of its own, cannot use such machines or gain nothing by the choice."""
    if AHEAD in machine.options:
        raise MachineNeeds(
            f"machines that start ahead serve later episodes of a process, and workers of a runner play one in each: leave '{AHEAD}' out"
        )
    if machine.make().exists_once:
        raise MachineNeeds(
            f"a machine of kind '{machine.kind}' exists once, and workers of a runner would wait for each other: play with --runner processes"
        )


def refuse_pictures(observation: ObservationChoice, endpoint: Endpoint) -> None:
    """Raise `ModelError` if an observation has pictures and the model takes none."""
    if "screenshot" in observation.wants:
        interface_of(endpoint).body(Request.of("", "", images=(b"",)), endpoint)


def ready_machine(suite: str, tasks: Sequence[Task], data: DataFolder, kind: str, options: Mapping[str, str]) -> MachineChoice:
    """Return the machine for tasks of a suite.

    MachineNeeds if it lacks what they need, if the host lacks something, or if the image is not built.
    """
    declared = read_suite(suite)
    machine = MachineChoice(kind, declared.image or ANY_IMAGE, data.machines, options)
    refuse_without_packages(suite, tasks, sound_catalog().checkers)
    refuse_if_lacking(suite, declared, tasks, kind, machine.offers)
    machine.check()
    return machine
