"""Protects the decision ASK of agents that ask a model: it is offered by a switch, needs a request, and is nothing without the switch."""

import pytest

from eval_flows.episodes.agents.action_space import ACTION_SPACES
from eval_flows.episodes.agents.agent import Decision, Spent
from eval_flows.episodes.agents.model import read_decision
from eval_flows.episodes.agents.prompts import rendered

ANSWER = "I am stuck.\n```decision\nASK\n```\n```ask\nreason: the dialog does not open\nRequest:  open it for me\n```\n"


def read(text: str, asks: bool) -> Decision:
    return read_decision(text, Spent(), ACTION_SPACES["computer"](), asks)


def test_an_agent_asks_with_its_reason_and_its_request() -> None:
    decision = read(ANSWER, True)
    assert (decision.kind, decision.malformed, decision.words) == ("ASK", None, "I am stuck.")
    assert dict(decision.actions[0].arguments) == {"reason": "the dialog does not open", "request": "open it for me"}


def test_without_the_switch_it_is_no_decision() -> None:
    refused = read(ANSWER, False).malformed
    assert refused is not None and "ASK" not in refused


@pytest.mark.parametrize("block", ["", "```ask\nreason: lost\n```", "```ask\nrequest:\n```"])
def test_a_question_without_a_request_is_malformed(block: str) -> None:
    decision = read(f"```decision\nASK\n```\n{block}", True)
    assert decision.malformed is not None and "request" in decision.malformed and decision.actions == ()


@pytest.mark.parametrize("prompt", ["system", "conversation_system"])
def test_the_prompt_tells_of_it_only_if_it_is_offered(prompt: str) -> None:
    given = {
        "instruction": "",
        "budget": 1,
        "reflexion": False,
        "observed": [],
        "about": "",
        "language": "python",
        "actions": "",
        "example": "",
        "sees": False,
    }
    assert "```ask" in rendered(prompt, **given, asks_people=True)
    assert "ASK" not in rendered(prompt, **given, asks_people=False)


def test_a_model_is_told_what_a_person_did() -> None:
    given = {"instruction": "", "number": 2, "budget": 3, "memory": "", "history": [], "feedback": "", "printed": "", "has_changed": True}
    given |= {"is_still": True, "windows": [], "front": "", "clipboard": "", "shown": ""}
    for prompt in ("step", "conversation_step", "navi_step"):
        assert "A person took over" in rendered(prompt, **given, people="A person took over")
