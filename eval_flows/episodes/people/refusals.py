"""What keeps people from taking part in a run, told before anything starts."""

from dataclasses import replace

from atomic_tasks.problems import BadInput
from eval_flows.episodes.agents.choice import AGENTS, AgentChoice
from eval_flows.episodes.people.intervention import PeopleChoice
from machines.errors import MachineNeeds
from machines.machine import MachineChoice


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
