"""A language model as a rater: it fills in the same sheet as people, and the sheet is marked as a model's."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from eval_flows.quality.sheets import GROUND_TRUTH, Rating
from eval_flows.quality.study import Item, Study
from language_models.client import Answer, Endpoint, Progress, Request, ask_all
from language_models.errors import ModelError
from language_models.prompts import prompt_templates

_TEMPLATES = prompt_templates(Path(__file__).parent / "templates")
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "grammar": {"type": "integer", "enum": [1, 2, 3, 4, 5]},
        "realism": {"type": "integer", "enum": [1, 2, 3, 4, 5]},
        "ground_truth": {"type": "string", "enum": list(GROUND_TRUTH)},
        "comment": {"type": "string"},
    },
    "required": ["grammar", "realism", "ground_truth", "comment"],
    "additionalProperties": False,
}


def judged(study: Study, endpoint: Endpoint, titles: Sequence[str], cache: Path, progress: Progress) -> list[Rating]:
    """Return the model's rating of every item; ModelError names the items that it did not rate, and then there is no sheet."""
    system = _TEMPLATES.get_template("judge_system.md.j2").render(titles=titles, ground_truth=GROUND_TRUTH)
    prompt = _TEMPLATES.get_template("judge_item.md.j2")
    requests = [Request(system, prompt.render(item=item), _SCHEMA, max_tokens=300) for item in study.items]
    answers = ask_all(endpoint, requests, cache, progress, f"judge {study.study_id}")
    read = [_rating(item, answer) for item, answer in zip(study.items, answers, strict=True)]
    unrated = [item.task_id for item, rating in zip(study.items, read, strict=True) if rating is None]
    if unrated:
        raise ModelError(f"model '{endpoint.model}' gave no rating of {len(unrated)} of {len(read)} items, such as {', '.join(unrated[:5])}")
    return [rating for rating in read if rating is not None]


def _rating(item: Item, answer: Answer) -> Rating | None:
    """Return the rating in the answer, or None if there is none of the right form."""
    try:
        said = json.loads(answer.text)
        rating = Rating(item.task_id, said["grammar"], said["realism"], said["ground_truth"], " ".join(str(said.get("comment", "")).split()))
    except (ValueError, KeyError, TypeError):
        return None
    fits = all(isinstance(mark, int) and 1 <= mark <= 5 for mark in (rating.grammar, rating.realism))
    return rating if fits and rating.ground_truth in GROUND_TRUTH else None
