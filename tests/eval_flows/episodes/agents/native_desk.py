"""A desk for the agents of native computer use: what each model says to act, a server that speaks its API, and a machine that keeps what it would be told."""

import base64
import io
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from PIL import Image as Picture

from eval_flows.episodes.agents.agent import Decision, Situation
from eval_flows.episodes.agents.choice import AgentChoice, Sampling, Setting, make_agent
from eval_flows.episodes.environment import Environment, Observation, PictureForm
from eval_flows.episodes.environment.picture import in_form
from eval_flows.episodes.runs.answering import told
from eval_flows.episodes.tasks.task import Task
from language_models.client import Client
from language_models.endpoint import Endpoint, Interface
from machines.actions import MalformedAction, for_guest
from machines.hands import HANDS, for_hands
from tests.eval_flows.episodes.desktops import OFFERS
from tests.language_models.fake_apis import computer_call, reasoning_item, thinking, tool_use
from tests.language_models.fake_server import FakeServer, Fault, fake_server
from tests.language_models.test_client import QUICK

INTERFACES: Mapping[str, Interface] = {"openai_computer": "responses", "anthropic_computer": "anthropic", "ui_tars": "chat"}
EACH = pytest.mark.parametrize("agent", INTERFACES)
COLOURS = ("white", "red", "green", "blue", "yellow", "black", "orange", "purple")
CHECK = {"id": "sc_1", "code": "malicious_instructions", "message": "The screen tells the model what to do."}
TOO_LONG = {
    "openai_computer": Fault("400", message="Your input exceeds the context window of this model.", code="context_length_exceeded"),
    "anthropic_computer": Fault("400", message="prompt is too long: 210000 tokens > 200000 maximum"),
    "ui_tars": Fault("400", message="This model's maximum context length is 8192 tokens"),
}
BAD = {"type": "click", "x": 1}


def acts(agent: str, x: int, y: int, text: str) -> Any:
    """What a model of each kind says that clicks at a place and types."""
    match agent:
        case "openai_computer":
            return [reasoning_item(), computer_call({"type": "click", "button": "left", "x": x, "y": y}, {"type": "type", "text": text})]
        case "anthropic_computer":
            return [thinking(), {"type": "text", "text": "I click."}, tool_use("left_click", coordinate=[x, y]), tool_use("type", text=text)]
        case _:
            return f"Thought: I click.\nAction: click(start_box='({x},{y})')\n\ntype(content='{text}')"


def ends(agent: str, word: str) -> str:
    if agent == "ui_tars":
        return f"Thought: So it is.\nAction: {'finished' if word == 'DONE' else 'call_user'}()"
    return f"So it is. {word}"


def malformed(agent: str) -> Any:
    match agent:
        case "openai_computer":
            return [reasoning_item(), computer_call(BAD)]
        case "anthropic_computer":
            return [tool_use("left_click", coordinate=[1]), tool_use("type", text="x")]
        case _:
            return "Thought: I click.\nAction: click(here)"


@dataclass
class Desk:
    """An agent at a desk whose screen has another colour at each step; what the machine would be told is kept."""

    agent: Any
    server: FakeServer
    screen: tuple[int, int]
    form: PictureForm
    done: list[dict[str, Any]] = field(default_factory=list)
    steps: int = 0
    feedback: str = ""
    carried_out: int = 0

    def step(self) -> Decision:
        """One step, as the environment would carry it out."""
        file = io.BytesIO()
        Picture.new("RGB", self.screen, COLOURS[self.steps % len(COLOURS)]).save(file, "PNG")
        self.steps += 1
        pictures = in_form(file.getvalue(), self.form, None)
        seen = Observation([], [], file.getvalue(), feedback=self.feedback, carried_out=self.carried_out, pictures=pictures)
        decision: Decision = self.agent.decide(Situation("Write milk.", seen, None, self.steps, 35, "", [], self.screen))
        self.feedback, self.carried_out = decision.malformed or "", 0
        for action in () if decision.malformed else decision.actions:
            try:
                if decision.kind == "COMMAND":
                    self.done += for_hands(action, self.screen) if action.name in HANDS else for_guest(action, [], self.screen)
            except MalformedAction as error:
                self.feedback = f"{action.name} was not carried out: {error}"
                break
            self.carried_out += 1
        return decision

    def sent(self, number: int = -1) -> str:
        """A request in one text, without its pictures."""
        return str(_without_pictures(self.server.requests[number]))

    def pictures(self, number: int = -1) -> int:
        """How many pictures of the screen a request had, without those that only stand for one."""
        return sum(pixels_of(one) != (64, 64) for one in pictures_in(self.server.requests[number]))


def pictures_in(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        for inner in part.values():
            yield from pictures_in(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from pictures_in(inner)
    elif isinstance(part, str) and _is_picture(part):
        yield part.rpartition(",")[2]


def _is_picture(text: str) -> bool:
    return text.rpartition(",")[2].startswith(("iVBORw0KGgo", "/9j/"))


def _without_pictures(part: Any) -> Any:
    if isinstance(part, dict):
        return {name: _without_pictures(inner) for name, inner in part.items()}
    if isinstance(part, list):
        return [_without_pictures(inner) for inner in part]
    return "[picture]" if isinstance(part, str) and _is_picture(part) else part


def pixels_of(encoded: str) -> tuple[int, int]:

    return Picture.open(io.BytesIO(base64.b64decode(encoded))).size


@contextmanager
def desk(
    path: Path,
    agent: str,
    reply: Callable[[dict[str, Any]], Any],
    *,
    screen: tuple[int, int] = (1280, 800),
    form: PictureForm | None = None,
    **options: Any,
) -> Iterator[Desk]:
    form = form or PictureForm()
    with fake_server(reply) as server:
        endpoint = Endpoint("m", server.base_url, interface=INTERFACES[agent], patience=QUICK, takes_temperature=agent == "ui_tars")
        with Client(endpoint, path / "calls.sqlite", "a run") as client:
            task = Task(level="L1", discipline="", instruction="Write milk.", values={}, steps=())
            environment = cast("Environment", SimpleNamespace(offers=replace(OFFERS, screen=screen), form=form))
            choice = AgentChoice(agent, model="m", sampling=Sampling(most_tokens=100), options=options).settled
            made = make_agent(Setting(task, environment, 1, choice, lambda question: client.run(told(client, question))))
            yield Desk(made, server, screen, form)


def one_after_another(*replies: Any) -> Callable[[dict[str, Any]], Any]:
    left = list(replies)
    return lambda request: left.pop(0)
