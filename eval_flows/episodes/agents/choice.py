"""Choosing an agent by its name, and making it for one episode in a worker."""

from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from typing import Any, Literal

from atomic_tasks.catalog import sound_catalog
from atomic_tasks.problems import BadInput
from atomic_tasks.seeds import derived_random
from eval_flows.episodes.agents.agent import Agent
from eval_flows.episodes.agents.model import ModelAgent, ObservationChoice, Sampling, prompts_hash
from eval_flows.episodes.agents.question import Ask
from eval_flows.episodes.agents.simple import AlwaysFail, Clicker, Idle, Oracle
from eval_flows.episodes.environment import Environment
from eval_flows.episodes.tasks.suite import read_suite
from eval_flows.episodes.tasks.task import Task

SIMPLE = ("oracle", "idle", "fail", "random")
Prompt = Literal["react", "reflexion"]


@dataclass(frozen=True)
class AgentChoice:
    """An agent: a simple one, or a model with its prompt, its observation, and the seconds that it may take.

    `seconds_per_step` are of the model's time; an episode has that many for each step of its budget.
    """

    name: str
    prompt: Prompt = "react"
    observation: ObservationChoice = field(default_factory=ObservationChoice)
    temperature: float = Sampling.temperature
    model: str | None = None
    top_p: float = Sampling.top_p
    seconds_per_step: float = 60.0

    @property
    def sampling(self) -> Sampling:
        """Return how the model samples its answers."""
        return Sampling(self.temperature, self.top_p)

    @property
    def described(self) -> dict[str, Any]:
        """Return the description of the agent for the run's identity."""
        if self.model is None:
            return {"name": self.name}
        return {
            "name": self.name,
            "model": self.model,
            "prompt": self.prompt,
            "prompts": prompts_hash(),
            "observation": self.observation.words,
            "cards": blake2b(self.observation.knowledge.encode(), digest_size=8).hexdigest() if self.observation.knowledge else None,
            "seconds_per_step": self.seconds_per_step,
            **asdict(self.sampling),
        }


def make_agent(choice: AgentChoice, task: Task, environment: Environment, repeat: int, ask: Ask) -> Agent:
    """Return the agent for one episode, before the environment is reset to the task."""
    if choice.model is not None:
        seconds, offers = choice.seconds_per_step * task.budget, environment.offers
        return ModelAgent(choice.prompt, choice.observation, choice.sampling, repeat, offers.screen, sorted(offers.programs), seconds, ask)
    if choice.name == "oracle":
        return Oracle(environment)
    if choice.name == "idle":
        return Idle()
    if choice.name == "fail":
        return AlwaysFail()
    if choice.name == "random":
        return Clicker(derived_random("random agent", task.episode_id, repeat))
    raise BadInput(f"there is no agent '{choice.name}': use {', '.join(SIMPLE)}, or a model with --model")


def observation_choice(text: str, suite_name: str) -> ObservationChoice:
    """Return the observation that `--observe` asks for; BadInput for an unknown part."""
    parts = text.split("+")
    known = ("screenshot", "tree", "marks", "before", "cards")
    if unknown := [part for part in parts if part not in known]:
        raise BadInput(f"--observe: there is no '{unknown[0]}'; join any of {', '.join(known)} by +")
    cards = knowledge(suite_name) if "cards" in parts else ""
    return ObservationChoice("screenshot" in parts, "tree" in parts, "marks" in parts, "before" in parts, cards)


def knowledge(suite_name: str) -> str:
    """Return a card for each application of the suite: what it is, and what it can do."""
    catalog = sound_catalog()
    names = sorted({catalog.tasks[task].application for entry in read_suite(suite_name).episodes for task in entry.task_ids if task in catalog.tasks})
    cards = [catalog.applications[name] for name in names]
    return "\n".join(f"- {card.program or card.application} ({card.title}): {card.description} It has {', '.join(card.features)}." for card in cards)
