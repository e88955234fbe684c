"""Protects a model at work on marks of a mixture: on the real sandbox it clicks what only the picture shows, and a machine without a page is refused."""

import re
from dataclasses import replace
from typing import Any

import pytest

from eval_flows.episodes.agents.choice import AgentChoice
from eval_flows.episodes.agents.observation_source import observation_choice
from eval_flows.episodes.runs.pipeline import EpisodeOptions, evaluate_episodes
from language_models.endpoint import Endpoint
from machines.errors import MachineNeeds
from machines.machine import Offers
from machines.sandbox import Sandbox
from tests.conftest import quiet
from tests.eval_flows.knowing_model import QUICK
from tests.language_models.fake_server import fake_server
from warehouse.layout import DataFolder

CHOICE = AgentChoice("model", model="m", observation=observation_choice("marks[tree,dom,ocr,icons]", "smoke"))


@pytest.mark.slow(minutes=0.5)
def test_a_model_clicks_what_only_the_picture_shows(data: DataFolder) -> None:
    asked: list[list[str]] = []

    def reply(request: dict[str, Any]) -> str:
        asked.append(request["messages"][1]["content"][0]["text"].splitlines())
        if len(asked) == 1:
            by_picture = asked[0][next(place for place, line in enumerate(asked[0]) if line in ("Seen by ocr:", "Seen by icons:")) + 1]
            number = re.search(r": (\d+)", by_picture)
            assert number, by_picture
            return f"```python\nmove_id(id={number[1]})\nsingle_click()\n```"
        return "```decision\nDONE\n```"

    with fake_server(reply) as server:
        options = EpisodeOptions(1, limit=1, endpoint=Endpoint("m", server.base_url, patience=QUICK))
        run = evaluate_episodes("smoke", CHOICE, options, data, quiet)
    assert (run.rows[0]["status"], run.rows[0]["fault"], len(asked)) == ("done", None, 2)
    assert any("move_id(id=" in line for line in asked[1]) and not any("refused" in line for line in asked[1])
    assert any(line.startswith("Seen by tree+ocr") for line in asked[0])


def test_a_machine_that_observes_no_page_is_refused(monkeypatch: pytest.MonkeyPatch, data: DataFolder) -> None:
    known = vars(Sandbox)["offers"]

    def without(sandbox: Sandbox) -> Offers:
        offers: Offers = known.__get__(sandbox, Sandbox)
        return replace(offers, observations=offers.observations - {"dom"})

    monkeypatch.setattr(Sandbox, "offers", property(without))
    with pytest.raises(MachineNeeds, match=r"observe no dom, which 'marks\[tree,dom,ocr,icons\]' needs"):
        evaluate_episodes("smoke", CHOICE, EpisodeOptions(1, limit=1), data, quiet)
