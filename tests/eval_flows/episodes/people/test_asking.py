"""Protects ASK for every agent that asks a model: each asks in its own format, is helped, is told so, and goes on; and without the switch nothing is offered.

The models are servers that speak the agents' APIs. The machine is only a picture: what a person does on a real one is in `test_with_a_browser.py`.
"""

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest
from anthropic.types import ToolUnionParam
from openai.types.responses import ToolParam
from pydantic import TypeAdapter

from eval_flows.episodes.agents.agent import Agent, Decision, NoDecision, Situation, Spent
from eval_flows.episodes.agents.asking_people import question as asking
from eval_flows.episodes.agents.choice import AgentChoice, Sampling, Setting, make_agent
from eval_flows.episodes.environment import DONE, Environment, Observation, PictureForm, Reward
from eval_flows.episodes.environment.picture import in_form
from eval_flows.episodes.people.desk import Desk
from eval_flows.episodes.people.intervention import Initiator, Intervention, PeopleChoice
from eval_flows.episodes.runs.answering import told
from eval_flows.episodes.runs.play import play
from eval_flows.episodes.runs.trajectory import Trajectory
from eval_flows.episodes.tasks.task import Task
from language_models.client import Client
from language_models.endpoint import Endpoint, Interface
from machines.actions import Action
from machines.machine import Program
from tests.eval_flows.episodes.agents.native_desk import ends
from tests.eval_flows.episodes.agents.test_agents import SAVE, WINDOW, picture
from tests.eval_flows.episodes.desktops import OFFERS
from tests.eval_flows.episodes.people.test_desk import ABOUT, Screen
from tests.language_models.fake_apis import computer_call, function_call, function_use, reasoning_item, thinking, tool_use
from tests.language_models.fake_server import FakeServer, fake_server
from tests.language_models.test_client import QUICK

INTERFACES: Mapping[str, Interface] = {
    "model": "chat", "conversation": "chat", "navi": "chat", "openai_computer": "responses", "anthropic_computer": "anthropic", "ui_tars": "chat",
}  # fmt: skip
EACH = pytest.mark.parametrize("agent", INTERFACES)
NATIVE = ("openai_computer", "anthropic_computer", "ui_tars")
WHY, WANTED, HELP = "The dialog does not open.", "open the dialog for me", "It is behind the window."
TASK = Task(level="L1", discipline="", instruction="Write milk.", values={}, steps=())
WAITING = PeopleChoice(asks=True, wait_seconds=60)


def question(agent: str, **more: Any) -> Any:
    """What a model of each kind says to ask."""
    given = {"reason": WHY, "request": WANTED} | more
    match agent:
        case "openai_computer":
            return [reasoning_item(), function_call("ask_person", **given)]
        case "anthropic_computer":
            return [thinking(), function_use("ask_person", **given)]
        case "ui_tars":
            return f"Thought: {given['reason']}\nAction: call_user(content='{given['request']}')"
        case _:
            return f"```decision\nASK\n```\n```ask\nreason: {given['reason']}\nrequest: {given['request']}\n```"


def beside_an_action(agent: str) -> Any:
    match agent:
        case "openai_computer":
            return [computer_call({"type": "type", "text": "milk"}), function_call("ask_person", reason=WHY, request=WANTED)]
        case "anthropic_computer":
            return [tool_use("type", text="milk"), function_use("ask_person", reason=WHY, request=WANTED)]
        case _:
            return f"Thought: {WHY}\nAction: type(content='milk')\n\ncall_user(content='{WANTED}')"


def end(agent: str) -> str:
    return ends(agent, "DONE") if agent in NATIVE else "```decision\nDONE\n```"


