"""Protects the agents that keep a conversation or plan: what their model is asked, step by step, and what happens when it does not fit the model.

Their questions go through the client to a server that speaks the API; no machine is needed.
"""

import io
import re
from base64 import b64decode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from PIL import Image as Picture

from atomic_tasks.problems import BadInput
from eval_flows.episodes.agents.agent import Decision, NoDecision, Situation
from eval_flows.episodes.agents.choice import AgentChoice, Setting, make_agent
from eval_flows.episodes.agents.observation_source import observation_choice
from eval_flows.episodes.environment import Environment, Observation, PictureForm
from eval_flows.episodes.environment.picture import halved
from eval_flows.episodes.runs.answering import told
from eval_flows.episodes.tasks.task import Task
from language_models.client import Client
from language_models.endpoint import Endpoint
from machines.client import Window
from machines.machine import Program
from machines.observation import Element
from tests.eval_flows.episodes.desktops import OFFERS
from tests.eval_flows.knowing_model import QUICK
from tests.language_models.fake_server import FakeServer, Fault, Reply, fake_server

TOO_LONG = Fault("400", message="maximum context length is 8192 tokens", code="context_length_exceeded")
SAVE = Element(1, "push button", "Save", "", None, frozenset({"focusable"}), (10, 10, 30, 20), "notes.txt", "mousepad")
WINDOW = Window("notes.txt", "Mousepad", 1, 0, 0, 90, 70, True)
Ask = Callable[..., Decision]
Said = list[tuple[str, str, int]]


def screen(number: int) -> bytes:
    file = io.BytesIO()
    Picture.new("RGB", (100, 80), (number, 0, 0)).save(file, "PNG")
    return file.getvalue()


def situation(number: int, **seen: Any) -> Situation:
    def observed(at: int) -> Observation:
        return Observation([SAVE], [WINDOW], screen(at), "copied", pictures=(screen(at),))

    before = observed(number - 1) if number > 1 else None
    return Situation(
        "Write milk.", replace(observed(number), **seen), before, number, 35, "a note", [f"{one}. WAIT" for one in range(1, number)], (100, 80)
    )


@contextmanager
def at_work(
    folder: Path, agent: str, reply: Reply, observe: str = "screenshot", actions: str = "computer", **options: Any
) -> Iterator[tuple[Ask, FakeServer]]:
    """The agent with its model: a function that lets it decide a step, and the server."""
    choice = AgentChoice(agent, model="m", observation=observation_choice(observe, "smoke"), actions=actions, options=options)
    offers = replace(OFFERS, programs={"mousepad": Program(command=["mousepad"], window_class="Mousepad")})
    with fake_server(reply) as server, Client(Endpoint("m", server.base_url, patience=QUICK), folder / "calls.sqlite", "a run") as client:
        environment = cast("Environment", SimpleNamespace(offers=offers, form=PictureForm()))
        task = Task(level="L1", discipline="", instruction="", values={}, steps=())
        made = make_agent(Setting(task, environment, 1, choice, lambda question: client.run(told(client, question))))
        yield lambda number, **seen: made.decide(situation(number, **seen)), server


def said(request: dict[str, Any]) -> Said:
    """The messages of a request: role, text and number of pictures."""
    found = []
    for message in request["messages"]:
        parts = message["content"] if isinstance(message["content"], list) else [{"type": "text", "text": message["content"]}]
        texts = [part["text"] for part in parts if part["type"] == "text"]
        found.append((message["role"], "\n".join(texts), len(parts) - len(texts)))
    return found


def step_of(request: dict[str, Any]) -> int:
    return int(re.findall(r"Step (\d+) of", said(request)[-1][1])[-1])


def waiting(request: dict[str, Any]) -> str:
    return f"I wait at {step_of(request)}.\n```decision\nWAIT\n```"


def fitting(most: Callable[[Said], bool], reply: Reply = waiting) -> Reply:
    """A model with a context of a certain size."""
    return lambda request: reply(request) if most(said(request)) else TOO_LONG


def pictures_in(found: Said) -> list[int]:
    return [number for role, _, number in found if role == "user"]


