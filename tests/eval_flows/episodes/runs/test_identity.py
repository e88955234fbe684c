"""Protects the identity of runs and proofs: whatever decides what they come to is part of it, and what decides nothing is not."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from atomic_tasks.catalog import Catalog
from eval_flows.episodes.agents import choice
from eval_flows.episodes.agents.choice import AgentChoice, Sampling
from eval_flows.episodes.agents.observation_source import observation_choice
from eval_flows.episodes.agents.observations.cards import Cards
from eval_flows.episodes.proofs.proof import Subject
from eval_flows.episodes.proofs.proving import _job
from eval_flows.episodes.runs import identity
from eval_flows.episodes.runs import run as runs
from eval_flows.episodes.runs.identity import code_hashes, meaning
from eval_flows.episodes.runs.run import Plan
from eval_flows.episodes.tasks.suite import read_suite, suite_tasks
from language_models.endpoint import Endpoint
from machines.machine import MachineChoice, Offers, Program
from tests.conftest import REPOSITORY
from tests.eval_flows.episodes.desktops import OFFERS

read = cache(meaning)  # each file of the checkout once for all tests


@pytest.fixture(autouse=True)
def read_anew(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(identity, "meaning", read)
    code_hashes.cache_clear()
    yield
    code_hashes.cache_clear()


class Built(MachineChoice):
    """A machine whose identity is told, since its image is not built."""

    @property
    def offers(self) -> Offers:
        return OFFERS

    @property
    def identity(self) -> dict[str, Any]:
        return {"kind": self.kind, "root": "0123456789abcdef", "home": "fedcba9876543210", **self.options}


def plan(tmp_path: Path, **other: Any) -> Plan:
    agent = AgentChoice("model", observation=observation_choice("tree+cards", "smoke"), model="m")
    made = Plan(
        "smoke",
        ["a", "b"],
        [],
        {"a": ["mousepad"]},
        agent,
        Built("sandbox", "smoke", tmp_path),
        [],
        "preloaded",
        1,
        Endpoint("m", "http://here:1/v1"),
    )
    return replace(made, **other)


def test_runs_that_may_come_to_something_else_are_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of these but the first six were one run: two models, two servers, two sets of cards, two checkers or two guests in one table."""
    base = plan(tmp_path)
    agent, endpoint = base.agent, base.endpoint
    assert endpoint is not None
    shown = agent.observation
    others = {
        "suite": replace(base, suite="desktop"),
        "episodes": replace(base, of_suite=["a"]),
        "start": replace(base, start="bare"),
        "model": replace(base, agent=replace(agent, model="n")),
        "prompt": replace(base, agent=replace(agent, prompt="reflexion")),
        "temperature": replace(base, agent=replace(agent, sampling=Sampling(temperature=0.5))),
        "top-p": replace(base, agent=replace(agent, sampling=Sampling(top_p=0.5))),
        "cards": replace(base, agent=replace(agent, observation=replace(shown, sources=(Cards("More."), *shown.sources[1:])))),
        "observation": replace(base, agent=replace(agent, observation=observation_choice("tree", "smoke"))),
        "checkers": replace(base, checkers=[{"place": "package.checks:CHECKERS"}]),
        "label": replace(base, agent=replace(agent, label="other")),
        "agent": replace(base, agent=replace(agent, agent="oracle")),
        "place of an agent": replace(base, agent=replace(agent, agent="eval_flows.episodes.agents.model:ModelAgent")),
        "place of an action space": replace(base, agent=replace(agent, actions="eval_flows.episodes.agents.action_spaces.computer:Computer")),
        "seconds": replace(base, agent=replace(agent, seconds_per_step=5.0)),
        "address": replace(base, endpoint=replace(endpoint, base_url="http://there:1/v1")),
        "served as": replace(base, endpoint=replace(endpoint, served_as="m-v2")),
        "thinking": replace(base, endpoint=replace(endpoint, reasoning_tokens=500)),
        "edition": replace(base, endpoint=replace(endpoint, edition="v2")),
        "kind of machine": replace(base, machine=Built("qemu", "smoke", tmp_path)),
        "image": replace(base, machine=Built("sandbox", "smoke", tmp_path, {"root": "other"})),
    }
    ids = {name: one.run_id for name, one in others.items()} | {"base": base.run_id}
    assert len(set(ids.values())) == len(ids), ids
    for part, changed in ((choice, {"prompts_hash": lambda: "other prompts"}), (runs, {"HISTORY": 3}), (runs, {"STEP_BUDGETS": {"L1": 9}})):
        with monkeypatch.context() as patch:
            for name, value in changed.items():
                patch.setattr(part, name, value)
            assert base.run_id not in ids.values(), changed
    assert base.described["agent"]["most_tokens"] == 1500 and base.described["offers"]["screen"] == (1280, 800)


