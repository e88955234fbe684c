"""Protects what a model is asked and how its answers are read: whole texts in, and only the JSON that was asked for out."""

import json
from dataclasses import replace
from typing import Any

import pytest

from atomic_tasks.catalog import Catalog
from compositions.schema import Workflow
from language_models.client import Answer
from narrators.asks import Narrated
from narrators.paraphraser import Paraphrase, Paraphraser, prompt_hash

ROW: dict[str, Any] = {
    "text": "In Excel, filter stock_may.xlsx so that only the rows for June are visible.",
    "masked_text": "In {application}, filter {workbook} so that only the rows for {person} are visible.",
    "names_application": True,
    "target_application": "excel",
    "style": "named",
    "says_goal": False,
    "workflow": None,
    "atomic_tasks": ["excel.open_workbook", "excel.filter_rows"],
    "dropped_steps": [0],
    "arguments": [
        {"name": "workbook", "generator": "spreadsheet_file", "value": "stock_may.xlsx"},
        {"name": "person", "generator": "person", "value": "June"},
    ],
}
SAID = "Filter the rows of stock_may.xlsx in MS Excel and keep its rows for June visible, only these."
PART = "Filter the rows of stock_may.xlsx in MS Excel and keep its rows for June visible, only these"


@pytest.fixture(scope="module")
def paraphraser(catalog: Catalog, workflows: dict[str, Workflow]) -> Paraphraser:
    return Paraphraser(catalog, workflows, 0.3)


@pytest.fixture(scope="module")
def told(paraphraser: Paraphraser) -> Narrated:
    return paraphraser.narrated(ROW)


def said(text: str, *parts: str) -> Answer:
    return Answer(json.dumps({"text": text, "parts": parts}), "answered")


def test_the_request_holds_the_text_its_steps_and_its_values_last(paraphraser: Paraphraser, told: Narrated) -> None:
    request = paraphraser.request(told)
    assert request.temperature == 0.3 and request.schema is not None and set(request.schema["properties"]) == {"text", "parts"}
    assert request.messages[1].text.splitlines() == [
        "Style: named",
        f"Text: {ROW['text']}",
        "Steps:",
        "1. filter stock_may.xlsx so that only the rows for June are visible",
        "Values: stock_may.xlsx | June",
    ]
    assert "stock_may" not in request.messages[0].text and request.messages[0].text == paraphraser.request(told).messages[0].text


def test_a_faithful_answer_is_masked_again(paraphraser: Paraphraser, told: Narrated) -> None:
    masked = "Filter the rows of {workbook} in {application} and keep its rows for {person} visible, only these."
    assert paraphraser.judged(told, ROW, said(SAID, PART)) == Paraphrase("accepted", SAID, masked)
    unaddressed = {**ROW, "names_application": False}
    assert "MS Excel" in paraphraser.judged(told, unaddressed, said(SAID, PART)).masked_text


def test_quotation_marks_of_print_become_those_of_a_keyboard(paraphraser: Paraphraser, told: Narrated) -> None:
    curly = SAID.replace("its", "that workbook\u2019s")
    found = paraphraser.judged(told, ROW, said(curly, curly.rstrip(".")))
    assert found.status == "accepted" and "workbook's" in found.text


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (Answer("", "refused"), "refused"),
        (Answer("", "empty"), "empty"),
        (Answer('{"text": "In Exc', "truncated"), "truncated"),
        (Answer("Sure, here it is", "answered"), "unreadable"),
        (Answer('["text"]', "answered"), "unreadable"),
        (Answer('{"text": 3, "parts": []}', "answered"), "unreadable"),
        (Answer('{"text": "a", "parts": [1]}', "answered"), "unreadable"),
        (said(ROW["text"].upper(), "x"), "unchanged"),
        (said(SAID), "step_lost"),
        (said(SAID.replace("June", "July"), PART.replace("June", "July")), "value_lost"),
        (said(SAID.replace(" in MS Excel", ""), PART.replace(" in MS Excel", "")), "application_lost"),
    ],
)
def test_every_other_answer_leaves_the_text_and_says_why(paraphraser: Paraphraser, told: Narrated, answer: Answer, status: str) -> None:
    assert paraphraser.judged(told, ROW, answer) == Paraphrase(status)


def test_the_hashes_are_those_of_prompt_and_rules(paraphraser: Paraphraser, catalog: Catalog) -> None:
    assert len(prompt_hash()) == 16 and prompt_hash() != paraphraser.rules_hash
    fewer = {name: application for name, application in catalog.applications.items() if name != "excel"}
    other = Paraphraser(replace(catalog, applications=fewer), {}, 0)
    assert other.rules_hash != paraphraser.rules_hash
