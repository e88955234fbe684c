"""Protects the agents: what the simple ones do, how a model is asked and its answers are read, and a model at work on the real sandbox."""

import io
import json
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image as Picture

from atomic_tasks.catalog import Catalog
from atomic_tasks.problems import BadInput
from eval_flows.episodes.agents.action_spaces.computer import Computer
from eval_flows.episodes.agents.agent import Agent, Decision, NoDecision, Situation, Spent
from eval_flows.episodes.agents.choice import AgentChoice, Sampling, Setting, make_agent
from eval_flows.episodes.agents.model import ModelAgent, read_decision
from eval_flows.episodes.agents.observation_source import ObservationChoice, observation_choice
from eval_flows.episodes.agents.observations.cards import Cards
from eval_flows.episodes.agents.question import Ask, NoAnswer, Question, Told
from eval_flows.episodes.environment import Environment, Observation, PictureForm
from eval_flows.episodes.runs.pipeline import EpisodeOptions, evaluate_episodes
from eval_flows.episodes.tasks.suite import read_suite, suite_tasks
from eval_flows.episodes.tasks.task import Task
from language_models.chat import Answer, Request
from language_models.endpoint import Endpoint
from machines.actions import ACTIONS, Action
from machines.client import Window
from machines.errors import PluginError
from machines.machine import Program
from machines.observation import Element
from tests.conftest import quiet
from tests.eval_flows.episodes.conftest import Listed
from tests.eval_flows.episodes.desktops import OFFERS
from tests.eval_flows.knowing_model import QUICK
from tests.language_models.fake_server import fake_server
from warehouse.layout import DataFolder

SAVE = Element(1, "push button", "Save", "", None, frozenset({"focusable"}), (10, 10, 30, 20), "notes.txt", "mousepad")


def picture(colour: str) -> bytes:
    file = io.BytesIO()
    Picture.new("RGB", (100, 80), colour).save(file, "PNG")
    return file.getvalue()


WINDOW = Window("notes.txt", "Mousepad", 1, 0, 0, 90, 70, True)
SEEN = Observation([SAVE], [WINDOW], picture("white"), "copied before", "line 1 is no call")
SITUATION = Situation("Write milk in notes.txt.", SEEN, None, 3, 35, "my note", ["2. WAIT"], (100, 80))


def block(kind: str, text: str) -> str:
    return f"```{kind}\n{text}\n```\n"


def decided(text: str) -> Decision:
    return read_decision(text, Spent(), Computer())


def setting(choice: AgentChoice, ask: Ask = lambda question: pytest.fail("a model was asked"), repeat: int = 2) -> Setting:
    """An episode on a machine with two programs."""
    task = Task(level="L1", discipline="", instruction="", values={}, steps=())
    programs = {name: Program(command=[name], window_class=name) for name in ("thunar", "mousepad")}
    environment = SimpleNamespace(offers=replace(OFFERS, programs=programs), form=PictureForm())
    return Setting(task, cast("Environment", environment), repeat, choice, ask)


def simple(name: str, repeat: int = 1) -> Agent:
    return make_agent(setting(AgentChoice(name), repeat=repeat))


def test_idle_is_done_and_the_other_gives_up() -> None:
    assert simple("idle").decide(SITUATION).kind == "DONE" and simple("fail").decide(SITUATION).kind == "FAIL"


def test_clicking_about_is_sound_and_the_same_by_the_same_seed() -> None:
    first, again = ([simple("random", seed).decide(SITUATION) for seed in range(200)] for _ in range(2))
    assert first == again and {decision.kind for decision in first} == {"COMMAND", "DONE"}
    assert all(action.name in {*ACTIONS, "DONE"} and action.arguments.get("id", 1) == 1 for decision in first for action in decision.actions)
    empty = replace(SITUATION, observation=Observation([], []))
    assert all(action.name != "move_id" for seed in range(100) for action in simple("random", seed).decide(empty).actions)


def test_a_decision_is_read_with_its_words_actions_and_memory() -> None:
    found = decided(
        "The button is there.\n"
        + block("decision", "COMMAND")
        + block("python", "computer.mouse.move_id(id=1)\nsingle_click()")
        + block("memory", "saved\ntwice")
    )
    assert (found.kind, found.words, found.memory, found.malformed) == ("COMMAND", "The button is there.", "saved\ntwice", None)
    assert found.actions == [Action("move_id", {"id": 1}), Action("single_click", {})]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (block("decision", "done"), "DONE"),
        (block("decision", "\n  Fail  \n"), "FAIL"),
        (block("decision", "WAIT # it is loading"), "WAIT"),
        (block("decision", "# it is loading\nwait"), "WAIT"),
        ("```decision \r\nDONE\r\n```", "DONE"),
        (block("decision", "DONE") + "so it is\n" + block("decision", " done # at last"), "DONE"),
        (block("python", "single_click()"), "COMMAND"),
        (block("decision", "DONE") + block("python", "import os"), "DONE"),
    ],
)
def test_decisions_are_read_in_many_spellings(text: str, kind: str) -> None:
    assert (decided(text).kind, decided(text).malformed) == (kind, None)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no ```decision block"),
        ("I am DONE.", "no ```decision block"),
        (block("decision", "DANCE"), "no ```decision block"),
        ("```decision\nDONE", "no ```decision block"),
        (block("decision", ""), "no ```decision block"),
        (block("decision", "COMMAND") + block("python", "paste()") + block("decision", "DONE"), "disagree (COMMAND, DONE): write one"),
        (block("python", "single_click()") + block("python", "import os"), "line 2 is no call"),
        (block("decision", "COMMAND"), "the code holds no action"),
        (block("decision", "COMMAND") + block("python", "# nothing"), "the code holds no action"),
        (block("decision", "COMMAND") + block("python", "for i in range(9): single_click()"), "line 1 is no call"),
        (block("decision", "COMMAND") + block("python", "os.system('reboot')"), "there is no action 'os.system'"),
    ],
)
def test_what_cannot_be_read_is_malformed_and_does_nothing(text: str, said: str) -> None:
    assert said in (decided(text).malformed or "") and not decided(text).actions