def test_what_only_says_how_much_is_played_makes_no_other_run(tmp_path: Path) -> None:
    base = plan(tmp_path)
    assert base.endpoint is not None
    same = [replace(base, repeats=5), replace(base, keep_pictures=False), replace(base, endpoint=replace(base.endpoint, at_once=1, openness="open"))]
    assert {one.run_id for one in same} == {base.run_id}


OF_ROOM = [
    ("eval_flows/episodes/checkers/documents.py", "checks"),
    ("eval_flows/episodes/checkers/metrics.py", "checks"),
    ("eval_flows/episodes/tasks/makers/common.py", "checks"),
    ("eval_flows/episodes/agents/oracle.py", "checks"),
    ("eval_flows/episodes/environment/environment.py", "checks"),
    ("eval_flows/episodes/proofs/proof.py", "checks"),
    ("eval_flows/episodes/tasks/task.py", "checks"),
    ("eval_flows/episodes/runs/play.py", "agents"),
    ("eval_flows/episodes/agents/clicker.py", "agents"),
    ("eval_flows/episodes/agents/action_spaces/computer.j2", "agents"),
    ("eval_flows/episodes/agents/observations/tree.py", "agents"),
    ("eval_flows/episodes/people/intervention.py", "agents"),
    ("machines/lines.py", "agents"),
    ("machines/telling.py", "agents"),
    ("machines/guest/__main__.py", "machine"),
    ("machines/actions.py", "machine"),
    ("machines/observation.py", "machine"),
    ("machines/launch.sh", "machine"),
]


@pytest.mark.parametrize(("changed", "room"), OF_ROOM, ids=[path for path, _ in OF_ROOM])
def test_code_that_decides_results_is_part_of_runs_and_of_proofs(
    changed: str, room: str, tmp_path: Path, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    (one, *_) = suite_tasks(read_suite("smoke"), catalog)
    machine = Built("sandbox", "smoke", tmp_path)

    def key() -> str:
        return _job(Subject(one.task, {}), machine).key

    run, proof, hashes = plan(tmp_path).run_id, key(), code_hashes("sandbox")
    monkeypatch.setattr(identity, "meaning", lambda path: read(path) + b"more" * (path == REPOSITORY / changed))
    code_hashes.cache_clear()
    assert {name for name, was in hashes.items() if was != code_hashes("sandbox")[name]} == {room}
    assert plan(tmp_path).run_id != run and (key() != proof) == (room != "agents")


@pytest.mark.parametrize("changed", ["machines/remote/osworld.py", "machines/qemu.py", "machines/build.py", "machines/desktop.yaml"])
def test_code_of_other_kinds_of_machine_is_no_part_of_runs_in_the_sandbox(changed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An edit of one kind made every proof and run of the others void."""
    run = plan(tmp_path).run_id
    monkeypatch.setattr(identity, "meaning", lambda path: read(path) + b"more" * (path == REPOSITORY / changed))
    code_hashes.cache_clear()
    assert plan(tmp_path).run_id == run


def test_what_a_machine_offers_is_part_of_runs_and_of_proofs(tmp_path: Path, catalog: Catalog) -> None:
    (one, *_) = suite_tasks(read_suite("smoke"), catalog)

    class Other(Built):
        @property
        def offers(self) -> Offers:
            return replace(OFFERS, programs={"mousepad": Program(command=["mousepad"], window_class="Mousepad")})

    machine, other = Built("sandbox", "smoke", tmp_path), Other("sandbox", "smoke", tmp_path)
    assert _job(Subject(one.task, {}), machine).key != _job(Subject(one.task, {}), other).key
    assert plan(tmp_path, machine=machine).run_id != plan(tmp_path, machine=other).run_id


def test_better_words_in_the_code_change_nothing_and_other_code_does(tmp_path: Path) -> None:
    path = tmp_path / "code.py"

    def of(text: str) -> bytes:
        path.write_text(text)
        return meaning(path)

    first = of('"""About."""\ndef f(x):\n    """Twice."""\n    return 2 * x\n')
    assert of('"""About it, at length."""\n\n\ndef f(x):\n    # twice\n    return 2 * x\n') == first
    assert of('"""About."""\ndef f(x):\n    """Twice."""\n    return 3 * x\n') != first
