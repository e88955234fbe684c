"""Protects models as judges: both orders are asked with their own pictures, answers become judgements of the right run, and unreadable ones are told."""

import base64
import io
import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from eval_flows.episodes.judging.failures import failures_of
from eval_flows.episodes.judging.kept import Kept
from eval_flows.episodes.judging.models import judge_pairs, propose_labels
from eval_flows.episodes.judging.pairs import Pair, pairs_of
from eval_flows.episodes.runs.left_files import LeftFile
from language_models.client import Endpoint
from language_models.errors import ModelError
from tests.eval_flows.episodes.judging.played import COLOURS, play, screen
from tests.language_models.fake_server import fake_server
from warehouse.layout import DataFolder

RUBRIC = ("It is readable.", "It is right.")


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path)


def progress(done: int, total: int) -> None:
    """No progress in tests."""


def colours(request: dict[str, Any]) -> list[tuple[int, ...]]:
    """The colours of the pictures that a model was sent, in their order."""
    parts = [
        part for message in request["messages"] if isinstance(message["content"], list) for part in message["content"] if part["type"] == "image_url"
    ]
    files = [base64.b64decode(part["image_url"]["url"].partition(",")[2]) for part in parts]
    return [tuple(Image.open(io.BytesIO(file)).convert("RGB").getpixel((5, 5))) for file in files]  # type: ignore[arg-type]


def rubric_pairs(data: DataFolder) -> list[Pair]:
    runs = [play(data, name, {"e1": 1.0, "e2": 1.0}) for name in ("human", "agent")]
    return [Pair(pair.a, pair.b, pair.suite, RUBRIC) for pair in pairs_of(runs)]


def test_a_model_that_prefers_what_a_person_made_does_so_in_both_orders(data: DataFolder) -> None:
    def reply(request: dict[str, Any]) -> str:
        first, second = colours(request)
        assert {first, second} == {COLOURS["human"], COLOURS["agent"]}, "the last pictures of both results, and no others"
        better, worse = ["met", "met"], ["in part", "not met"]
        is_first = first == COLOURS["human"]
        return json.dumps({"reason": "it is whole", "first_marks": better if is_first else worse, "second_marks": worse if is_first else better,
                           "better": "first" if is_first else "second"})  # fmt: skip

    pairs = rubric_pairs(data)
    with fake_server(reply) as server:
        endpoint = Endpoint("judge-1", server.base_url)
        assert judge_pairs(pairs, endpoint, data, progress) == 4
        assert judge_pairs(pairs, endpoint, data, progress) == 4 and len(server.requests) == 4, "the second time everything is in the cache"
    rows = Kept(data, "judgements").rows()
    assert {row["preferred_run_id"] for row in rows} == {"human"} and sorted(row["left_run_id"] for row in rows) == [
        "agent",
        "agent",
        "human",
        "human",
    ]
    assert {(row["judge"], row["judge_kind"]) for row in rows} == {("model:judge-1", "model")}
    assert all(
        row["marks"] == [{"criterion": RUBRIC[0], "mark_a": 0.5, "mark_b": 1.0}, {"criterion": RUBRIC[1], "mark_a": 0.0, "mark_b": 1.0}]
        for row in rows
    )
    lines = (data.judging / "judgements" / "model_judge-1.jsonl").read_text().splitlines()
    assert len(lines) == 4, "the same judgement is kept once"


def test_a_model_sees_the_files_of_a_result_as_pages_show_them(data: DataFolder) -> None:
    more = [LeftFile(f"Documents/{number}.png", 9, screen((9, 9, 9))) for number in range(4)]
    left = [
        LeftFile("Documents/plan.svg", 11, b"<svg/>\nEnd."),
        LeftFile("Documents/plan.png", 9, screen((9, 9, 9))),
        LeftFile("Documents/plan.odt", 4, b"PK\x00\x01"),
        LeftFile("Documents/film.mp4", 9_000_000_000, None),
        *more,
    ]
    runs = [play(data, "human", {"e1": 1.0}, left=left), play(data, "agent", {"e1": 1.0})]

    def reply(request: dict[str, Any]) -> str:
        text = json.dumps(request["messages"])
        is_first = "Files of the first result" in text
        assert is_first != ("Files of the second result" in text), "the other left none"
        assert "    <svg/>\\n    End." in text and "plan.odt, 4 bytes: it is no text and no picture, and is not shown" in text
        assert "film.mp4, 9000.0 MB: it is not shown" in text and "plan.png, 9 bytes: it is a picture, which follows" in text
        assert "2.png, 9 bytes: it is a picture, which follows" in text and "3.png, 9 bytes: it is a picture, which is not shown" in text
        human, agent = [COLOURS["human"], *[(9, 9, 9)] * 4], [COLOURS["agent"]]
        assert colours(request) == (human + agent if is_first else agent + human)
        assert f"The first {5 if is_first else 1} of the pictures" in text
        return json.dumps({"reason": "", "first_marks": [], "second_marks": [], "better": "first" if is_first else "second"})

    with fake_server(reply) as server:
        assert judge_pairs(pairs_of(runs), Endpoint("judge-1", server.base_url), data, progress) == 2


def test_answers_that_say_nothing_are_counted_and_the_others_are_kept(data: DataFolder) -> None:
    def reply(request: dict[str, Any]) -> str:
        is_first = colours(request)[0] == COLOURS["human"]
        return json.dumps({"reason": "", "first_marks": [], "second_marks": [], "better": "tie"}) if is_first else "I cannot tell"

    pairs = pairs_of([play(data, name, {"e1": 1.0}) for name in ("human", "agent")])
    with fake_server(reply) as server, pytest.raises(ModelError, match="'mute' gave no answer of the right form to 1 of 2 questions"):
        judge_pairs(pairs, Endpoint("mute", server.base_url), data, progress)
    [row] = Kept(data, "judgements").rows()
    assert row["preferred_run_id"] is None and row["left_run_id"] == "human"


def test_a_model_proposes_labels_that_are_marked_as_its_own(data: DataFolder) -> None:
    def reply(request: dict[str, Any]) -> str:
        text = json.dumps(request["messages"])
        assert "step 2 of agent" in text and "does not hold" in text and len(colours(request)) == 2
        return json.dumps({"reason": "it clicked beside the button", "kind": "grounding", "step": 2})

    missed = [{"check": '{"text": "Documents/a.txt"}', "got": "''", "holds": False}]
    failures = failures_of([play(data, "agent", {"e1": 0.0}, checks=missed)])
    with fake_server(reply) as server:
        assert propose_labels(failures, Endpoint("labeller-1", server.base_url), data, progress) == 1
    [row] = Kept(data, "labels").rows()
    assert (row["labeller_kind"], row["labeller"], row["kind"], row["step"], row["note"]) == (
        "model", "model:labeller-1", "grounding", 2, "it clicked beside the button",
    )  # fmt: skip
    with fake_server(lambda request: json.dumps({"reason": "", "kind": "grounding", "step": 9})) as server, pytest.raises(ModelError, match="1 of 1"):
        propose_labels(failures, Endpoint("far", server.base_url), data, progress)
