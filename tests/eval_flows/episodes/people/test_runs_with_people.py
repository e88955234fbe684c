"""Protects the choice of a run with people: it is a run of its own, and what cannot have people is refused before anything starts."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from atomic_tasks.problems import BadInput
from eval_flows.episodes.agents.choice import AGENTS, AgentChoice
from eval_flows.episodes.people.intervention import PeopleChoice
from eval_flows.episodes.people.refusals import run_with_people, with_people
from eval_flows.episodes.runs.pipeline import EpisodeOptions, planned_run
from language_models.endpoint import Endpoint
from machines.errors import MachineNeeds
from machines.sandbox import Sandbox
from runners.runner import RunnerChoice
from tests.commands import invoked
from tests.eval_flows.episodes.conftest import Listed
from tests.eval_flows.episodes.people.conftest import APPEND
from warehouse.layout import DataFolder

PEOPLE = PeopleChoice()


def run_id(data: DataFolder, suite: str, agent: str, people: PeopleChoice | None) -> str:
    return planned_run(suite, AgentChoice(agent), EpisodeOptions(people=people), data).run_id


def test_people_make_a_run_of_its_own_and_so_does_every_person(data: DataFolder, listed: Listed) -> None:
    suite = listed(APPEND)
    ids = [run_id(data, suite, "oracle", people) for people in (None, PEOPLE, PeopleChoice(asks=True), PeopleChoice(wait_seconds=1))]
    ids += [run_id(data, suite, "person", PeopleChoice(person=name)) for name in ("ann", "bob")]
    assert len(set(ids)) == len(ids)
    assert run_id(data, suite, "oracle", PeopleChoice()) == ids[1]


def test_a_person_needs_a_browser(data: DataFolder, listed: Listed) -> None:
    with pytest.raises(BadInput, match="deskmill demonstrate"):
        planned_run(listed(APPEND), AgentChoice("person"), EpisodeOptions(), data)


def described(data: DataFolder, run_id: str, **more: Any) -> None:
    """A run of episodes that has begun."""
    folder = data.runs / run_id
    folder.mkdir(parents=True)
    told = {"run_id": run_id, "started_at": "2026-05-01T08:00:00+00:00", "suite": "smoke", "agent": {"name": "oracle"}}
    (folder / "suite_run.json").write_text(json.dumps(told | more))


@pytest.mark.parametrize(
    ("asked", "why"), [("nothing", "there is no run 'nothing' in"), ("alone", "alone1 is not played with --people"), ("", "there is no run ''")]
)
def test_who_wants_to_watch_a_run_that_nobody_can_watch_is_told_which_they_can(tmp_path: Path, asked: str, why: str) -> None:
    data = DataFolder(tmp_path)
    described(data, "alone1")
    found = invoked("watch", asked, data=tmp_path)
    assert found.exit_code == 2 and why in found.output and "no run here is played with people" in found.output
    described(data, "shared1", people={"asks": False})
    found = invoked("watch", asked, data=tmp_path)
    assert found.exit_code == 2 and "with people there are: shared1 (smoke, oracle)" in found.output
    assert run_with_people("shared", data) == "shared1"


def test_people_come_to_this_host_alone(data: DataFolder, listed: Listed) -> None:
    options = EpisodeOptions(people=PEOPLE, runner=RunnerChoice("dask", None, 1))
    with pytest.raises(BadInput, match="--runner"):
        planned_run(listed(APPEND), AgentChoice("oracle"), options, data)


class Silent:
    """An agent of a user, whose format has no word for asking."""

    asks_a_model = True


def test_an_agent_without_a_word_for_it_is_not_told_to_ask(data: DataFolder, listed: Listed) -> None:
    options = EpisodeOptions(people=replace(PEOPLE, asks=True), endpoint=Endpoint("m", "http://localhost:1"))
    with pytest.raises(BadInput, match="no word for asking a person: leave --ask out, or, in an agent of your own"):
        planned_run(listed(APPEND), AgentChoice(f"{__name__}:Silent", model="m"), options, data)


@pytest.mark.parametrize("agent", [name for name in AGENTS.names if getattr(AGENTS[name], "asks_a_model", False)])
def test_every_agent_that_asks_a_model_can_ask_a_person(agent: str) -> None:
    choice = AgentChoice(agent, model="m")
    assert with_people(choice, replace(PEOPLE, asks=True), True).asks_people and not with_people(choice, PEOPLE, True).asks_people


def test_a_machine_without_a_live_screen_is_refused_in_words(data: DataFolder, listed: Listed, monkeypatch: pytest.MonkeyPatch) -> None:
    offers = vars(Sandbox)["offers"].fget
    monkeypatch.setattr(Sandbox, "offers", property(lambda machine: replace(offers(machine), shows_live=False)))
    with pytest.raises(MachineNeeds, match="no live screen"):
        planned_run(listed(APPEND), AgentChoice("oracle"), EpisodeOptions(people=PEOPLE), data)
