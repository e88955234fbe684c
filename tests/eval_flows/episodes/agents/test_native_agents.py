"""Protects the agents of native computer use, each against a server that speaks its API: what they do ends in calls of the guest, and what goes wrong is told.

The machine adds nothing here, so it only keeps what it would be told. `runs/test_native_at_work.py` plays on the real sandbox.
"""

import re
from base64 import b64encode
from pathlib import Path
from typing import Any, cast

import pytest

from atomic_tasks.problems import BadInput
from eval_flows.episodes.agents.agent import NoDecision
from eval_flows.episodes.agents.choice import AGENTS, AgentChoice
from eval_flows.episodes.environment import PictureForm
from language_models.endpoint import Endpoint, Interface
from tests.eval_flows.episodes.agents.native_desk import (
    CHECK,
    EACH,
    INTERFACES,
    TOO_LONG,
    acts,
    desk,
    ends,
    malformed,
    one_after_another,
    pictures_in,
    pixels_of,
)
from tests.language_models.fake_apis import computer_call, reasoning_item, tool_use
from tests.language_models.fake_server import Fault


@EACH
def test_a_model_acts_and_ends_in_its_own_words(tmp_path: Path, agent: str) -> None:
    x, y = (644, 406) if agent == "ui_tars" else (640, 400)  # it points into 1288 x 812 pixels
    with desk(tmp_path, agent, one_after_another(acts(agent, x, y, "milk"), ends(agent, "DONE"))) as at:
        first, last = at.step(), at.step()
        begun = at.sent(0)
        assert at.pictures(0) == 1 and at.pictures(1) == 2
    moved, *others = at.done
    assert (moved["name"], moved["x"]) == ("move", pytest.approx(640, abs=5)) and abs(moved["y"] - 400) <= 10
    assert others == [{"name": "single_click"}, {"name": "write", "text": "milk"}]
    assert first.kind == "COMMAND" and last.kind == "DONE" and first.spent.input_tokens > 0 and first.notes == ()
    assert "Write milk." in begun and "at most 35 steps" in begun
    assert first.words == ("" if agent == "openai_computer" else "I click.")


@EACH
def test_what_is_impossible_is_said_by_fail(tmp_path: Path, agent: str) -> None:
    with desk(tmp_path, agent, one_after_another(ends(agent, "FAIL"))) as at:
        assert at.step().kind == "FAIL"


@pytest.mark.parametrize("agent", ["openai_computer", "anthropic_computer"])
def test_a_question_to_nobody_is_malformed(tmp_path: Path, agent: str) -> None:
    with desk(tmp_path, agent, one_after_another("Shall I go on?", "DONE")) as at:
        asked, last = at.step(), at.step()
        assert (
            asked.malformed is not None
            and "nobody reads questions" in asked.malformed
            and last.kind == "DONE"
            and "nobody reads questions" in at.sent()
        )


@EACH
def test_a_malformed_answer_is_counted_and_told_and_nothing_of_it_is_done(tmp_path: Path, agent: str) -> None:
    with desk(tmp_path, agent, one_after_another(malformed(agent), acts(agent, 10, 10, "x"), ends(agent, "DONE"))) as at:
        bad = at.step()
        assert bad.malformed and bad.actions == () and at.done == []
        assert at.step().malformed is None and at.step().kind == "DONE" and at.done
        assert bad.malformed in _plain(at.sent(1))
    if agent == "anthropic_computer":
        first, second = (block for block in at.server.requests[1]["messages"][2]["content"] if block["type"] == "tool_result")
        assert first["is_error"] and second["is_error"] and "an earlier action of this step failed" in str(second["content"])


def _plain(text: str) -> str:
    return text.replace("\\'", "'").replace('\\"', '"')


@EACH
def test_an_action_that_the_machine_refuses_is_told_and_those_after_it_are_not_done(tmp_path: Path, agent: str) -> None:
    bad_key = {
        "openai_computer": [computer_call({"type": "type", "text": "a"}, {"type": "keypress", "keys": ["NOKEY"]}, {"type": "type", "text": "b"})],
        "anthropic_computer": [tool_use("type", text="a"), tool_use("key", text="nokey"), tool_use("type", text="b")],
        "ui_tars": "Thought: So.\nAction: type(content='a')\n\nhotkey(key='nokey')\n\ntype(content='b')",
    }
    with desk(tmp_path, agent, one_after_another(bad_key[agent], ends(agent, "DONE"))) as at:
        assert at.step().malformed is None and at.done == [{"name": "write", "text": "a"}]
        at.step()
        assert "'nokey' is no key" in _plain(at.sent())
    if agent == "anthropic_computer":
        results = [block for block in at.server.requests[1]["messages"][2]["content"] if block["type"] == "tool_result"]
        assert [result.get("is_error", False) for result in results] == [False, True, True] and results[0]["content"] == [
            {"type": "text", "text": "done"}
        ]


