"""Protects ground truth from paraphrases: what changes what a text asks is refused, and what only says it otherwise is not."""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from atomic_tasks.schema import CandidateList
from flows.jobs import shard_jobs
from flows.recipe import read_recipe
from flows.shard import ShardMaker
from narrators.asks import Ask, Narrated, about, narrated
from narrators.faithfulness import flaw
from narrators.mentions import Mentions
from narrators.styles import read_styles
from tests.narrators.golden import CATALOG, WORKFLOWS

BARE = {name: workflow.model_copy(update={"joint": ()}) for name, workflow in WORKFLOWS.items()}  # their texts join clauses, an ask each
MENTIONS = Mentions(CATALOG.applications, CATALOG.kinds)
BY_HAND: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "paraphrases.yaml").read_text())
FEW = ("excel", "outlook", "word", "powerpoint", "file_explorer", "chrome", "spotify", "photos", "clock", "microsoft_teams", "phone_link", "weather")
PAIRS = [(entry, paraphrase) for entry in BY_HAND for paraphrase in entry["paraphrases"]]


def told(entry: Mapping[str, Any]) -> Narrated:
    """The narrated text of an entry of the table."""
    values: dict[str, str] = {}
    generators: dict[str, str] = {}
    other_choices: set[str] = set()
    asks = []
    for ask in entry["asks"]:
        values |= ask["values"]
        task = CATALOG.tasks.get(ask.get("task", ""))
        for name in ask["values"]:
            argument = task.arguments.get(name) if task else None
            generators.setdefault(name, (argument.generator if argument else None) or name)
            other_choices |= set(argument.one_of or ()) if argument else set()
        talk = task or WORKFLOWS[ask["workflow"]].goal
        asks.append(Ask(ask["text"], frozenset(ask["values"]), f"{about(talk)}\n{ask['text']}"))
    return Narrated(entry["text"], entry.get("style", "command"), values, generators, frozenset(other_choices - set(values.values())), tuple(asks))


@pytest.mark.parametrize(("entry", "paraphrase"), PAIRS, ids=[f"{paraphrase['is']}: {paraphrase['text'][:50]}" for _, paraphrase in PAIRS])
def test_paraphrases_written_by_hand_are_judged_as_a_reader_would(entry: dict[str, Any], paraphrase: dict[str, Any]) -> None:
    """Where a faithful one is refused nevertheless, the table says so."""
    expected = paraphrase.get("refused", paraphrase["is"])
    found = flaw(told(entry), paraphrase["text"], paraphrase.get("parts", [paraphrase["text"]]), MENTIONS)
    assert (found or "faithful") == expected, paraphrase["text"]


def rows_of_shards() -> list[dict[str, Any]]:
    """Rows as a build makes them, of a few applications, singletons and graphs, without typos."""
    few = CandidateList(title="Few", description="For tests", applications=FEW)
    catalog = replace(CATALOG, candidates={"few": few})
    recipe = read_recipe("tiny")[1].model_copy(update={"candidates": "few", "tasks": 300, "graph_tasks": 60})
    made = (row for job in shard_jobs(catalog, BARE, read_styles(), recipe) for row in ShardMaker(job).rows())
    return [row for row in made if not row["has_typo"]]


ROWS = rows_of_shards()
TEXTS = [narrated(row, CATALOG.tasks, WORKFLOWS) for row in ROWS]
LONG = [text for text in TEXTS if len(text.asks) > 1]
STEPS = [text for row, text in zip(ROWS, TEXTS, strict=True) if len(text.asks) > 1 and not row["says_goal"]]  # a goal may say a step once more
any_text = st.sampled_from(TEXTS)


def own_parts(text: Narrated) -> list[str]:
    return [ask.text for ask in text.asks]


def judged(text: Narrated, said: str, parts: list[str] | None = None) -> str | None:
    return flaw(text, said, own_parts(text) if parts is None else parts, MENTIONS)


def test_every_text_is_faithful_to_itself() -> None:
    assert len(LONG) > 30 and any(len(text.asks) > 2 for text in TEXTS)
    refused = [(judged(text, text.text), text.text) for text in TEXTS if judged(text, text.text)]
    assert refused == []


def test_what_a_text_asks_is_recovered_word_for_word() -> None:
    for row, text in zip(ROWS, TEXTS, strict=True):
        kept = len(row["atomic_tasks"]) - len(row["dropped_steps"]) + row["says_goal"]
        assert len(text.asks) == kept > 0
        places = [text.text.index(ask.text) for ask in text.asks]
        assert places == sorted(places) and all(text.values[name] in ask.text for ask in text.asks for name in ask.values)


def test_texts_that_name_their_application_are_known_to() -> None:
    for row, text in zip(ROWS, TEXTS, strict=True):
        mentioned = MENTIONS.of(text.text)
        if not re.search(r"[A-Z][a-z]", row["masked_text"]):
            continue  # in lower case, apart from acronyms, an ordinary word (clock) does not count as a name
        if row["naming"] == "application":
            kinds = {name for name in mentioned.named if name.startswith("kind ")}  # "the Weather app" is one
            assert row["target_application"] in mentioned.named or kinds, text.text
        elif row["naming"] in {"kind", "vendor"}:
            assert any(name.startswith("kind ") for name in mentioned.addressed), text.text


