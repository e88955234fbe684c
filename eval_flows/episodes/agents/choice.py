"""Choosing an agent, and making it for one episode in a worker.

A new agent is one module, and one line in `AGENTS`, or an entry point `deskmill.agents` of any package, or a place such as `package.module:MyAgent`.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeVar

from eval_flows.episodes.agents.action_space import ACTION_SPACES
from eval_flows.episodes.agents.agent import Agent
from eval_flows.episodes.agents.observation_source import ObservationChoice, observation_choice
from eval_flows.episodes.agents.options import AgentOptions, Values
from eval_flows.episodes.agents.prompts import prompts_hash
from eval_flows.episodes.agents.question import Ask
from eval_flows.episodes.environment import Environment
from eval_flows.episodes.people.desk import Desk
from eval_flows.episodes.runs.identity import identity_of
from eval_flows.episodes.tasks.task import Task
from machines.plugins import Registry

Prompt = Literal["react", "reflexion"]
Options = TypeVar("Options", bound=AgentOptions)


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
    its budget. `actions` names the action space in which the model answers. `options` are values for the options that the agent declares.
    `asks_people` offers the model the decision ASK.
    """

    agent: str
    label: str = ""
    model: str | None = None
    prompt: Prompt = "react"
    observation: ObservationChoice = field(default_factory=lambda: observation_choice("tree", ""))
    actions: str = "computer"
    sampling: Sampling = field(default_factory=Sampling)
    seconds_per_step: float = 60.0
    options: Values = field(default_factory=dict)
    asks_people: bool = False

    @property
    def name(self) -> str:
        """Return its name in tables: the usual one tells the options that are not the defaults."""
        if self.label:
            return self.label
        chosen = ", ".join(f"{name}={value}" for name, value in self.checked_options.chosen.items())
        prompt = [self.prompt] if self.model and not self.is_native else []
        words = [*([self.model] if self.model else []), *([self.agent] if self.agent != "model" else []), *prompt]
        return " ".join(words) + (f" ({chosen})" if chosen else "")

    @property
    def checked_options(self) -> AgentOptions:
        """Return the options with their defaults; BadInput for one that the agent does not have, or a bad value."""
        declared: type[AgentOptions] = getattr(AGENTS[self.agent], "options", AgentOptions)
        return declared.read(self.agent, self.options)

    @property
    def is_scripted(self) -> bool:
        """Tell whether a script plays, and no model: what it reaches says nothing about any agent that sees and decides."""
        return bool(getattr(AGENTS[self.agent], "is_scripted", False))

    @property
    def asks_a_model(self) -> bool:
        """Tell whether the agent cannot play without a model."""
        return bool(getattr(AGENTS[self.agent], "asks_a_model", False))

    @property
    def is_person(self) -> bool:
        """Tell whether a person plays."""
        return bool(getattr(AGENTS[self.agent], "is_person", False))

    @property
    def is_native(self) -> bool:
        """Tell whether the agent has a format of its own in which its model sees and acts."""
        return bool(getattr(AGENTS[self.agent], "is_native", False))

    @property
    def settled(self) -> "AgentChoice":
        """Return the choice with the prompt, the actions and the observation that the agent has once and for all, if it has."""
        if not self.is_native:
            return self
        return replace(self, prompt="react", actions="native", observation=observation_choice("screenshot", ""))

    @property
    def described(self) -> dict[str, Any]:
        """Return the description of the agent for the run's identity."""
        described: dict[str, Any] = {"name": self.name, "agent": identity_of(AGENTS, self.agent), "scripted": self.is_scripted}
        described |= {"options": options} if (options := self.checked_options.model_dump(mode="json")) else {}
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

    An agent acts by its decisions alone; the environment is for its machine's `offers`, and for an oracle. `ask` asks the model. At the `desk`
    people come to the episode, if they may. `runs` is the folder of all runs, of which an agent can play one back.
    """

    task: Task
    environment: Environment
    repeat: int
    choice: AgentChoice
    ask: Ask
    desk: Desk | None = None
    runs: Path | None = None

    def options(self, declared: type[Options]) -> Options:
        """Return the options of the agent, as it declares them."""
        return declared.read(self.choice.agent, self.choice.options)


AGENTS: Registry[Callable[[Setting], Agent]] = Registry(
    "agent",
    "deskmill.agents",
    {
        "oracle": "eval_flows.episodes.agents.follower:Follower",
        "idle": "eval_flows.episodes.agents.idle:Idle",
        "fail": "eval_flows.episodes.agents.fail:AlwaysFail",
        "random": "eval_flows.episodes.agents.clicker:Clicker",
        "clumsy": "eval_flows.episodes.agents.clumsy:Clumsy",
        "model": "eval_flows.episodes.agents.model:ModelAgent",
        "openai_computer": "eval_flows.episodes.agents.openai_computer:OpenaiComputer",
        "anthropic_computer": "eval_flows.episodes.agents.anthropic_computer:AnthropicComputer",
        "ui_tars": "eval_flows.episodes.agents.ui_tars:UiTars",
        "conversation": "eval_flows.episodes.agents.conversation:Conversation",
        "navi": "eval_flows.episodes.agents.navi:Navi",
        "person": "eval_flows.episodes.agents.person:Person",
        "replay": "eval_flows.episodes.agents.replay:Replay",
    },
)


def make_agent(setting: Setting) -> Agent:
    """Return the agent of a setting; PluginError if there is none of its name, or if it cannot be imported."""
    return AGENTS[setting.choice.agent](setting)
