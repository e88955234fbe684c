"""Figures of machines and episodes: from an empty machine to a ready application, and what a step takes beside the agent's thinking.

The image `desktop` has to be there; `make bench` builds it if it is not.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from statistics import median

from eval_flows.episodes.agents.agent import Situation
from eval_flows.episodes.agents.choice import AgentChoice, Setting, make_agent
from eval_flows.episodes.agents.observation_source import ObservationChoice, Shown, observation_choice
from eval_flows.episodes.agents.question import Told
from eval_flows.episodes.environment import WAIT, Environment, Observation
from eval_flows.episodes.environment.desktop import Desktop
from eval_flows.episodes.tasks.suite import tasks_of
from language_models.chat import Answer, ToolCall
from machines.actions import Action
from machines.build import build_image
from machines.errors import MachineError
from machines.image import Image
from machines.sandbox import Sandbox
from tests.timing import seconds_of
from warehouse.layout import DataFolder

_ROUNDS = 7
_STEPS = 25
_SPINNING = 8  # processes
_SMALL = ("mousepad", "galculator", "thunar")
_LARGE = ("libreoffice_calc", "libreoffice_writer")
_WAITS = Answer("It is loading.\n```decision\nWAIT\n```", "answered")
_AGENTS = (  # each with what it is shown, and a model's answer that waits
    ("model", "tree", _WAITS),
    ("conversation", "screenshot+tree", _WAITS),
    ("navi", "marks", _WAITS),
    ("openai_computer", "screenshot", Answer("", "answered", calls=(ToolCall("call", "computer", {"actions": [{"type": "wait"}]}),))),
    ("anthropic_computer", "screenshot", Answer("", "answered", calls=(ToolCall("call", "wait", {"duration": 0.1}),))),
    ("ui_tars", "screenshot", Answer("Thought: It is loading.\nAction: wait()", "answered")),
)
_OWN_SECONDS = 0.05  # that an agent may take for a step besides model, observation and action
Figure = tuple[str, float, str, str, float]


def figures() -> Iterator[Figure]:
    """Each beside the same application started again in a machine that runs, or beside the plain screenshot."""
    image = build_image("desktop", DataFolder.from_environment().machines, lambda _: None)
    for name, programs in (("small_application", _SMALL), ("libreoffice", _LARGE)):
        resets, starts = zip(*(_reset(image, program) for program in programs for _ in range(_ROUNDS)), strict=True)
        yield f"reset_to_ready_{name}", median(resets), "s", "starting the application in a running machine", median(starts)
    backs, resets = zip(*(_back(image) for _ in range(_ROUNDS)), strict=True)
    yield "desktop_back_after_everything_was_killed", median(backs), "s", "a new machine", median(resets)
    step, screenshot = _step(image)
    yield "step_overhead_small_application", step, "s", "a screenshot alone", screenshot
    for agent, observe, waits in _AGENTS:
        own = _own_seconds(image, agent, observe, waits)
        yield (
            f"own_time_of_{agent}_a_step",
            median(own),
            "s",
            f"{_OWN_SECONDS:g} s, which an agent may take besides model, observation and action",
            _OWN_SECONDS,
        )
    beside, alone = _beside_one_that_spins(image)
    yield "steps_beside_a_machine_that_spins", beside, "steps/s", "the same beside an idle machine", alone


def _reset(image: Image, program: str) -> tuple[float, float]:
    """Seconds from a machine in use to a new one with the application ready, and of starting the application there once more."""
    with Sandbox(image) as machine:
        begun = time.perf_counter()
        machine.reset()
        desk = Desktop(machine.client, machine.offers)
        desk.open(program)
        ready = time.perf_counter() - begun
        machine.client.execute(["pkill", "-9", "-f", image.programs[program].command[0]])
        machine.client.execute(["pkill", "-9", "soffice"])
        desk.wait_until(lambda: not desk.windows_of(program), "the application stayed", 20)
        return ready, seconds_of(lambda: desk.open(program))


def _back(image: Image) -> tuple[float, float]:
    """Seconds until the desktop is up again after an agent killed all of its processes, and of a reset."""
    with Sandbox(image) as machine:
        starts = machine.client.state()["starts"]
        begun = time.perf_counter()
        machine.client.launch(["sh", "-c", "kill -9 -1"])
        while True:
            with suppress(MachineError):  # between two desktops nothing can be looked at
                if machine.client.state()["starts"] > starts:
                    break
            time.sleep(0.01)
        return time.perf_counter() - begun, seconds_of(machine.reset)


def _step(image: Image) -> tuple[float, float]:
    """Median seconds of an observation with tree and picture and an action, and of a picture alone."""
    with Environment(Sandbox(image), sees=("screenshot",)) as environment:
        step = _stepper(environment)
        steps = [seconds_of(step) for _ in range(_STEPS)]
        return median(steps), median(seconds_of(lambda: environment.desktop.client.observe(["screenshot"])) for _ in range(_STEPS))


def _stepper(environment: Environment) -> Callable[[], Observation]:
    """One step in a text editor, which is opened first."""
    environment.reset(tasks_of("smoke")[0])
    return lambda: environment.step(Action("write", {"text": "a"}))


@dataclass
class _AlreadyShown:
    """An observation source whose work was done before: what it shows belongs to the observation."""

    source: ObservationChoice
    ready: Shown = field(default_factory=Shown)
    content = ""

    @property
    def wants(self) -> frozenset[str]:
        return self.source.wants

    @property
    def about(self) -> tuple[str, ...]:
        return tuple(self.source.about)

    def show(self, _: Situation) -> Shown:
        return self.ready


def _own_seconds(image: Image, agent: str, observe: str, waits: Answer) -> list[float]:
    """Seconds of each decision of an agent on a screen with many elements, once the screen is shown, and with a model that answers at once."""
    task = next(one for one in tasks_of("desktop") if one.programs == ["libreoffice_calc"])
    source = _AlreadyShown(observation_choice(observe, "desktop"))
    choice = AgentChoice(agent, model="m", observation=ObservationChoice((observe,), (source,)))
    told = Told(waits, 0.0)
    with Environment(Sandbox(image)) as environment:
        made = make_agent(Setting(task, environment, 1, choice, lambda _: told))
        environment.sees = made.wants
        before, seen, found = None, environment.reset(task), []
        for number in range(1, _STEPS + 1):
            situation = Situation(task.instruction, seen, before, number, task.budget, "", [], environment.offers.screen)
            source.ready = source.source.show(situation)
            found.append(seconds_of(partial(made.decide, situation)))
            before, seen = seen, environment.step(WAIT)
        return found


def _beside_one_that_spins(image: Image) -> tuple[float, float]:
    """Steps a second of a machine, beside one whose processes spin, and beside the same one while it is idle; turn by turn."""
    with Environment(Sandbox(image), sees=("screenshot",)) as environment, Sandbox(image) as other:
        step = _stepper(environment)
        beside, alone = [], []
        for _ in range(_ROUNDS):
            alone += [seconds_of(step) for _ in range(_STEPS)]
            for _ in range(_SPINNING):
                other.client.launch(["python3", "-c", "while True: pass"])
            beside += [seconds_of(step) for _ in range(_STEPS)]
            other.client.execute(["pkill", "-9", "-f", "while True"])
        return len(beside) / sum(beside), len(alone) / sum(alone)


if __name__ == "__main__":
    for name, value, unit, reference, reference_value in figures():
        print(f"{name}: {value:.3f} {unit}; {reference}: {reference_value:.3f}")