@EACH
@pytest.mark.parametrize("kind", ["refusal", "long", "empty"])
def test_a_refusal_and_an_answer_that_is_cut_off_or_empty_are_malformed_and_the_model_is_asked_again(tmp_path: Path, agent: str, kind: str) -> None:
    with desk(tmp_path, agent, one_after_another(Fault(kind), ends(agent, "DONE"))) as at:
        bad = at.step()
        words = {"refusal": "you refused to go on: I cannot help", "long": "was cut off", "empty": "your answer was empty"}[kind]
        assert bad.malformed is not None and words in bad.malformed and at.step().kind == "DONE" and words in at.sent()
        request = at.server.requests[-1]
        told = request["messages"] if "messages" in request else request["input"]
        roles = [message["role"] for message in told if message.get("role") in ("user", "assistant")]
        assert roles[-3:] == ["user", "assistant", "user"], "two messages of the user after each other"


def test_a_safety_check_ends_the_episode_unless_the_option_lets_it_pass(tmp_path: Path) -> None:
    checked = [reasoning_item(), computer_call({"type": "type", "text": "a"}, checks=[CHECK])]
    with desk(tmp_path, "openai_computer", one_after_another(checked)) as at, pytest.raises(NoDecision) as ended:
        at.step()
    assert ended.value.status == "safety check" and "malicious_instructions: The screen tells" in str(ended.value)
    assert "acknowledge_safety_checks" in str(ended.value) and ended.value.spent.input_tokens == 100 and len(ended.value.pictures) == 1
    with desk(tmp_path, "openai_computer", one_after_another(checked, "DONE"), acknowledge_safety_checks="true") as at:
        assert at.step().kind == "COMMAND" and at.step().kind == "DONE" and at.done == [{"name": "write", "text": "a"}]
        (output,) = (item for item in at.server.requests[-1]["input"] if item.get("type") == "computer_call_output")
        assert output["acknowledged_safety_checks"] == [CHECK]


@EACH
def test_a_picture_that_is_too_large_is_scaled_down_and_told_and_places_are_scaled_back(tmp_path: Path, agent: str) -> None:
    screen = (3840, 2400)
    with desk(tmp_path, agent, lambda request: acts(agent, 700, 490, "x"), screen=screen) as at:
        decision = at.step()
        (encoded,) = pictures_in(at.server.requests[0])
        width, height = pixels_of(encoded)
    assert width < 2100 and abs(width / height - 1.6) < 0.05 and decision.pictures and len(decision.pictures) == 1
    moved = at.done[0]
    assert abs(moved["x"] - 700 * 3840 / width) <= 20 and abs(moved["y"] - 490 * 2400 / height) <= 20
    if agent != "ui_tars":
        assert f"in {width} x {height} pixels" in at.sent() and "The screen itself has 3840 x 2400 pixels" in at.sent()


@EACH
def test_the_form_of_pictures_holds_and_places_are_those_of_the_smaller_picture(tmp_path: Path, agent: str) -> None:
    with desk(tmp_path, agent, lambda request: acts(agent, 350, 196, "x"), form=PictureForm(640, "jpeg")) as at:
        at.step()
        (encoded,) = pictures_in(at.server.requests[0])
    assert encoded.startswith("/9j/") and abs(at.done[0]["x"] - 700) <= 20 and abs(at.done[0]["y"] - 392) <= 20


@EACH
def test_a_context_that_overflows_loses_older_pictures_first_and_that_is_told(tmp_path: Path, agent: str) -> None:
    """A context for two pictures and five steps."""

    def reply(request: dict[str, Any]) -> Any:
        said = request.get("input") or request["messages"]
        answers = str(said).count("computer_call'") + sum(message.get("role") == "assistant" for message in request.get("messages", ()))
        many = sum(pixels_of(one) != (64, 64) for one in pictures_in(request)) > 2 or answers > 5
        return TOO_LONG[agent] if many else acts(agent, 10, 10, "x")

    with desk(tmp_path, agent, reply) as at:
        decisions = [at.step() for _ in range(8)]
        last = at.sent()
        assert at.pictures() <= 2
    notes = [note for decision in decisions for note in decision.notes]
    assert notes[0] == "too long for the model's context: asked again without the pictures of 1 earlier step"
    assert (
        any(re.search(r"again without \d earlier step", note) for note in notes)
        and decisions[0].notes == ()
        and all(decision.kind == "COMMAND" for decision in decisions)
    )
    assert "The pictures of this step are left out." in last and "did not fit and are left out" in last
    assert "Write milk." in last, "the goal stays"


