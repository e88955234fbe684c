"""Protects texts: what a narration says is what it claims to say, in every style, and reads as one person's request."""

import json
import re
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atomic_tasks.names import spoken_names
from atomic_tasks.problems import BadInput
from atomic_tasks.schema import PLACEHOLDER, AtomicTask
from compositions.engine import Engine
from compositions.graph import application_graph
from compositions.model import Composition, Step
from narrators.drop_out import DropOut
from narrators.styles import STYLES_FILE, Style, read_styles
from tests.narrators.golden import CATALOG, GOLDEN_FILE, WORKFLOWS, golden_texts, narrated


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(sorted(CATALOG.tasks)), st.integers(0, 2**32))
def test_a_text_is_whole_and_says_what_it_claims(task_id: str, seed: int) -> None:
    task = CATALOG.tasks[task_id]
    engine = Engine(CATALOG.applications[task.application].tasks)
    composition = engine.chain(task, 2, Random(seed)) or engine.single(task, Random(seed))
    assert composition is not None
    narration, values = narrated(composition, seed)
    assert not re.search(r"[{}]|  |^\s|\s$", narration.text), narration.text
    assert narration.kept and set(narration.kept) <= set(range(len(composition.steps)))
    for name in set(PLACEHOLDER.findall(narration.masked_text)) - {"application"}:
        assert values[name] in narration.text, (name, narration.text)
    assert (narration.named is None) == (narration.naming == "none")
    if narration.named is not None:
        assert task.application in narration.named
    if narration.naming == "application":
        said = narration.text.casefold()
        assert any(name.casefold() in said for name in spoken_names(CATALOG.applications[task.application])) or narration.has_typo


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(sorted(WORKFLOWS)), st.integers(0, 2**32))
def test_a_workflow_keeps_a_step_of_every_application(name: str, seed: int) -> None:
    composition = Engine(()).from_workflow(WORKFLOWS[name], CATALOG.tasks, Random(seed))
    narration, _ = narrated(composition, seed)
    graph = application_graph(composition)
    if narration.says_steps:
        assert all(set(node) & set(narration.kept) for node in graph.nodes)
    else:
        assert narration.says_goal and len(graph.nodes) == 1
    if len(graph.nodes) > 1:
        assert narration.naming == "none"
        said = {composition.steps[position].label for position in narration.kept}
        assert said in [set(joint.says) for joint in WORKFLOWS[name].joint], "its parts are never glued together: joint words say them"


def test_drop_out_never_drops_all_nor_leaves_generic_steps_alone() -> None:
    say = ["do it", "do that", "Is it done?"]
    opening = AtomicTask.model_validate({"id": "x.open", "title": "T", "capability": "a.b", "generic": True, "say": say})
    telling = AtomicTask.model_validate({"id": "x.tell", "title": "T", "capability": "a.b", "say": say})
    composition = Composition((Step(opening), Step(telling)), "chain")
    graph = application_graph(composition)
    for seed in range(200):
        assert 1 in DropOut(composition, graph).kept((1.0, 0.0), 3, Random(seed))


def test_what_a_later_step_revises_is_never_said() -> None:
    say = ["do it", "do that", "Is it done?"]
    saving = AtomicTask.model_validate({"id": "x.save", "title": "T", "capability": "a.b", "gives": ["saved"], "say": say})
    removing = {"id": "x.remove", "title": "T", "capability": "a.b", "needs": ["saved"], "ends": ["saved"], "revises": True, "say": say}
    composition = Composition((Step(saving), Step(AtomicTask.model_validate(removing))), "single")
    for seed in range(50):
        assert DropOut(composition, application_graph(composition)).kept((0.0, 0.0), 3, Random(seed)) == (1,)


def test_a_style_refuses_clauses_that_would_read_wrong_in_it() -> None:
    style = Style(templates=("how do I {{ clause }}?",), first_person=True, most_values=1, not_with=("tell", "make sure"))
    assert style.fits("mute {person}") and style.fits("make a tellable list")
    for clause in ("show me the list", "tell {person} the news", "make sure it is off", "send {file} to {person}"):
        assert not style.fits(clause)


@pytest.mark.parametrize(
    ("template", "reason"),
    [
        ("{{ cluase }}", "uses the unknown part 'cluase'; did you mean 'clause'?"),
        ("{% if clause %}{{ clause }}{% endif %}", "a template holds texts and {{ parts }}, and nothing else"),
        ("{{ clause }", "unexpected '}'"),
    ],
)
def test_a_template_with_a_mistake_is_reported_with_its_place(tmp_path: Path, template: str, reason: str) -> None:
    good = STYLES_FILE.read_text()
    (tmp_path / "styles.yaml").write_text(good.replace('"could you please {{ clause }}?"', json.dumps(template), 1))
    with pytest.raises(BadInput) as error:
        read_styles(tmp_path / "styles.yaml")
    assert f"styles.polite.templates[3]: {reason}" in str(error.value)


def test_texts_stay_as_they_were() -> None:
    """Golden: a change of narration shows here as text before it shows in a dataset."""
    assert golden_texts() == GOLDEN_FILE.read_text(), "if the change is meant: make golden, read the difference, and commit it"
