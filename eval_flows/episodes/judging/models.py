"""Language models as judges and labellers: they get what people see, and what they say is marked as a model's.

A model judges each pair in both orders, because models prefer a place (Zheng et al. 2023, "Judging LLM-as-a-Judge", Section 3.4). What could not be
read is asked again by the next command only if the endpoint is asked anew: answers are kept.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

from eval_flows.episodes.judging.failures import label_row
from eval_flows.episodes.judging.files import files_of
from eval_flows.episodes.judging.judgement import MARKS, Preference, judgement_row
from eval_flows.episodes.judging.kept import Kept
from eval_flows.episodes.judging.pairs import Pair
from eval_flows.episodes.judging.results import Result
from eval_flows.episodes.pages.names import MODEL
from language_models.client import Answer, Client, Endpoint, Progress, Request
from language_models.errors import ModelError
from language_models.prompts import prompt_templates
from warehouse.judging import error_kinds
from warehouse.layout import DataFolder

_PROMPTS = prompt_templates(Path(__file__).parent / "prompts")
_MOST_PICTURES = 6  # of an episode that a model labels: evenly spread, with the last one
_MOST_DRAWN = 4  # files of a result that a model is shown as pictures
_SIDES: Mapping[str, Preference] = {"first": "left", "second": "right", "tie": "tie"}
_LONGEST_ANSWER = 800
Json = dict[str, Any]
Item = TypeVar("Item")


def judge_pairs(pairs: Sequence[Pair], endpoint: Endpoint, data: DataFolder, progress: Progress) -> int:
    """Let a model judge the pairs in both orders; return the number of judgements. What it did not give is a ModelError, after the rest is kept."""
    shown = [(pair, *order) for pair in pairs for order in ((pair.a, pair.b), (pair.b, pair.a))]
    system = _PROMPTS.get_template("compare_system.md.j2").render(marks=list(MARKS))
    prompt = _PROMPTS.get_template("compare_pair.md.j2")

    def request(one: tuple[Pair, Result, Result]) -> Request:
        pair, *results = one
        first, second = (_shown(result) for result in results)
        text = prompt.render(brief=pair.brief, rubric=pair.rubric, sides={"first": first, "second": second})
        images = (*first.screens, *first.drawn, *second.screens, *second.drawn)
        return Request.of(system, text, _of_pair(pair), images=images, max_tokens=_LONGEST_ANSWER)

    answers = _asked(endpoint, data, "judge pairs", shown, request, progress)
    who = f"{MODEL}{endpoint.model}"
    rows = [_judgement(pair, left, who, answer) for (pair, left, _), answer in zip(shown, answers, strict=True)]
    return _keep(Kept(data, "judgements"), rows, "judged_at", endpoint)


def propose_labels(failures: Mapping[str, tuple[str, Result]], endpoint: Endpoint, data: DataFolder, progress: Progress) -> int:
    """Let a model label the failed episodes; return the number of labels. What it did not give is a ModelError, after the rest is kept."""
    system = _PROMPTS.get_template("label_system.md.j2").render(kinds=error_kinds())
    prompt = _PROMPTS.get_template("label_episode.md.j2")

    def request(one: tuple[str, Result]) -> Request:
        _, result = one
        numbers = _spread(list(result.pictures))
        text = prompt.render(episode=result.episode, steps=result.steps, pictures=numbers)
        images = tuple(path.read_bytes() for number in numbers for path in result.pictures[number])
        return Request.of(system, text, _of_label(), images=images, max_tokens=_LONGEST_ANSWER)

    failed = list(failures.values())
    answers = _asked(endpoint, data, "label errors", failed, request, progress)
    who = f"{MODEL}{endpoint.model}"
    rows = [_label(suite, result, who, answer) for (suite, result), answer in zip(failed, answers, strict=True)]
    return _keep(Kept(data, "labels"), rows, "labelled_at", endpoint)


def _asked(
    endpoint: Endpoint, data: DataFolder, purpose: str, items: Sequence[Item], request: Callable[[Item], Request], progress: Progress
) -> list[Answer]:
    """Return the answers to the requests of items; each request is made when it is asked, since pictures are large."""
    answers: list[Answer] = []
    with Client(endpoint, data.model_calls, purpose) as client:

        async def ask(item: Item) -> Answer:
            return await client.ask(request(item))

        for answer in client.each(items, ask):
            answers.append(answer)
            progress(len(answers), len(items))
    return answers


@dataclass(frozen=True)
class _Shown:
    """What a model is shown of a result: its last screens, and its files as a page tells them; those that are drawn follow the screens."""

    screens: Sequence[bytes]
    files: Sequence[Mapping[str, Any]]
    drawn: Sequence[bytes]


def _shown(result: Result) -> _Shown:
    if not result.last_pictures:
        raise ModelError(f"run {result.run_id} kept no picture of episode {result.key[0]}, and a model judges what it sees: leave the run out")
    files, drawn = [], list[bytes]()
    for file in files_of(result):
        picture = file.picture() if len(drawn) < _MOST_DRAWN else None
        drawn += [picture] if picture else []
        files.append({**file.shown(), "is_drawn": picture is not None})
    return _Shown([path.read_bytes() for path in result.last_pictures], files, drawn)


def _spread(numbers: Sequence[int]) -> list[int]:
    """Return at most so many of the numbers, evenly spread, with the last one."""
    if len(numbers) <= _MOST_PICTURES:
        return list(numbers)
    return [numbers[round((place + 1) * len(numbers) / _MOST_PICTURES) - 1] for place in range(_MOST_PICTURES)]


def _of_pair(pair: Pair) -> Json:
    marks = {"type": "array", "items": {"type": "string", "enum": list(MARKS)}, "minItems": len(pair.rubric), "maxItems": len(pair.rubric)}
    better = {"type": "string", "enum": list(_SIDES)}
    return _object({"reason": {"type": "string"}, "first_marks": marks, "second_marks": marks, "better": better})


def _of_label() -> Json:
    kind = {"type": "string", "enum": [one.kind for one in error_kinds()]}
    return _object({"reason": {"type": "string"}, "kind": kind, "step": {"type": "integer"}})


def _object(properties: Json) -> Json:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _judgement(pair: Pair, left: Result, who: str, answer: Answer) -> Json | None:
    """Return the line of the judgement in an answer; None if there is none of the right form."""
    try:
        said = json.loads(answer.text)
        keys = {"left": "first_marks", "right": "second_marks"} if pair.rubric else {}
        marks = {side: [MARKS[word] for word in said[key]] for side, key in keys.items()}
        preference, reason = _SIDES[said["better"]], str(said["reason"])
        return judgement_row(pair, left, who, "model", preference, marks, reason, answer.latency_ms / 1000, answer.cost_usd)
    except (ValueError, KeyError, TypeError):
        return None


def _label(suite: str, result: Result, who: str, answer: Answer) -> Json | None:
    """Return the line of the label in an answer; None if there is none of the right form."""
    try:
        said = json.loads(answer.text)
        kind, step = said["kind"], said["step"]
        if kind not in {one.kind for one in error_kinds()} or step not in {0, *(one["number"] for one in result.steps)}:
            return None
        reason, seconds = str(said["reason"]), answer.latency_ms / 1000
        return label_row(suite, result, who, "model", kind, step or None, reason, seconds, cost_usd=answer.cost_usd)
    except (ValueError, KeyError, TypeError):
        return None


def _keep(kept: Kept, rows: Sequence[Json | None], now: str, endpoint: Endpoint) -> int:
    given = cast("list[Json]", [row for row in rows if row is not None])
    kept.add_changed(given, now)
    if len(given) < len(rows):
        lacking = f"{len(rows) - len(given)} of {len(rows)} questions"
        raise ModelError(f"model '{endpoint.model}' gave no answer of the right form to {lacking}; the others are kept")
    return len(given)