@pytest.mark.parametrize(("history", "kept"), [("0", []), ("1", [3]), ("3", [1, 2, 3]), (3, [1, 2, 3]), ("all", [1, 2, 3])])
@pytest.mark.parametrize("pictures", [True, False])
def test_past_steps_are_shown_again_as_they_were(tmp_path: Path, history: str | int, kept: list[int], pictures: bool) -> None:
    with at_work(tmp_path, "conversation", waiting, history=history, pictures=pictures) as (decide, server):
        for number in range(1, 5):
            decided = decide(number)
        assert (decided.kind, decided.words, decided.notes, len(decided.pictures)) == ("WAIT", "I wait at 4.", (), 1)
    first, last = said(server.requests[0]), said(server.requests[-1])
    assert last[0] == first[0] and "Goal: Write milk." in first[0][1] and "Goal" not in first[1][1]
    assert [role for role, _, _ in last] == ["system", *["user", "assistant"] * len(kept), "user"]
    assert [text for role, text, _ in last if role == "assistant"] == [f"I wait at {number}.\n```decision\nWAIT\n```" for number in kept]
    assert [text.splitlines()[0] for role, text, _ in last if role == "user"] == [f"Step {number} of at most 35." for number in [*kept, 4]]
    assert pictures_in(last) == [*[int(pictures)] * len(kept), 1]
    if history == "all" and pictures:
        assert server.requests[-1]["messages"][:-2] == server.requests[-2]["messages"], "a prefix that servers keep"


def test_an_option_that_there_is_not_is_refused(tmp_path: Path) -> None:
    with (
        pytest.raises(BadInput, match=r"option 'history' of agent 'conversation': (.|\n)*0, 1, 3, 5 or all"),
        at_work(tmp_path, "conversation", waiting, history=4),
    ):
        pytest.fail("it began")


def test_older_pictures_are_left_out_first_then_older_steps_and_that_is_told(tmp_path: Path) -> None:
    most: list[Callable[[Said], bool]] = [lambda found: sum(pictures_in(found)) <= 3]

    def fits(found: Said) -> bool:
        return most[-1](found)

    with at_work(tmp_path, "conversation", fitting(fits)) as (decide, server):
        assert [decide(number).notes for number in range(1, 4)] == [()] * 3
        decided = decide(4)
        assert (
            decided.notes == ("too long for the model's context: asked again without the pictures of 2 earlier steps",) and len(decided.pictures) == 1
        )
        told = said(server.requests[-1])
        assert pictures_in(told) == [0, 0, 1, 1] and all("(The pictures of this step are left out.)" in told[place][1] for place in (1, 3))
        most.append(lambda found: len(found) <= 4)
        decided = decide(5)
        assert [note.partition("without ")[2] for note in decided.notes] == [
            "the pictures of 1 earlier step",
            "the pictures of 1 earlier step",
            "2 earlier steps",
            "1 earlier step",
        ]
        told = said(server.requests[-1])
        assert [text.splitlines()[0] for _, text, _ in told[1:]] == ["Step 4 of at most 35.", "I wait at 4.", "Step 5 of at most 35."]
        assert "Steps 1 to 3 did not fit and are left out." in told[0][1] and decided.spent.input_tokens == 11
        asked = len(server.requests)
        assert [note.partition("without ")[2] for note in decide(6).notes] == ["the pictures of 1 earlier step", "1 earlier step"], (
            "what was left out stays out"
        )
        assert len(server.requests) == asked + 3


@pytest.mark.parametrize("agent", ["conversation", "navi", "model"])
@pytest.mark.parametrize(
    ("refusal", "why"),
    [(Fault("picture"), "a picture was too large for the server"), (Fault("413", message="Payload Too Large"), "too long for the model's context")],
    ids=["a picture", "the request"],
)
def test_a_picture_that_is_too_large_is_made_smaller_and_that_is_told(tmp_path: Path, agent: str, refusal: Fault, why: str) -> None:
    largest = 60

    def reply(request: dict[str, Any]) -> str | Fault:
        return waiting(request) if all(width <= largest for width in widths(request)) else refusal

    with at_work(tmp_path, agent, reply) as (decide, server):
        decided = decide(1)
        assert decided.notes == (f"{why}: asked again with all pictures half as wide and high",) and decided.pictures == (halved(screen(1)),)
        asked = len(server.requests)
        assert decide(2).notes == () and len(server.requests) == asked + 1, "the next ones are as small at once"
        assert "Pictures did not fit: they have 1/2 of the width and height" in said(server.requests[-1])[0][1]


def widths(request: dict[str, Any]) -> list[int]:
    urls = [part["image_url"]["url"] for message in request["messages"] for part in message["content"] if "image_url" in part]
    return [Picture.open(io.BytesIO(b64decode(url.partition(",")[2]))).width for url in urls]


