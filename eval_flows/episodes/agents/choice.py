"""Choosing an agent, and making it for one episode in a worker.

A new agent is one module, and one line in `AGENTS`, or an entry point `deskmill.agents` of any package, or a place such as `package.module:MyAgent`.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from eval_flows.episodes.agents.action_space import ACTION_SPACES
from eval_flows.episodes.agents.agent import Agent
from eval_flows.episodes.agents.observation_source import ObservationChoice, observation_choice
from eval_flows.episodes.agents.prompts import prompts_hash
from eval_flows.episodes.agents.question import Ask
from eval_flows.episodes.environment import Environment
from eval_flows.episodes.runs.identity import identity_of
from eval_flows.episodes.tasks.task import Task
from machines.plugins import Registry

Prompt = Literal["react", "reflexion"]


@dataclass(frozen=True)
class Sampling:
    """How the model samples its answers (ProSoftArena, Appendix C.2: temperature 1 and top-p 0.8), and how long they may be."""

    temperature: float = 1.0
    top_p: float = 0.8
    most_tokens: int = 1500


@dataclass(frozen=True)
class AgentChoice:
    """An agent by its name in the registry or its place, and the settings of the model that it asks, if it asks one.

    `label` is its name in tables, if it is not the usual one. `seconds_per_step` are of the model's time; an episode has that many for each step of
    its budget. `actions` names the action space in which the model answers.
    """

    agent: str
    label: str = ""
    model: str | None = None
    prompt: Prompt = "react"
    observation: ObservationChoice = field(default_factory=lambda: observation_choice("tree", ""))
    actions: str = "computer"
    sampling: Sampling = field(default_factory=Sampling)
    seconds_per_step: float = 60.0

    @property
    def name(self) -> str:
        """Return its name in tables."""
        return self.label or (self.agent if self.model is None else f"{self.model} {self.prompt}")

    @property
    def described(self) -> dict[str, Any]:
        """Return the description of the agent for the run's identity."""
        described = {"name": self.name, "agent": identity_of(AGENTS, self.agent)}
        if self.model is None:
            return described
        return described | {
            "model": self.model,
            "prompt": self.prompt,
            "prompts": prompts_hash(),
            "observation": self.observation.words,
            "sources": self.observation.described,
            "actions": identity_of(ACTION_SPACES, self.actions),
            "seconds_per_step": self.seconds_per_step,
            **asdict(self.sampling),
        }


@dataclass(frozen=True)
class Setting:
    """What an agent is made for: one episode, before its environment is reset to the task.

    An agent acts by its decisions alone; the environment is for its machine's `offers`, and for an oracle. `ask` asks the model.
    """

    task: Task
    environment: Environment
    repeat: int
    choice: AgentChoice
    ask: Ask


AGENTS: Registry[Callable[[Setting], Agent]] = Registry(
    "agent",
    "deskmill.agents",
    {
        "oracle": "eval_flows.episodes.agents.follower:Follower",
        "idle": "eval_flows.episodes.agents.idle:Idle",
        "fail": "eval_flows.episodes.agents.fail:AlwaysFail",
        "random": "eval_flows.episodes.agents.clicker:Clicker",
        "model": "eval_flows.episodes.agents.model:ModelAgent",
    },
)


def make_agent(setting: Setting) -> Agent:
    """Return the agent of a setting; PluginError if there is none of its name, or if it cannot be imported."""
    return AGENTS[setting.choice.agent](setting)
