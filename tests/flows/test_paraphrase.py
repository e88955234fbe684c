"""Protects paraphrasing in the build: only faithful texts get in, with their lineage; every call is paid for once; same answers, same bytes."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from atomic_tasks.catalog import Catalog
from atomic_tasks.schema import CandidateList
from atomic_tasks.seeds import share
from compositions.schema import Workflow
from flows import paraphrase, pipeline
from flows.paraphrase import settled
from flows.pipeline import Built, build_dataset
from flows.recipe import Paraphrasing, Recipe, read_recipe
from flows.shard import text_key
from language_models.client import Patience
from language_models.errors import ModelError
from language_models.registry import find_endpoint
from narrators.mentions import Mentions
from narrators.paraphraser import prompt_hash
from runners.processes import process_pool_map
from tests.conftest import quiet
from tests.language_models.fake_server import FakeServer, fake_server
from warehouse.layout import DataFolder

Row = dict[str, Any]
FEW = ("excel", "outlook", "word", "powerpoint", "file_explorer", "chrome", "spotify", "photos", "calculator", "microsoft_teams")
SMALL = read_recipe("tiny")[1].model_copy(update={"candidates": "few", "tasks": 130, "graph_tasks": 30, "spare": 0.3})
WAYS = ("faithful", "value_lost", "application_named", "answer", "refusal", "unreadable", "unchanged", "length", "step_lost")


@pytest.fixture(scope="module", autouse=True)
def declared(catalog: Catalog, workflows: dict[str, Workflow]) -> Iterator[None]:
    """A candidate list of a few applications, so that a build takes a second."""
    few = CandidateList(title="Few", description="For tests", applications=FEW)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline, "read_declared", lambda: (replace(catalog, candidates={**catalog.candidates, "few": few}), workflows))
        yield


def recipe(server: FakeServer, rate: float = 1.0) -> Recipe:
    return SMALL.model_copy(update={"paraphrase": Paraphrasing(model="rewriter", base_url=server.base_url, rate=rate)})


def build(content: Recipe, data: DataFolder, progress: Callable[[str, int, int], None] = quiet) -> Built:
    return build_dataset("said_again", content, data, process_pool_map(1), progress)


def rows_of(built: Built) -> list[Row]:
    rows: list[Row] = ds.dataset(built.folder / "data").to_table().to_pylist()
    return rows


def bytes_of(built: Built) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted((built.folder / "data").glob("*.parquet"))}


def asked_of(request: dict[str, Any]) -> tuple[str, list[str], list[str]]:
    """The text of a request, its steps and its values."""
    prompt: str = request["messages"][1]["content"]
    text = re.search(r"^Text: (.*)$", prompt, re.MULTILINE)
    values = re.search(r"^Values: (.*)$", prompt, re.MULTILINE)
    assert text and values
    return text[1], re.findall(r"^\d+\. (.*)$", prompt, re.MULTILINE), [] if values[1] == "none" else values[1].split(" | ")


def way_of(text: str) -> str:
    return WAYS[text_key(text) % len(WAYS)]


def again(text: str) -> str:
    """The text said otherwise, and everything of it still there."""
    return f"{text} Thanks." if text.endswith(("?", "!")) else f"{text.rstrip('.')}, thanks."


def faithful(request: dict[str, Any]) -> str:
    text, steps, _ = asked_of(request)
    return json.dumps({"text": again(text), "parts": steps})


def told_in_its_way(request: dict[str, Any]) -> str:
    """A rewriter that is faithful to some texts and to others not, each in its way."""
    text, steps, values = asked_of(request)
    way = way_of(text)
    rewritten = {
        "value_lost": again(text).replace(values[0], "something") if values else again(text),
        "application_named": f"in Wireshark or Canva, {text}",
        "answer": f"Sure! {text}",
        "refusal": "I'm sorry, but I can't help with that request, whatever it was about.",
        "unchanged": text,
        "length": f"{text} {text} {text}",
        "step_lost": again(text),
    }.get(way, again(text))
    if way == "unreadable":
        return "as a text, not as JSON"
    return json.dumps({"text": rewritten, "parts": steps[:-1] if way == "step_lost" else steps})


def test_faithful_paraphrases_get_in_with_their_lineage_and_others_leave_the_text_as_it_was(tmp_path: Path) -> None:
    plain = build(SMALL, DataFolder(tmp_path / "plain"))
    with fake_server(told_in_its_way) as server:
        data = DataFolder(tmp_path / "told")
        built = build(recipe(server), data)
        rows = rows_of(built)
    assert built.dataset_id != plain.dataset_id and len(rows) == 130
    seen = Counter(row["paraphrase_status"] for row in rows)
    assert set(seen) >= {"accepted", "value_lost", "unreadable", "unchanged", "answer", "refusal", "step_lost"}, seen
    assert built.manifest["statistics"]["paraphrases"] == {status: number for status, number in sorted(seen.items(), key=str) if status}
    for row in rows:
        if row["paraphrase_status"] is None:
            assert row["has_typo"] and row["paraphrase_call"] is row["narrated_text"] is None
            continue
        assert (row["paraphrase_model"], row["paraphrase_prompt"]) == ("rewriter", prompt_hash())
        assert row["paraphrase_call"]
        told = row["narrated_text"] or row["text"]
        assert row["paraphrase_status"] == way_of(told) or (way_of(told), row["paraphrase_status"]) in {
            ("faithful", "accepted"),
            ("value_lost", "accepted"),  # where there is no value to lose
        }, told
        assert (row["narrated_text"] is not None) == (row["paraphrase_status"] == "accepted")
        if row["paraphrase_status"] == "accepted":
            assert row["text"] == again(row["narrated_text"])
            values = {argument["name"]: argument["value"] for argument in row["arguments"]}
            if row["naming"] != "application":
                assert row["masked_text"].format_map(values).casefold() == row["text"].casefold()
            else:
                assert "{application}" in row["masked_text"]
    counts = built.manifest["rows"]
    rejected = pq.read_table(data.datasets / built.dataset_id / "rejected.parquet")
    assert counts["made"] == counts["accepted"] + counts["rejected"] and rejected.num_rows == counts["rejected"]
    assert built.manifest["made_from"]["paraphrased_shards"].keys() == built.manifest["made_from"]["shards"].keys()
    assert "| paraphrases |" in (built.folder / "README.md").read_text()


def test_without_the_block_nothing_is_asked_and_the_columns_are_null(tmp_path: Path) -> None:
    built = build(SMALL, DataFolder(tmp_path))
    for row in rows_of(built):
        assert all(row[name] is None for name in ("paraphrase_status", "paraphrase_call", "paraphrase_model", "paraphrase_prompt", "narrated_text"))
    assert "paraphrased_shards" not in built.manifest["made_from"] and not DataFolder(tmp_path).model_calls.exists()


def test_the_same_answers_give_the_same_bytes_and_are_asked_for_once(tmp_path: Path) -> None:
    with fake_server(told_in_its_way) as server:
        first = build(recipe(server), DataFolder(tmp_path / "first"))
        calls = len(server.requests)
        again_there = build(recipe(server), DataFolder(tmp_path / "first"))
        assert again_there.was_there and len(server.requests) == calls
        for path in DataFolder(tmp_path / "first").shards.glob("*.parquet"):
            path.unlink()
        remade = build(recipe(server), DataFolder(tmp_path / "first"))
        assert len(server.requests) == calls and remade.dataset_id == first.dataset_id
        cold = build(recipe(server), DataFolder(tmp_path / "second"))
        assert len(server.requests) == 2 * calls
    assert bytes_of(cold) == bytes_of(remade) == bytes_of(first) and cold.dataset_id == first.dataset_id


def test_another_answer_is_another_dataset(tmp_path: Path) -> None:
    is_faithful = {True}
    with fake_server(lambda request: faithful(request) if is_faithful else "not what was asked for") as server:
        one = build(recipe(server, 0.2), DataFolder(tmp_path / "one"))
        is_faithful.clear()
        other = build(recipe(server, 0.2), DataFolder(tmp_path / "other"))
    assert one.dataset_id != other.dataset_id and bytes_of(one) != bytes_of(other)
    assert one.manifest["made_from"]["shards"] == other.manifest["made_from"]["shards"]
    assert one.manifest["made_from"]["paraphrased_shards"] != other.manifest["made_from"]["paraphrased_shards"]


def test_the_rate_samples_by_the_rows_own_hash(tmp_path: Path) -> None:
    with fake_server(faithful) as server:
        rows = rows_of(build(recipe(server, 0.5), DataFolder(tmp_path)))
        asked = len(server.requests)
    for row in rows:
        assert (row["paraphrase_status"] is not None) == (share("paraphrase", row["row_seed"]) < 0.5 and not row["has_typo"])
    assert 0.35 < sum(row["paraphrase_status"] is not None for row in rows) / len(rows) < 0.65
    assert asked >= sum(row["paraphrase_status"] is not None for row in rows)


def test_a_stopped_build_asks_for_nothing_twice(tmp_path: Path) -> None:
    class Stopped(Exception):
        pass

    def stop_halfway(stage: str, done: int, total: int) -> None:
        if stage == "paraphrasing" and done >= total // 2:
            raise Stopped

    with fake_server(told_in_its_way) as server:
        with pytest.raises(Stopped):
            build(recipe(server), DataFolder(tmp_path / "stopped"), stop_halfway)
        assert not (DataFolder(tmp_path / "stopped").labels / "said_again").exists()
        went_on = build(recipe(server), DataFolder(tmp_path / "stopped"))
        texts = Counter(asked_of(request)[0] for request in server.requests)
        assert set(texts.values()) == {1}
        whole = build(recipe(server), DataFolder(tmp_path / "whole"))
    assert bytes_of(went_on) == bytes_of(whole)


def test_calls_that_never_succeed_stop_the_build_after_all_others_were_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    down = {True}

    def reply(request: dict[str, Any]) -> str | int:
        return 500 if down and text_key(asked_of(request)[0]) % 40 == 0 else faithful(request)

    monkeypatch.setattr(paraphrase, "find_endpoint", lambda *asked, own: replace(find_endpoint(*asked), patience=Patience(attempts=1)))
    data = DataFolder(tmp_path)
    with fake_server(reply) as server:
        with pytest.raises(ModelError, match=r"\d+ of \d+ calls to paraphrase never succeeded at http.*run the same command again"):
            build(recipe(server), data)
        assert not (data.labels / "said_again").exists()
        down.clear()
        before = len(server.requests)
        rows = rows_of(build(recipe(server), data))
        asked_again = Counter(asked_of(request)[0] for request in server.requests[before:])
        assert set(asked_again.values()) == {1} and all(text_key(text) % 40 == 0 for text in asked_again), "only what failed is asked again"
    assert len(rows) == 130


def test_a_paraphrase_that_is_nearly_an_earlier_text_gives_way_to_the_narrated_one_and_else_the_row_is_rejected() -> None:
    words = [f"word{number}" for number in range(30)]

    def text(*changed: int) -> str:
        return " ".join(f"{word}x" if number in changed else word for number, word in enumerate(words))

    def row(said: str, status: str | None = None) -> Row:
        lineage = {"paraphrase_call": "c", "paraphrase_model": "m", "paraphrase_prompt": "p", "paraphrase_status": status}
        return {"text": said, "rejected_stage": None, "rejected_reason": None, **lineage}

    narrated = [row(text(5, 15)), row(text(2, 12, 22)), row(text(0, 10))]
    found = {0: row(text(1), "accepted"), 1: row(text(1, 29), "accepted")}
    told = list(settled([*narrated, row(text(29))], found))
    assert [(r["text"], r["paraphrase_status"], r["rejected_stage"]) for r in told] == [
        (text(1), "accepted", None),
        (text(2, 12, 22), "near_duplicate", None),
        (text(0, 10), None, None),
        (text(29), None, None),
    ]
    late = list(settled([row(text(5)), row(text(7, 17)), row(text(1))], {0: row(text(1), "accepted"), 1: row(text(1), "accepted")}))
    assert [(r["text"], r["paraphrase_status"], r["rejected_stage"]) for r in late] == [
        (text(1), "accepted", None),
        (text(7, 17), "near_duplicate", None),
        (text(1), None, "near_duplicates"),
    ]


def test_the_prompt_starts_the_same_for_all_and_shows_no_valid_application(tmp_path: Path, catalog: Catalog) -> None:
    with fake_server(faithful) as server:
        build(recipe(server, 0.3), DataFolder(tmp_path))
        prompts = [request["messages"] for request in server.requests]
    assert len({messages[0]["content"] for messages in prompts}) == 1
    mentions = Mentions(catalog.applications, catalog.kinds)
    assert mentions.of(prompts[0][0]["content"]).named == {"kind web_browser of any"}
    for messages, request in zip(prompts, server.requests, strict=True):
        assert mentions.of(messages[1]["content"]).named <= mentions.of(asked_of(request)[0]).named
