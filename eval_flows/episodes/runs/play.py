"""One episode, from its environment's reset to its reward: the loop between an agent and an environment, with every step recorded."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from eval_flows.episodes.agents.agent import Agent, Decision, NoDecision, Situation
from eval_flows.episodes.environment import Environment, Observation
from eval_flows.episodes.environment.environment import Start
from eval_flows.episodes.runs.trajectory import PlayedStep, Status, Trajectory, sum_of
from eval_flows.episodes.tasks.task import Task

HISTORY = 8  # past decisions that an agent is told
_STATUS: Mapping[str, Status] = {"DONE": "done", "FAIL": "failed by agent"}


def play(environment: Environment, task: Task, agent: Agent, start: Start, keep_pictures: bool, budget: int | None = None) -> Trajectory:
    """Reset the environment to the task, let the agent work within its budget of steps, and evaluate the final state."""
    begun = time.monotonic()
    environment.sees = agent.wants | ({"screenshot"} if keep_pictures else set())
    observation = environment.reset(task, start)
    ready = time.monotonic() - begun
    episode = _Episode(environment, agent, budget or task.budget, keep_pictures)
    status = episode.worked(observation)
    reward = environment.evaluate()
    first = episode.first_program if start == "bare" else None
    spent = sum_of([step.decision.spent for step in episode.steps])
    return Trajectory(status, reward, episode.steps, first, ready, time.monotonic() - begun, spent)


@dataclass
class _Episode:
    """An episode that is played: the steps so far, and the program whose window was opened first."""

    environment: Environment
    agent: Agent
    budget: int
    keep_pictures: bool
    steps: list[PlayedStep] = field(default_factory=list)
    first_program: str | None = None

    def worked(self, observation: Observation) -> Status:
        """Let the agent take its steps, and return how they ended."""
        before: Observation | None = None
        memory = ""
        for number in range(1, self.budget + 1):
            begun = time.monotonic()
            history = [_told(step) for step in self.steps[-HISTORY:]]
            told = (self.environment.task.instruction, observation, before, number, self.budget, memory, history, self.environment.offers.screen)
            try:
                decision = self.agent.decide(Situation(*told))
            except NoDecision as error:
                none = Decision(spent=error.spent, pictures=error.pictures)
                self._record(begun, none, observation, replace(observation, feedback=str(error), pointer=None), True)
                return error.status
            memory, before = decision.memory or memory, observation
            observation = self._step(decision)
            self.first_program = self.first_program or self._opened(observation)
            self._record(begun, decision, before, observation)
            if observation.ended:
                return _STATUS[observation.ended]
        return "out of steps"

    def _step(self, decision: Decision) -> Observation:
        """Carry out a decision; one that is malformed only costs the step, and the agent is told."""
        if decision.malformed is None:
            return self.environment.step(decision.actions, decision.elements)
        return replace(self.environment.step(()), feedback=decision.malformed)

    def _record(self, begun: float, decision: Decision, seen: Observation, after: Observation, gave_no_answer: bool = False) -> None:
        pictures = (decision.pictures or seen.pictures) if self.keep_pictures else ()
        taken = time.monotonic() - begun
        self.steps.append(PlayedStep(len(self.steps) + 1, decision, after.feedback, pictures, after.pointer, taken, gave_no_answer))

    def _opened(self, observation: Observation) -> str | None:
        """Return the program of the lowest window that is a known program's."""
        for window in observation.windows:
            for handle, program in self.environment.offers.programs.items():
                if program.window_class.lower() == window.window_class.lower():
                    return handle
        return None


def _told(step: PlayedStep) -> str:
    if step.decision.malformed is not None:
        return f"{step.number}. refused: {step.feedback}"
    done = ", ".join(action.name if action.name == step.decision.kind else str(action) for action in step.decision.actions)
    return f"{step.number}. {done or step.decision.kind}{f' ({step.feedback})' if step.feedback else ''}"