@settings(max_examples=300, deadline=None)
@given(any_text, st.data())
def test_losing_any_value_is_refused(text: Narrated, data: st.DataObject) -> None:
    if not text.values:
        return
    value = text.values[data.draw(st.sampled_from(sorted(text.values)))]
    taken_out = re.compile(f"{re.escape(value)}|{re.escape(value[:1].upper() + value[1:])}")
    for other in ("", "it", "something else"):
        assert judged(text, taken_out.sub(other, text.text), [taken_out.sub(other, part) for part in own_parts(text)]) is not None


@pytest.mark.parametrize("application", sorted(CATALOG.applications))
def test_naming_any_application_anew_is_refused(application: str) -> None:
    titles = (CATALOG.applications[application].title, *CATALOG.applications[application].aliases)
    for number, text in enumerate(TEXTS[:: len(TEXTS) // 20]):
        title = titles[number % len(titles)].removeprefix("the ")
        if application in MENTIONS.of(text.text).named:
            continue
        bare = text.text.rstrip(".?!")
        for said in (
            f"in {title}, {text.text}",
            f"{bare} in {title}",
            f"open {title} and {text.text}",
            f"{bare}, with {title} please",
            f"{title}: {text.text}",
        ):
            assert judged(text, said) is not None, said


@settings(max_examples=200, deadline=None)
@given(any_text, st.data())
def test_swapping_two_numbers_or_changing_one_is_refused(text: Narrated, data: st.DataObject) -> None:
    numbers = list(re.finditer(r"(?<![\w.,:/])\d+(?:[.,:/]\d+)*(?!\w)", text.text))
    if not numbers:
        return
    one, other = sorted((data.draw(st.sampled_from(numbers)), data.draw(st.sampled_from(numbers))), key=re.Match.start)
    first, second = (other[0], one[0]) if one[0] != other[0] else (f"{one[0]}7", other[0])
    said = text.text[: one.start()] + first + text.text[one.end() :]
    if one[0] != other[0]:
        said = said[: other.start() + len(first) - len(one[0])] + second + text.text[other.end() :]
    assert judged(text, said, [said]) is not None and judged(text, said) is not None


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(STEPS), st.data())
def test_dropping_any_clause_is_refused_however_the_rest_is_cut_into_parts(text: Narrated, data: st.DataObject) -> None:
    dropped = data.draw(st.sampled_from(text.asks))
    said = re.sub(r" +([,.;!?])", r"\1", re.sub(" +", " ", text.text.replace(dropped.text, ""))).strip(" ,")
    left = [ask.text for ask in text.asks if ask is not dropped]
    assert judged(text, said, left) is not None
    whole = data.draw(st.integers(0, len(left) - 1))
    words = left[whole].split()
    for cut in range(1, len(words)):
        parts = [*left[:whole], " ".join(words[:cut]), " ".join(words[cut:]), *left[whole + 1 :]]
        assert judged(text, said, parts) is not None, parts


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(LONG), st.data())
def test_a_part_too_few_or_said_twice_is_refused(text: Narrated, data: st.DataObject) -> None:
    number = data.draw(st.integers(0, len(text.asks) - 1))
    parts = own_parts(text)
    assert judged(text, text.text, parts[:number] + parts[number + 1 :]) == "step_lost"
    parts[number] = parts[number - 1]
    assert judged(text, text.text, parts) == "step_lost"


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(LONG))
def test_swapping_steps_is_refused(text: Narrated) -> None:
    first, second = text.asks[0].text, text.asks[1].text
    said = text.text.replace(first, "\0").replace(second, first).replace("\0", second)
    assert judged(text, said) is not None


@settings(max_examples=100, deadline=None)
@given(
    any_text, st.sampled_from(["Sure! ", "Here is the text: ", "I'm sorry, but I can't help with that. ", "1. ", "To do this: ", "The user wants: "])
)
def test_help_lists_and_refusals_around_a_text_are_refused(text: Narrated, before: str) -> None:
    assert judged(text, before + text.text) is not None


def test_a_word_that_is_also_an_application_counts_by_its_capital_and_its_place() -> None:
    assert MENTIONS.of("Paint the fence and count every word in photos of it").named == set()
    assert MENTIONS.of("put it into Word and crop it in Paint").addressed == {"word", "paint"}
    assert MENTIONS.of("open edge and then close it").addressed == {"microsoft_edge"}
    assert MENTIONS.of("clear what the browser stored").named == {"kind web_browser of any"} != MENTIONS.of("in the Google browser, clear it").named
    turned_off = MENTIONS.of("Switch Spotify off in the startup list")
    assert turned_off.named == {"spotify"} and not turned_off.addressed