def test_several_blocks_of_code_and_of_memory_are_read_in_their_order() -> None:
    """A model that reasons between two blocks means both: the first one was lost once."""
    found = decided(
        block("python", "computer.mouse.move_id(id=1)") + "and then" + block("decision", "COMMAND") + block("memory", "one")
        + block("python", "single_click()\npaste()") + block("memory", "two")
    )  # fmt: skip
    assert [str(action) for action in found.actions] == ["move_id(id=1)", "single_click()", "paste()"] and found.malformed is None
    assert found.memory == "one\ntwo"


@given(
    st.text() | st.lists(st.sampled_from(["```", "decision", "python", "memory", "\n", "DONE", "COMMAND", "single_click()", "#", " "])).map("".join)
)
def test_any_answer_is_a_decision_or_malformed(text: str) -> None:
    found = decided(text)
    assert found.kind in ("COMMAND", "WAIT", "DONE", "FAIL") and (found.actions or found.malformed)


def agent(ask: Ask, prompt: str = "react", observe: str = "tree", cards: str = "") -> ModelAgent:
    observation = observation_choice(observe, "smoke")
    if cards:
        observation = ObservationChoice(("cards", *observation.names), (Cards(cards), *observation.sources))
    choice = AgentChoice("model", "", "m", cast("Any", prompt), observation, sampling=Sampling(0.3, 0.9, 50), seconds_per_step=10 / 35)
    return cast("ModelAgent", make_agent(setting(choice, ask)))


def asked(prompt: str = "react", situation: Situation = SITUATION, **shown: str) -> Request:
    """What a model is asked."""
    requests: list[Request] = []

    def ask(question: Question) -> Told:
        requests.append(question.request)
        return Told(Answer(block("decision", "DONE"), "answered", 11, 7, cost_usd=0.5, call_id="c"), 1.5)

    decision = agent(ask, prompt, **shown).decide(situation)
    assert decision.kind == "DONE" and decision.spent == Spent(11, 7, 0.5, ("c",), 1.5)
    (request,) = requests
    assert (request.temperature, request.top_p, request.max_tokens, request.sample) == (0.3, 0.9, 50, 2)
    return request


def test_the_prompts_say_what_there_is() -> None:
    request = asked()
    for told in (
        "Goal: Write milk in notes.txt.",
        "Step 3 of at most 35",
        "Memory: my note",
        "2. WAIT",
        "refused: line 1 is no call",
        "In front: notes.txt",
        "Clipboard: copied before",
        'push button: 1 "Save" at .100',
    ):
        assert told in request.messages[1].text
    assert (
        "mousepad, thunar" in request.messages[0].text
        and "at most 35 steps" in request.messages[0].text
        and "First reason" in request.messages[0].text
        and not request.images
    )
    assert (
        all(f"{name}(" in request.messages[0].text for name in ACTIONS if name != "switch_to_app")
        and "look back" in asked("reflexion").messages[0].text
    )
    assert "Elements on the screen" not in asked(observe="screenshot").messages[1].text and "A card." in asked(cards="A card.").messages[1].text


def test_elements_that_a_model_was_not_told_of_are_none_to_act_on() -> None:
    seen = replace(SEEN, elements=[SAVE, replace(SAVE, number=2, role="panel", name="", states=frozenset())])

    def acted_on(**shown: str) -> Any:
        made = agent(lambda _: Told(Answer(block("decision", "WAIT"), "answered"), 0.0), **shown)
        return made.decide(replace(SITUATION, observation=seen)).elements

    assert acted_on() == acted_on(observe="marks") == acted_on(observe="marks+tree") == [SAVE] and acted_on(observe="screenshot") == []


def test_pictures_are_attached_when_they_are_asked_for() -> None:
    before = replace(SITUATION, before=Observation([SAVE], [WINDOW], picture("black")))
    assert asked(observe="tree+screenshot").images == (SEEN.screenshot,)
    assert asked(observe="tree+screenshot+before", situation=before).images == (picture("black"), SEEN.screenshot)
    first, marked = asked(observe="tree+screenshot+marks").images
    assert first == SEEN.screenshot and marked != first and asked(observe="marks").images == (marked,)
    assert (
        "Elements before the last step" in asked(observe="tree+before", situation=before).messages[1].text
        and asked(observe="tree+before").images == ()
    )