class Room(Screen):
    """An environment with a picture alone, which ends when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        programs = {"mousepad": Program(command=["mousepad"], window_class="Mousepad")}
        self.offers = cast("Any", replace(OFFERS, screen=(100, 80), programs=programs))
        self.form, self.task, self.sees = PictureForm(), TASK, frozenset[str]()

    def reset(self, task: Task, start: str) -> Observation:
        return self.step(())

    def step(self, actions: Any, elements: Any = None) -> Observation:
        white = picture("white")
        ended = next((action.name for action in actions if action.name in ("DONE", "FAIL")), None)
        return Observation([SAVE], [WINDOW], white, "", pictures=in_form(white, self.form, None), ended=cast("Any", ended), carried_out=len(actions))

    def evaluate(self) -> Reward:
        return Reward(1.0, [], [])


@dataclass
class Played:
    """An episode, and what its model was asked."""

    trajectory: Trajectory
    server: FakeServer

    def sent(self, number: int) -> str:
        return str(self.server.requests[number]).replace("\\n", "\n")


@contextmanager
def somebody(desk: Desk, note: str) -> Iterator[None]:
    """A person who answers in words as often as the agent asks."""
    has_ended = threading.Event()

    def helps() -> None:
        while not has_ended.is_set():
            if desk.state()["phase"] == "asks" and desk.take("ann", "Ann") == "taken":
                desk.back("ann", note)
            time.sleep(0.005)

    thread = threading.Thread(target=helps)
    thread.start()
    try:
        yield
    finally:
        has_ended.set()
        thread.join()


def played(folder: Path, agent: str, *said: Any, people: PeopleChoice | None = WAITING, note: str = HELP) -> Played:
    """Play an episode whose model says these things one after another; a person helps if there is a note."""
    room, left = Room(), list(said)
    environment = cast("Environment", room)
    desk = Desk(ABOUT, environment, people) if people else None
    with fake_server(lambda request: left.pop(0)) as server:
        endpoint = Endpoint("m", server.base_url, interface=INTERFACES[agent], patience=QUICK, takes_temperature=INTERFACES[agent] == "chat")
        with Client(endpoint, folder / "calls.sqlite", "a run") as client:
            choice = AgentChoice(agent, model="m", sampling=Sampling(most_tokens=100), asks_people=bool(people and people.asks)).settled
            made = make_agent(Setting(TASK, environment, 1, choice, lambda asked: client.run(told(client, asked)), desk))
            if desk and note:
                with somebody(desk, note):
                    return Played(play(environment, TASK, made, "preloaded", False, desk=desk), server)
            return Played(play(environment, TASK, made, "preloaded", False, desk=desk), server)


@EACH
def test_an_agent_asks_is_helped_and_goes_on(tmp_path: Path, agent: str) -> None:
    episode = played(tmp_path, agent, question(agent), question(agent, request="and the other"), end(agent))
    kinds = [(step.decision.kind, step.decision.malformed) for step in episode.trajectory.steps]
    assert kinds == [("ASK", None), ("ASK", None), ("DONE", None)] and episode.trajectory.status == "done"
    first, second = episode.trajectory.interventions
    assert (first.step, first.initiated_by, first.reason, first.request) == (1, "agent", WHY, WANTED)
    assert (first.person, first.note, first.helped_in, second.request) == ("Ann", HELP, "words", "and the other")
    for number in (1, 2):
        assert f"The person whom you asked changed nothing on the machine. They say: {HELP}" in episode.sent(number)
    assert HELP not in episode.sent(0)


@EACH
def test_an_agent_that_nobody_helps_is_told_so_and_goes_on_alone(tmp_path: Path, agent: str) -> None:
    episode = played(tmp_path, agent, question(agent), end(agent), people=replace(WAITING, wait_seconds=0.01), note="")
    assert [step.decision.kind for step in episode.trajectory.steps] == ["ASK", "DONE"]
    assert "Nobody came within 0 seconds to help: go on alone." in episode.sent(1)


@EACH
def test_a_question_without_a_request_is_malformed_and_told(tmp_path: Path, agent: str) -> None:
    empty = "Action: call_user()" if agent == "ui_tars" else question(agent, request="")
    episode = played(tmp_path, agent, empty, end(agent))
    assert episode.trajectory.interventions == []
    refused = episode.trajectory.steps[0].decision.malformed
    assert refused is not None and "request" in refused and refused[:20] in episode.sent(1)


@pytest.mark.parametrize("agent", NATIVE)
def test_who_asks_does_nothing_else_in_that_step(tmp_path: Path, agent: str) -> None:
    episode = played(tmp_path, agent, beside_an_action(agent), end(agent))
    refused = episode.trajectory.steps[0].decision
    assert refused.malformed == "nothing was done: ask a person without an action beside it" and refused.actions == ()
    assert episode.trajectory.interventions == [] and episode.sent(1).count(refused.malformed) >= 1


def test_ui_tars_asks_by_its_thought_if_the_call_has_no_content(tmp_path: Path) -> None:
    episode = played(tmp_path, "ui_tars", f"Thought: {WHY}\nAction: call_user()", "Thought: No.\nAction: finished(content='impossible')")
    assert [step.decision.kind for step in episode.trajectory.steps] == ["ASK", "FAIL"]
    assert episode.trajectory.interventions[0].request == WHY


@pytest.mark.parametrize("written", [f"call_user(content='I can't go on.\n{WANTED}')", f'call_user(content="I can\'t go on.\n{WANTED}")'])
def test_ui_tars_may_ask_in_words_with_quotes_and_line_breaks(tmp_path: Path, written: str) -> None:
    episode = played(tmp_path, "ui_tars", f"Thought: {WHY}\nAction: {written}", "Thought: No.\nAction: finished(content='Impossible.')")
    assert [step.decision.kind for step in episode.trajectory.steps] == ["ASK", "FAIL"]
    assert episode.trajectory.interventions[0].request == f"I can't go on.\n{WANTED}"


class TakenOver(Desk):
    """A desk whose person answers a question in words, and takes over while the agent thinks about the answer."""

    def pause(self, step: int) -> Intervention | None:
        self.paused = getattr(self, "paused", 0) + 1
        return self._made("human", note="") if self.paused == 4 else None  # before and after each decision

    def ask(self, step: int, reason: str, request: str) -> Intervention:
        return self._made("agent", note=HELP)

    def _made(self, by: Initiator, note: str) -> Intervention:
        return Intervention(1, 1, by, datetime.now(UTC), note=note, person="Ann", ended_at=datetime.now(UTC))


def test_a_reply_is_told_again_where_the_decision_on_it_does_not_count() -> None:
    heard = list[str]()

    class Asks:
        wants = frozenset[str]()

        def decide(self, situation: Situation) -> Decision:
            heard.append(situation.people)
            return Decision([asking(WHY, WANTED)] if len(heard) == 1 else [DONE])

    environment = cast("Environment", Room())
    play(environment, TASK, cast("Agent", Asks()), "preloaded", False, desk=TakenOver(ABOUT, environment, WAITING))
    assert len(heard) == 3 and HELP in heard[1] and HELP in heard[2] and "took over" in heard[2]


def test_a_person_who_took_over_is_waited_for_and_heard_though_the_model_failed_meanwhile() -> None:
    heard = list[str]()
    environment = cast("Environment", Room())
    desk = Desk(ABOUT, environment, PeopleChoice())

    class Fails:
        wants = frozenset[str]()

        def decide(self, situation: Situation) -> Decision:
            heard.append(situation.people)
            if len(heard) == 1:
                assert desk.take("ann", "Ann") == "taken" and desk.back("ann", HELP)
                raise NoDecision("out of time", "it does not answer", Spent(input_tokens=7))
            return Decision([DONE])

    trajectory = play(environment, TASK, cast("Agent", Fails()), "preloaded", False, desk=desk)
    assert [one.note for one in trajectory.interventions] == [HELP] and HELP in heard[1]
    assert (trajectory.status, len(trajectory.steps), trajectory.spent.input_tokens) == ("done", 1, 7), (
        "what failed costs no step, and its tokens count"
    )


def test_the_seconds_of_an_episode_end_before_its_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])

    class Checked(Room):
        def evaluate(self) -> Reward:
            clock[0] += 50
            return super().evaluate()

    class Works:
        wants = frozenset[str]()

        def decide(self, situation: Situation) -> Decision:
            clock[0] += 3
            return Decision([DONE])

    trajectory = play(cast("Environment", Checked()), TASK, cast("Agent", Works()), "preloaded", False)
    assert trajectory.seconds == 3


@pytest.mark.parametrize("people", [None, PeopleChoice()])
@EACH
def test_without_the_switch_nothing_is_offered(tmp_path: Path, agent: str, people: PeopleChoice | None) -> None:
    episode = played(tmp_path, agent, end(agent), people=people, note="")
    assert "ASK" not in episode.sent(0) and "ask_person" not in episode.sent(0) and "ask a person" not in episode.sent(0)
    assert len(episode.server.requests[0].get("tools", ())) == (agent in ("openai_computer", "anthropic_computer"))


@pytest.mark.parametrize(("agent", "declared"), [("openai_computer", ToolParam), ("anthropic_computer", ToolUnionParam)])
def test_the_function_stands_beside_the_tool_of_the_api(tmp_path: Path, agent: str, declared: Any) -> None:
    episode = played(tmp_path, agent, question(agent), end(agent))
    computer, function = episode.server.requests[0]["tools"]
    assert "computer" in computer["type"] and function["name"] == "ask_person" and "costs their time" in function["description"]
    schema = function.get("parameters") or function["input_schema"]
    assert set(schema["properties"]) == {"reason", "request"}
    for tool in (computer, function):
        TypeAdapter(declared).validate_python(tool)


def test_a_call_of_a_function_that_was_not_offered_is_malformed(tmp_path: Path) -> None:
    call = [tool_use("ask_person", reason=WHY, request=WANTED)]
    episode = played(tmp_path, "anthropic_computer", call, end("anthropic_computer"), people=None, note="")
    assert episode.trajectory.steps[0].decision.malformed is not None


def test_what_asks_is_the_same_action_for_all(tmp_path: Path) -> None:
    asked = [played(tmp_path, agent, question(agent), end(agent)).trajectory.steps[0].decision.actions for agent in INTERFACES]
    assert asked == [[Action("ASK", {"reason": WHY, "request": WANTED})]] * len(INTERFACES)
