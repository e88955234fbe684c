"""Protects rewordings: each says what its phrasings say, and a text is one only in the voice of its writer and where it names nothing."""

from collections.abc import Mapping
from dataclasses import replace
from random import Random

import pytest

from atomic_tasks.arguments.registry import Generator
from atomic_tasks.catalog import Catalog
from atomic_tasks.schema import AtomicTask
from compositions.graph import application_graph
from compositions.library import Located, read_workflows
from compositions.model import Composition, Step
from flows.recipe import read_recipe
from narrators.naming import Names
from narrators.narrator import Narration, Narrator, Spoken
from narrators.rewordings import problems_of
from narrators.styles import read_styles

TASK = "excel.sum_column"
GOOD = {
    "careful": "My report needs the sum. Could you add up the column {value_column} in {workbook}?",
    "hurried": "can you add up {value_column} in {workbook} for me real quick",
}


def with_rewordings(catalog: Catalog, rewordings: Mapping[str, str]) -> Catalog:
    excel = catalog.applications["excel"]
    said = {"say": ("add up the {value_column} column in {workbook}", "What is the sum of the column?"), "rewordings": rewordings}
    tasks = tuple(task.model_copy(update=said) if task.id == TASK else task for task in excel.tasks)
    return replace(catalog, applications={"excel": excel.model_copy(update={"tasks": tasks})})


def reasons(catalog: Catalog, rewordings: Mapping[str, str], workflows: list[Located] | None = None) -> list[str]:
    found = problems_of(with_rewordings(catalog, rewordings), workflows or [], read_styles().voices)
    return [str(problem) for problem in found if "rewordings" in str(problem)]


def test_faithful_rewordings_pass(catalog: Catalog) -> None:
    assert reasons(catalog, GOOD) == []


@pytest.mark.parametrize(
    ("voice", "text", "reason"),
    [
        ("hasty", GOOD["hurried"], "unknown voice 'hasty'"),
        ("plain", "Add up {value_column} for me", "no phrasing has the same arguments"),
        ("plain", "Don't add up the {value_column} column in {workbook}", "does not say the same as any phrasing (reversed)"),
        ("plain", "Add up the {value_column} column in {workbook} on Friday", "does not say the same as any phrasing (name_added)"),
        ("plain", "Photograph {value_column} near {workbook}", "does not say the same as any phrasing (step_lost)"),
        ("plain", "Add up {value_column}. " + "It is a really long story with this old thing " * 3 + "{workbook}", "(length)"),
    ],
)
def test_an_unfaithful_rewording_is_named_with_its_place(catalog: Catalog, voice: str, text: str, reason: str) -> None:
    found = reasons(catalog, {voice: text})
    assert len(found) == 1 and reason in found[0] and f"rewordings.{voice}" in found[0] and "excel.yaml:" in found[0], found


def test_joint_words_and_goals_of_workflows_are_checked_too(catalog: Catalog) -> None:
    workflow, source, number = read_workflows()[0][0]
    wrong = {"plain": "Please delete everything that you find here and there"}
    joint = workflow.joint[0].model_copy(update={"rewordings": wrong})
    changed = workflow.model_copy(update={"goal": workflow.goal.model_copy(update={"rewordings": wrong}), "joint": (joint,)})
    found = [str(problem) for problem in problems_of(catalog, [(changed, source, number)], read_styles().voices)]
    assert len(found) == 2 and "goal.rewordings.plain" in found[0] and "joint[0].rewordings.plain" in found[1], found


def narrate(seed: int, rewordings: float, voice: str) -> Narration:
    said = {
        "say": ["open {file}", "Please open {file}."],
        "rewordings": {"hurried": "open {file} real quick", "careful": "Let me see {file}, please."},
    }
    declared = {"id": "x.open", "title": "T", "capability": "a.b", "arguments": {"file": "text_file"}, **said}
    composition = Composition((Step(AtomicTask.model_validate(declared), {"file": "letter"}),), "single")
    rates = read_recipe("demo")[1].narration.model_copy(update={"rewordings": rewordings, "voices": {voice: 1.0}})
    generators = {"text_file": Generator("text_file", lambda random, given: "a.txt")}
    spoken = Spoken(None, False, Names(), {"letter": "a.txt"}, generators)
    return Narrator(read_styles(), rates).narrate(composition, application_graph(composition), spoken, Random(seed))


def test_a_text_is_a_rewording_in_the_voice_of_its_writer() -> None:
    told = [narrate(seed, 1.0, "careful") for seed in range(20)]
    assert {(one.text, one.masked_text, one.style) for one in told} == {("Let me see a.txt, please.", "Let me see {letter}, please.", "reworded")}
    assert {narrate(seed, 1.0, "hurried").masked_text for seed in range(20)} == {"open {letter} real quick"}
    assert all(narrate(seed, 1.0, "plain").style != "reworded" for seed in range(20)), "this voice has none"
    assert all(narrate(seed, 0.0, "careful").style != "reworded" for seed in range(20)), "the recipe asks for none"