@pytest.mark.parametrize("status", ["model failed", "out of time"])
def test_a_model_that_gives_no_answer_decides_nothing_and_what_it_took_is_told(status: NoAnswer) -> None:
    questions: list[Question] = []

    def ask(question: Question) -> Told:
        questions.append(question)
        if len(questions) == 1:
            return Told(Answer(block("decision", "WAIT"), "answered"), 4.0)
        return Told(Answer("", "failed", call_id="c"), 2.5, status, "too long")

    asking = agent(ask)
    asking.decide(SITUATION)
    with pytest.raises(NoDecision, match="too long") as raised:
        asking.decide(SITUATION)
    assert (raised.value.status, raised.value.spent) == (status, Spent(calls=("c",), seconds=2.5))
    assert [question.seconds for question in questions] == [10.0, 6.0], "what is left of the seconds that it may take"


def test_what_to_observe_is_read_and_mistakes_are_said() -> None:
    chosen = observation_choice("marks+before+cards", "smoke")
    assert chosen.words == "cards+before+marks" and "mousepad" in chosen.sources[0].content and chosen.wants == {"screenshot"}
    with pytest.raises(PluginError, match=r"there is no observation source 'smell'(.|\n)*tree \(.*tree:tree, built in\)"):
        observation_choice("tree+smell", "smoke")
    for choice, told in (
        (AgentChoice("ghost"), r"there is no agent 'ghost'(.|\n)*oracle \(.*follower:Follower, built in\)"),
        (AgentChoice("idel"), "did you mean 'idle'"),
        (AgentChoice("model", model="m", actions="dance"), r"there is no action space 'dance'(.|\n)*computer \("),
        (AgentChoice("no_such_module:Agent"), "cannot be imported: ModuleNotFoundError"),
    ):
        with pytest.raises(PluginError, match=told):
            evaluate_episodes("smoke", choice, EpisodeOptions(), DataFolder.from_environment(), quiet)
    with pytest.raises(BadInput, match="name it with --model"):
        evaluate_episodes("smoke", AgentChoice("model"), EpisodeOptions(), DataFolder.from_environment(), quiet)
    with pytest.raises(PluginError, match="there is no kind of machine 'toaster'"):
        evaluate_episodes("smoke", AgentChoice("idle"), EpisodeOptions(machine="toaster"), DataFolder.from_environment(), quiet)


def test_a_model_does_a_task_and_what_it_says_wrong_is_told_and_not_done(data: DataFolder, listed: Listed, catalog: Catalog) -> None:
    name = listed("{level: L1, tasks: [mousepad.append_line]}")
    (made,) = suite_tasks(read_suite(name), catalog)
    jotting = made.task.values["jotting"]
    script = [
        "I type it.\n" + block("decision", "COMMAND") + block("python", f"computer.keyboard.press(key='ctrl+end')\ncomputer.keyboard.write(text={jotting!r})") + block("memory", "typed it"),
        block("decision", "COMMAND") + block("python", "single_click()\nopen('/home/agent/planted', 'w').write('x')"),
        block("decision", "command") + block("python", "computer.keyboard.press(key='ctrl+s')"),
        block("decision", "DONE"),
    ]  # fmt: skip

    def reply(request: dict[str, Any]) -> str:
        said = request["messages"][1]["content"]
        text = said if isinstance(said, str) else said[0]["text"]
        return script[int(text.partition("Step ")[2].partition(" of")[0]) - 1]

    with fake_server(reply) as server:
        choice = AgentChoice("model", model="m", observation=observation_choice("tree+marks", name))
        run = evaluate_episodes(name, choice, EpisodeOptions(endpoint=Endpoint("m", server.base_url, patience=QUICK)), data, quiet)
        requests = server.requests
    (row,) = run.rows
    assert (row["fault"], row["reward"], row["status"], row["steps"], row["malformed"]) == (None, 1.0, "done", 4, 1)
    assert (row["input_tokens"], row["output_tokens"], len(requests)) == (44, 28, 4)
    texts = [request["messages"][1]["content"][0]["text"] for request in requests]
    assert (
        made.task.instruction in texts[0]
        and "Memory: typed it" in texts[1]
        and "refused" not in texts[1]
        and "The last step was refused" not in texts[3]
    )
    assert "The last step was refused: line 2: there is no action" in texts[2] and "Memory: typed it" in texts[3]
    assert "2. refused: line 2: there is no action" in texts[3]
    assert all([part["type"] for part in request["messages"][1]["content"]] == ["text", "image_url"] for request in requests)
    steps = json.loads((data.runs / run.run_id / "trajectories" / f"{row['episode_id']}_1" / "trajectory.json").read_text())["steps"]
    assert steps[1]["actions"] == [] and "there is no action" in steps[1]["feedback"] and steps[0]["words"] == "I type it."
    assert all(step["calls"] for step in steps)
