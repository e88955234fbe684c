"""One episode, from its environment's reset to its reward: the loop between an agent and an environment, with every step recorded.

With a desk, people take part: a person can take over between two steps, and the agent can ask for one.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from eval_flows.episodes.agents.agent import Agent, Decision, NoDecision, Situation, Spent
from eval_flows.episodes.environment import ASK, Environment, Observation
from eval_flows.episodes.environment.stage import Start
from eval_flows.episodes.people.desk import Desk
from eval_flows.episodes.people.intervention import Intervention
from eval_flows.episodes.runs.trajectory import PlayedStep, Status, Trajectory
from eval_flows.episodes.tasks.task import Task

HISTORY = 8  # past decisions that an agent is told
_STATUS: Mapping[str, Status] = {"DONE": "done", "FAIL": "failed by agent"}
_NOT_CARRIED_OUT = "a person took over meanwhile, so it was not carried out"
_NOT_OFFERED = "ASK is not offered here: nobody can be asked"


def play(
    environment: Environment, task: Task, agent: Agent, start: Start, keep_pictures: bool, budget: int | None = None, desk: Desk | None = None
) -> Trajectory:
    """Reset the environment to the task, let the agent work within its budget of steps, and evaluate the final state.

    An agent may have a budget of its own, and a method `prepare` that is called when the machine is ready, as a person has. At a `desk` people take
    part.
    """
    begun = time.monotonic()
    environment.sees = agent.wants | ({"screenshot"} if keep_pictures else set())
    observation = environment.reset(task, start)
    if prepare := getattr(agent, "prepare", None):
        prepare()
    ready = time.monotonic() - begun
    episode = _Episode(environment, agent, budget or getattr(agent, "budget", None) or task.budget, keep_pictures, desk)
    status = episode.worked(observation)
    seconds = time.monotonic() - begun  # the checks are nobody's work
    reward = environment.evaluate()
    first = episode.first_program if start == "bare" else None
    spent = sum((step.decision.spent for step in episode.steps), episode.lost)
    interventions = desk.interventions if desk else []
    return Trajectory(status, reward, episode.steps, first, ready, seconds, spent, interventions)


@dataclass
class _Episode:
    """An episode that is played: the steps so far, the program whose window was opened first, and what decisions cost that nobody carried out."""

    environment: Environment
    agent: Agent
    budget: int
    keep_pictures: bool
    desk: Desk | None = None
    steps: list[PlayedStep] = field(default_factory=list)
    first_program: str | None = None
    lost: Spent = field(default_factory=Spent)

    def worked(self, observation: Observation) -> Status:
        """Let the agent take its steps, and return how they ended."""
        before: Observation | None = None
        memory = people = ""
        while len(self.steps) < self.budget:
            if helped := self._helped():
                before, observation = observation, self.environment.step(())
                people = f"{people}\n{helped.told}".strip()  # a reply that the agent has not read yet stays
            begun = time.monotonic()
            decision = self._decided(observation, before, memory, people)
            if helped := self._helped():  # they took over while it decided, and also one that failed to decide goes on from there
                self.lost += decision.spent
                before, people = observation, f"{people}\n{helped.told}".strip()
                observation = replace(self.environment.step(()), feedback="" if isinstance(decision, NoDecision) else _NOT_CARRIED_OUT)
                continue
            if isinstance(decision, NoDecision):
                none = Decision(spent=decision.spent, pictures=decision.pictures, notes=decision.notes)
                self._record(begun, none, observation, replace(observation, feedback=str(decision), printed="", pointer=None), True)
                return decision.status
            memory, before = decision.memory or memory, observation
            observation, people = self._step(decision)
            self.first_program = self.first_program or self._opened(observation)
            self._record(begun, decision, before, observation)
            if observation.ended:
                return _STATUS[observation.ended]
        return "out of steps"

    def _decided(self, observation: Observation, before: Observation | None, memory: str, people: str) -> Decision | NoDecision:
        number, history = len(self.steps) + 1, [_told(step) for step in self.steps[-HISTORY:]]
        if self.desk:  # a script has no second thought: its decision counts
            self.desk.begin(number, not getattr(self.agent, "is_scripted", False))
        told = (self.environment.task.instruction, observation, before, number, self.budget, memory, history, self.environment.offers.screen)
        try:
            return self.agent.decide(Situation(*told, people))
        except NoDecision as error:
            return error

    def _helped(self) -> Intervention | None:
        """Wait as long as a person has the machine, or wants it, and return what they did; None if nobody does."""
        helped = self.desk.pause(len(self.steps) + 1) if self.desk else None
        if helped:
            self.environment.desktop.settle()  # the screen may still show what they did last
        return helped

    def _step(self, decision: Decision) -> tuple[Observation, str]:
        """Carry out a decision, and return what is seen then, and what a person did who was asked.

        One that is malformed only costs the step, and the agent is told.
        """
        if decision.is_done:
            return replace(self.environment.observation, feedback="", printed="", pointer=None), ""
        if decision.kind == ASK:
            return self._ask(decision)
        if decision.malformed is None:
            return self.environment.step(decision.actions, decision.elements), ""
        return replace(self.environment.step(()), feedback=decision.malformed), ""

    def _ask(self, decision: Decision) -> tuple[Observation, str]:
        if self.desk is None or not self.desk.choice.asks:
            return replace(self.environment.step(()), feedback=_NOT_OFFERED), ""
        asked = decision.actions[0].arguments
        helped = self.desk.ask(len(self.steps) + 1, str(asked.get("reason", "")), str(asked.get("request", "")))
        self.environment.desktop.settle()
        return self.environment.step(()), helped.told

    def _record(self, begun: float, decision: Decision, seen: Observation, after: Observation, gave_no_answer: bool = False) -> None:
        pictures = (decision.pictures or seen.pictures) if self.keep_pictures else ()
        taken = time.monotonic() - begun
        step = PlayedStep(len(self.steps) + 1, decision, after.feedback, pictures, after.pointer, taken, gave_no_answer, after.printed)
        self.steps.append(step)
        if self.desk:
            shown = [str(action) for action in decision.actions]
            told = {"number": step.number, "words": decision.words, "actions": shown, "feedback": step.feedback}
            self.desk.record(told | {"cost_usd": decision.spent.cost_usd})

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
