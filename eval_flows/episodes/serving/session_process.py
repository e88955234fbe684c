"""What the process of a session does: it plays the environment, call by call."""

import json
import pickle
import traceback
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from eval_flows.episodes.environment import Observation
from eval_flows.episodes.environment.stage import Start
from eval_flows.episodes.runs.worker import Ask
from eval_flows.episodes.serving.messages import Pictures, Sent, StateMessage, as_json, reward_as_json
from eval_flows.episodes.serving.suite_environment import Deed, SuiteEnvironment
from eval_flows.episodes.tasks.task import Task
from machines.machine import MachineChoice

Call = tuple[str, tuple[Any, ...]]
"""The name of a method of `SessionWork`, and its arguments."""


@dataclass(frozen=True)
class Raised:
    """An error of a call. The server raises it again."""

    error: Exception


@dataclass
class SessionWork:
    """The work of one session: it carries out calls on an environment, and returns observations as the JSON that the client gets."""

    session: str
    suite: str
    machine: MachineChoice
    pictures: Pictures
    most_steps: int | None
    _screenshot: bytes | None = field(default=None, init=False)

    def __call__(self, call: Call, ask: Ask) -> Any:
        """Carry out a call, and return its result, or its error as `Raised`."""
        name, arguments = call
        try:
            return getattr(self, name)(*arguments)
        except Exception as error:
            error.add_note(f"in the process of the session {self.session}:\n{traceback.format_exc()}")
            return Raised(_sendable(error))

    def reset(self, task: Task, start: Start) -> bytes:
        """Set an episode up, and observe."""
        return self._observed(self._environment.reset(task, start))

    def step(self, deed: Deed) -> bytes:
        """Carry out a step, and observe."""
        return self._observed(self._environment.step(deed))

    def look(self) -> bytes:
        """Observe elements and windows again."""
        return self._observed(self._environment.look())

    def screenshot(self) -> bytes | None:
        """Return the screenshot of the last reset or step, as PNG; None if the session has none."""
        return self._screenshot

    def evaluate(self) -> dict[str, Any]:
        """Judge the state of the machine."""
        return reward_as_json(self._environment.evaluate())

    def state(self) -> StateMessage:
        """Return what is played, and how far it is."""
        played = self._environment
        return StateMessage(
            session=self.session,
            suite=self.suite,
            episode=played.task.episode_id,
            instruction=played.task.instruction,
            step=played.steps,
            steps=played.budget,
            end=played.end,
            screen=played.screen,
        )

    def close(self) -> None:
        """Stop the machine."""
        self._environment.close()

    @cached_property
    def _environment(self) -> SuiteEnvironment:
        sees = {"clipboard"} if self.pictures == "none" else {"clipboard", "screenshot"}
        return SuiteEnvironment((), self.machine, sees, self.most_steps)

    def _observed(self, observation: Observation) -> bytes:
        self._screenshot = observation.screenshot or self._screenshot
        return json.dumps(as_json(Sent(self.state(), observation), self.pictures), ensure_ascii=False).encode()


def _sendable(error: Exception) -> Exception:
    """Return an error that a process can send: the same, or its words if it holds what cannot be sent."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # a library may put anything into its errors
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
