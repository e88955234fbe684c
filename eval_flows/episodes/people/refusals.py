"""What keeps people from taking part in a run, told before anything starts."""

import json
from dataclasses import replace

from atomic_tasks.problems import BadInput
from eval_flows.episodes.agents.choice import AGENTS, AgentChoice
from eval_flows.episodes.people.intervention import PeopleChoice
from eval_flows.episodes.rollouts.source import find_run
from machines.errors import MachineNeeds
from machines.machine import MachineChoice
from warehouse.layout import DataFolder

_MOST_LISTED = 10  # runs


def with_people(agent: AgentChoice, people: PeopleChoice | None, is_here: bool) -> AgentChoice:
    """Return the agent as it plays with people, or without; BadInput if they cannot take part. `is_here` says whether this host plays the run."""
    if agent.is_person and people is None:
        raise BadInput(f"the agent '{agent.agent}' is a person in a browser: deskmill demonstrate SUITE")
    if people is None:
        return agent
    if not is_here:
        raise BadInput("people come to machines of this host alone: leave --runner out")
    if people.asks and agent.model is not None and not getattr(AGENTS[agent.agent], "can_ask_people", False):
        raise BadInput(f"the agent '{agent.agent}' has no word for asking a person: leave --ask out, or, in an agent of your own, set can_ask_people")
    return replace(agent, asks_people=people.asks)


def refuse_without_screen(people: PeopleChoice | None, machine: MachineChoice) -> None:
    """Raise `MachineNeeds` if people are to take part on machines that show no live screen."""
    if people is not None and not machine.offers.shows_live:
        raise MachineNeeds(f"machines of kind '{machine.kind}' show no live screen, so that no person can take part: leave --people out")


def run_with_people(asked: str, data: DataFolder) -> str:
    """Return the id of the run with that id or its unique beginning; BadInput if there is none or it has no people, with the runs that have."""
    try:
        run_id = find_run(asked, data)
    except BadInput as error:
        raise BadInput(f"{error}; {_runs_with_people(data)}") from None
    if "people" not in json.loads((data.runs / run_id / "suite_run.json").read_text()):
        raise BadInput(f"run {run_id} is not played with --people, so nobody can watch it; {_runs_with_people(data)}")
    return run_id


def _runs_with_people(data: DataFolder) -> str:
    """Say which runs in the data folder are played with people, the newest first."""
    described = [json.loads(path.read_text()) for path in data.runs.glob("*/suite_run.json")]
    newest = sorted((one for one in described if "people" in one), key=lambda one: str(one["started_at"]), reverse=True)
    told = [f"{one['run_id']} ({one['suite']}, {one['agent']['name']})" for one in newest[:_MOST_LISTED]]
    return f"with people there are: {', '.join(told)}" if told else "no run here is played with people: give `deskmill episodes` the option --people"
