"""A language model as a rater: it fills in the same sheet as people, and the sheet is marked as a model's."""

import json
from collections.abc import Sequence
from pathlib import Path

from eval_flows.quality.forms import Form
from eval_flows.quality.sheets import Rating
from eval_flows.quality.study import Study
from language_models.client import Answer, Endpoint, Progress, Request, ask_all
from language_models.errors import ModelError
from language_models.prompts import prompt_templates

_TEMPLATES = prompt_templates(Path(__file__).parent / "templates")


def judged(study: Study, endpoint: Endpoint, titles: Sequence[str], cache: Path, progress: Progress) -> list[Rating]:
    """Return the model's rating of every item; ModelError names the items that it did not rate, and then there is no sheet.

    `titles` are all applications of the dataset, for the ground truth of a sample.
    """
    form = study.form
    schema = {
        "type": "object",
        "properties": {mark.column: mark.schema() for mark in form.marks},
        "required": [mark.column for mark in form.marks],
        "additionalProperties": False,
    }
    values = {mark.column: mark.values for mark in form.marks}
    system = _TEMPLATES.get_template(f"judge_{form.kind}_system.md.j2").render(titles=titles, values=values)
    prompt = _TEMPLATES.get_template(f"judge_{form.kind}_item.md.j2")
    requests = [Request.of(system, prompt.render(item=item), schema, max_tokens=300) for item in study.items]
    answers = ask_all(endpoint, requests, cache, progress, f"judge {study.study_id}")
    ids = [study.id_of(item) for item in study.items]
    read = [_rating(form, item_id, answer) for item_id, answer in zip(ids, answers, strict=True)]
    unrated = [item_id for item_id, rating in zip(ids, read, strict=True) if rating is None]
    if unrated:
        raise ModelError(f"model '{endpoint.model}' gave no rating of {len(unrated)} of {len(read)} items, such as {', '.join(unrated[:5])}")
    return [rating for rating in read if rating is not None]


def _rating(form: Form, item_id: str, answer: Answer) -> Rating | None:
    """Return the rating in the answer, or None if there is none of the right form. Free words may be left out."""
    try:
        said = json.loads(answer.text)
        entries = {mark.column: mark.said(said[mark.column] if mark.values else said.get(mark.column, "")) for mark in form.marks}
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    return None if None in entries.values() else Rating(item_id, {mark.column: mark.read(entries[mark.column] or "") for mark in form.marks})