@EACH
@pytest.mark.parametrize("is_picture", [True, False])
def test_what_is_too_much_even_then_is_the_models_failure(tmp_path: Path, agent: str, is_picture: bool) -> None:
    with desk(tmp_path, agent, lambda request: Fault("picture") if is_picture else TOO_LONG[agent]) as at, pytest.raises(NoDecision) as ended:
        at.step()
    assert ended.value.status == "model failed" and len(at.server.requests) == 3 and len(ended.value.notes) == 2


@EACH
def test_a_picture_that_the_server_refuses_is_made_smaller_and_told_and_places_are_those_of_the_smaller_one(tmp_path: Path, agent: str) -> None:
    """The second picture is refused until it is small, as a screen that is hard to compress is."""

    def reply(request: dict[str, Any]) -> Any:
        shown = [pixels_of(one) for one in pictures_in(request)]
        return Fault("picture") if len(shown) > 1 and max(shown) > (700, 700) else acts(agent, 320, 200, "x")

    with desk(tmp_path, agent, reply) as at:
        decisions = [at.step() for _ in range(3)]
        shown = [pixels_of(one) for one in pictures_in(at.server.requests[-1])]
        told = at.sent()
        assert len(at.server.requests) == 4
    assert [decision.notes for decision in decisions] == [
        (),
        ("a picture was too large for the server: asked again with all pictures half as wide and high",),
        (),
    ]
    assert shown == [(640, 400)] * 3 and pixels_of(b64encode(decisions[1].pictures[0]).decode()) == (640, 400)
    moves = [one["x"] for one in at.done if one["name"] == "move"]
    assert moves[0] == pytest.approx(320, abs=5) and moves[1:] == [pytest.approx(640, abs=8)] * 2
    assert "Pictures did not fit: they have 1/2 of the width and height" in told and (agent == "ui_tars" or "in 640 x 400 pixels" in told)


def test_a_zoom_is_answered_by_its_part_of_the_screen(tmp_path: Path) -> None:
    with desk(tmp_path, "anthropic_computer", one_after_another([tool_use("zoom", region=[0, 0, 100, 50])], "DONE")) as at:
        assert at.step().actions == [] and at.step().kind == "DONE"
        zoomed, whole = list(pictures_in(at.server.requests[1]))[-2:]
    assert pixels_of(zoomed) == (1568, 784) and pixels_of(whole) == (1280, 800)


def test_ui_tars_of_the_first_kind_points_in_thousandths_and_only_the_newest_pictures_are_shown(tmp_path: Path) -> None:
    with desk(tmp_path, "ui_tars", lambda request: acts("ui_tars", 500, 500, "x"), coordinates="thousandths", pictures="2") as at:
        for _ in range(5):
            at.step()
        assert (at.done[0]["x"], at.done[0]["y"]) == (640, 400) and at.pictures() == 2 and str(at.server.requests[-1]).count("Thought: I click.") == 4


@EACH
def test_an_endpoint_of_another_interface_and_tiles_are_refused(agent: str) -> None:
    made = cast("Any", AGENTS[agent])
    wrong: Interface = "chat" if agent != "ui_tars" else "responses"
    with pytest.raises(BadInput, match=f"the agent '{agent}' speaks the interface '{INTERFACES[agent]}', and model 'm' is declared with '{wrong}'"):
        made.refuse(agent, Endpoint("m", "http://localhost:1", interface=wrong), PictureForm())
    with pytest.raises(BadInput, match="leave out `tiles`"):
        made.refuse(agent, Endpoint("m", "http://localhost:1", interface=INTERFACES[agent]), PictureForm("tiles"))
    made.refuse(agent, Endpoint("m", "http://localhost:1", interface=INTERFACES[agent]), PictureForm(1024))


@EACH
def test_its_actions_and_its_observation_are_its_own(agent: str) -> None:
    choice = AgentChoice(agent, model="m", actions="code").settled
    assert (choice.actions, choice.observation.words, choice.name) == ("native", "screenshot", f"m {agent}") and choice.asks_a_model
