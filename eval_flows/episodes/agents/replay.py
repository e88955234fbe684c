"""The agent `replay`: it does again what a run did, such as a person's demonstration, and shows that the recorded acts reach the same."""

import ast
from collections.abc import Iterator
from pathlib import Path

from pydantic import Field

from eval_flows.episodes.agents.agent import Decision, Situation
from eval_flows.episodes.agents.choice import Setting
from eval_flows.episodes.agents.options import AgentOptions
from eval_flows.episodes.environment import DONE, FAIL
from eval_flows.episodes.runs.store import read_trajectory
from machines.actions import Action
from machines.errors import MachineError

_ENDS = {"DONE": DONE, "FAIL": FAIL}


class ReplayOptions(AgentOptions):
    """What it plays back."""

    run: str = Field("", description="id of the run whose trajectories it plays back")


class Replay:
    """Decides the recorded steps of the same episode and repeat, one after another."""

    wants = frozenset[str]()
    is_scripted = True
    budget = 10_000  # steps: as many as were recorded
    options = ReplayOptions

    def __init__(self, setting: Setting) -> None:
        """Read the trajectory; MachineError if the run has none of this episode."""
        run = setting.options(ReplayOptions).run
        path = (setting.runs or Path()) / run / "trajectories" / f"{setting.task.episode_id}_{setting.repeat}"
        if not run or not path.is_dir():
            raise MachineError(f"the run {run!r} has no trajectory of episode {setting.task.episode_id}, repeat {setting.repeat}, to play back")
        self._decisions = _decisions(read_trajectory(path)["steps"])

    def decide(self, situation: Situation) -> Decision:
        """Return the next recorded step; DONE after the last."""
        return next(self._decisions, Decision([DONE]))


def _decisions(steps: list[dict[str, object]]) -> Iterator[Decision]:
    for step in steps:
        kind, actions = str(step["decision"]), step["actions"]
        assert isinstance(actions, list)
        if kind in _ENDS:
            yield Decision([_ENDS[kind]])
        elif actions:
            yield Decision([recorded(str(one)) for one in actions], words=str(step["words"]))


def recorded(text: str) -> Action:
    """Return an action from the text of a record; ValueError if it is none. Unlike an agent's text, it holds what hands do beyond Table 8."""
    call = ast.parse(text, mode="eval").body
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
        raise ValueError(f"{text!r:.80} is no recorded action")
    return Action(call.func.id, {str(pair.arg): ast.literal_eval(pair.value) for pair in call.keywords})