def test_pictures_of_earlier_steps_get_smaller_with_the_present_one(tmp_path: Path) -> None:
    """As Anthropic wants it, which takes smaller pictures in a request with many."""
    with at_work(
        tmp_path, "conversation", lambda request: waiting(request) if len(found := widths(request)) < 3 or max(found) <= 60 else Fault("picture")
    ) as (decide, server):
        assert [len(decide(number).notes) for number in range(1, 5)] == [0, 0, 1, 0]
        assert widths(server.requests[-1]) == [50] * 4


@pytest.mark.parametrize("agent", ["conversation", "navi", "model"])
@pytest.mark.parametrize(("refusal", "words"), [(TOO_LONG, "maximum context length"), (Fault("picture"), "exceeds the pre-allocated encoder cache")])
def test_what_fits_in_no_way_is_the_models_failure(tmp_path: Path, agent: str, refusal: Fault, words: str) -> None:
    with at_work(tmp_path, agent, lambda request: refusal) as (decide, server):
        with pytest.raises(NoDecision, match=words) as raised:
            decide(2)
        assert (
            raised.value.status == "model failed"
            and len(raised.value.notes) == len(server.requests) - 1 == {"conversation": 2, "navi": 3, "model": 2}[agent]
        )


@pytest.mark.parametrize("agent", ["conversation", "navi"])
@pytest.mark.parametrize(
    ("answer", "malformed"),
    [
        (Fault("refusal"), "no ```decision block"), (Fault("empty"), "no ```decision block"), (Fault("long"), "no ```decision block"), ("Hello!", "no ```decision block"),
        ("```decision\nCOMMAND\n```\n```python\nprint('unbalanced'\n```", "the code cannot be read"),
    ],
    ids=["refused", "empty", "truncated", "no blocks", "no Python"],
)  # fmt: skip
def test_an_answer_that_cannot_be_read_is_malformed_and_the_agent_goes_on(tmp_path: Path, agent: str, answer: str | Fault, malformed: str) -> None:
    with at_work(tmp_path, agent, lambda request: answer if step_of(request) == 1 else waiting(request), actions="code") as (decide, server):
        decided = decide(1)
        assert malformed in (decided.malformed or "") and not decided.actions
        assert decide(2, feedback=decided.malformed).kind == "WAIT"
        told = said(server.requests[-1])
    assert f"The last step was refused: {decided.malformed}" in told[-1][1] and all(text for _, text, _ in told)


def test_navi_plans_on_numbered_elements_beside_the_screen_before(tmp_path: Path) -> None:
    answer = "1. Element 1 saves.\n```decision\nCOMMAND\n```\n```python\nfor _ in range(2):\n    computer.mouse.single_click(id=1)\n```\n```memory\nsaved\n```"
    with at_work(tmp_path, "navi", lambda request: answer, "marks", "code") as (decide, server):
        decided = decide(1)
        assert decided.kind == "COMMAND" and [action.name for action in decided.actions] == ["run_code"] and decided.memory == "saved"
        again = decide(2, printed="out")
        assert again.pictures[0] == screen(1) and len(again.pictures) == 2 and again.pictures[1] != screen(2), "without boxes before, with boxes now"
        system, question = said(server.requests[-1])
    for words in (
        "Plan: which actions",
        "first the screen as it was before",
        "numbered boxes",
        "computer.mouse.move_id(id=12)",
        "pyautogui",
        "100 x 80",
        "nothing of it is left",
    ):
        assert words in system[1], words
    for words in (
        "Goal: Write milk.",
        "Step 2 of at most 35.",
        'push button: 1 "Save"',
        "1. WAIT",
        "Memory:\na note",
        "The code of the last step printed:\nout",
        "Clipboard: copied",
    ):
        assert words in question[1], words


def test_navi_leaves_the_screen_before_out_first(tmp_path: Path) -> None:
    with at_work(tmp_path, "navi", fitting(lambda found: found[-1][2] <= 1), "marks") as (decide, server):
        assert decide(1).notes == ()
        decided = decide(2)
        assert (
            decided.notes == ("too long for the model's context: asked again without the picture before the last action",)
            and len(decided.pictures) == 1
        )
        asked = len(server.requests)
        assert decide(3).notes == () and len(server.requests) == asked + 1


def test_text_alone_needs_no_pictures(tmp_path: Path) -> None:
    for agent in ("conversation", "navi"):
        (tmp_path / agent).mkdir()
        with at_work(tmp_path / agent, agent, waiting, "tree") as (decide, server):
            assert decide(2).pictures == () and said(server.requests[0])[-1][2] == 0 and "Pictures: first" not in said(server.requests[0])[0][1]
