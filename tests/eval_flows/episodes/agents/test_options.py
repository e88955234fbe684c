"""Protects the options of agents: they are declared, read strictly, part of the identity of a run, and shown in tables."""

from types import SimpleNamespace
from typing import Any, Literal, cast

import pytest
from pydantic import Field

from atomic_tasks.problems import BadInput
from eval_flows.episodes.agents.agent import Decision, Situation
from eval_flows.episodes.agents.choice import AgentChoice, Setting
from eval_flows.episodes.agents.options import AgentOptions, Values
from eval_flows.episodes.environment import DONE
from tests.conftest import REPOSITORY

PLACE = f"{__name__}:Haiku"
SECTION = (REPOSITORY / "docs/agents.md").read_text().partition("## Options")[2].partition("\n## ")[0]


class HaikuOptions(AgentOptions):
    lines: int = Field(3, ge=1, le=9, description="lines that it writes")
    pause: float = Field(0.5, ge=0, description="seconds between two lines")
    history: int | Literal["all"] = Field("all", description="past steps that it remembers")


class Haiku:
    wants = frozenset[str]()
    options = HaikuOptions

    def __init__(self, setting: Setting) -> None:
        self.asked = setting.options(HaikuOptions)

    def decide(self, situation: Situation) -> Decision:
        return Decision([DONE])


def choice(options: Values) -> AgentChoice:
    return AgentChoice(PLACE, options=options)


@pytest.mark.parametrize(
    ("given", "lines", "history"), [({}, 3, "all"), ({"lines": "5", "history": "3"}, 5, 3), ({"lines": 5, "history": "all"}, 5, "all")]
)
def test_options_are_read_from_texts_and_from_values(given: Values, lines: int, history: object) -> None:
    found = choice(given).checked_options
    assert isinstance(found, HaikuOptions) and (found.lines, found.history, found.pause) == (lines, history, 0.5)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"line": "5"}, rf"agent '{PLACE}' has no option 'line'; did you mean 'lines'"),
        ({"lines": "10"}, rf"option 'lines' of agent '{PLACE}': must be at most 9, not "),
        ({"lines": "many"}, "option 'lines' of agent .*: must be a whole number, not"),
        ({"pause": "nan"}, "option 'pause'"),
        ({"history": "some"}, "option 'history'"),
        ({"lines": "0"}, r"its options: lines \(lines that it writes; default 3\); pause"),
    ],
)
def test_what_is_no_option_or_no_value_is_refused_with_what_there_is(given: Values, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        _ = choice(given).checked_options


def test_an_agent_without_options_says_so() -> None:
    with pytest.raises(BadInput, match="agent 'idle' has no option 'speed'\nagent 'idle' has no options"):
        _ = AgentChoice("idle", options={"speed": "2"}).checked_options


def test_options_are_part_of_the_identity_however_they_are_written_and_stand_in_the_name() -> None:
    default, five, again = choice({}), choice({"lines": 5}), choice({"lines": "5"})
    assert five.described == again.described != default.described
    assert default.described["options"] == {"lines": 3, "pause": 0.5, "history": "all"}
    assert default.described == choice({"lines": 3}).described
    assert (default.name, five.name) == (PLACE, f"{PLACE} (lines=5)")


def test_scripts_are_told_from_agents_that_decide() -> None:
    assert all(AgentChoice(name).is_scripted for name in ("oracle", "idle", "fail", "random"))
    assert not choice({}).is_scripted and not AgentChoice("model", model="m").is_scripted


def test_the_documented_agent_with_an_option_is_one() -> None:
    made: dict[str, Any] = {}
    exec(compile(SECTION.partition("```python\n")[2].partition("```")[0], "docs/agents.md", "exec"), made)
    setting, situation = (cast("Any", SimpleNamespace(**given)) for given in ({"options": lambda declared: declared(waits=1)}, {"number": 1}))
    agent = made["Patient"](setting)
    assert agent.decide(situation).kind == "WAIT"
    situation.number = 2
    assert agent.decide(situation).kind == "DONE"
