"""The paraphraser: a language model says a narrated text in other words. A paraphrase that is not faithful is refused.

AppSelectBench, section 5, "LLM rephrasing module" (Figure 5).
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from atomic_tasks.catalog import Catalog
from atomic_tasks.names import spoken_names
from compositions.schema import Workflow
from language_models.client import Answer, Request
from language_models.prompts import prompt_templates
from narrators.asks import Narrated, narrated
from narrators.faithfulness import FAITHFULNESS_FILE, flaw
from narrators.mentions import MENTIONS_FILE, Mentions
from narrators.values import Values

TEMPLATES_ROOT = Path(__file__).parent / "templates"
_PROMPTS = ("paraphrase_system.md.j2", "paraphrase_row.md.j2")
_TEMPLATES = prompt_templates(TEMPLATES_ROOT)
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"text": {"type": "string"}, "parts": {"type": "array", "items": {"type": "string"}}},
    "required": ["text", "parts"],
    "additionalProperties": False,
}
_AS_TYPED = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u00a0": " "})


@dataclass(frozen=True)
class Paraphrase:
    """The result of a request to paraphrase. `status` is `accepted`, with the new text and its masked form, or the reason in a word."""

    status: str
    text: str = ""
    masked_text: str = ""


@cache
def prompt_hash() -> str:
    """Return the version of the prompt: a hash of its templates and of the schema of answers."""
    content = hashlib.blake2b(json.dumps(_SCHEMA, sort_keys=True).encode(), digest_size=8)
    for name in _PROMPTS:
        content.update((TEMPLATES_ROOT / name).read_bytes())
    return content.hexdigest()


class Paraphraser:
    """Asks for paraphrases of the rows of shards, and judges the answers."""

    def __init__(self, catalog: Catalog, workflows: Mapping[str, Workflow], temperature: float) -> None:
        self.catalog = catalog
        self.workflows = workflows
        self.temperature = temperature
        self.mentions = Mentions(catalog.applications, catalog.kinds)
        self._system = _TEMPLATES.get_template(_PROMPTS[0]).render()
        self._row = _TEMPLATES.get_template(_PROMPTS[1])

    @property
    def rules_hash(self) -> str:
        """Return a hash of what the check uses beside its code: declared words, and the names of applications and kinds."""
        rules = hashlib.blake2b(FAITHFULNESS_FILE.read_bytes() + MENTIONS_FILE.read_bytes(), digest_size=8)
        for application in self.catalog.applications.values():
            rules.update(repr((application.application, spoken_names(application), application.name_is_a_word, application.kind)).encode())
        rules.update(self.catalog.kinds.model_dump_json().encode())
        return rules.hexdigest()

    def narrated(self, row: Mapping[str, Any]) -> Narrated:
        """Return what a row of a shard says."""
        return narrated(row, self.catalog.tasks, self.workflows)

    def request(self, told: Narrated) -> Request:
        """Return the request to the model: first the rules, which are the same for all texts, then the text with its steps and values."""
        user = self._row.render(style=told.style, text=told.text, asks=told.asks, values=told.values)
        return Request.of(self._system, user, _SCHEMA, temperature=self.temperature, max_tokens=200 + len(told.text))

    def judged(self, told: Narrated, row: Mapping[str, Any], answer: Answer) -> Paraphrase:
        """Return the judged paraphrase of an answer. `told` was read from `row`."""
        if answer.status != "answered":
            return Paraphrase(answer.status)
        found = _read(answer.text)
        if found is None:
            return Paraphrase("unreadable")
        text, parts = found
        if not set(told.text) & set(map(chr, _AS_TYPED)):  # use plain quotation marks, as the text does
            text, parts = text.translate(_AS_TYPED), [part.translate(_AS_TYPED) for part in parts]
        if text.casefold() == told.text.casefold():
            return Paraphrase("unchanged")
        refused = flaw(told, text, parts, self.mentions)
        return Paraphrase(refused) if refused else Paraphrase("accepted", text, self._masked(told, row, text))

    def _masked(self, told: Narrated, row: Mapping[str, Any], text: str) -> str:
        """Return the text with its arguments masked. The name of its application is masked too if the row names it."""
        masked = Values(told.values, told.text).masked(text, as_names=True)
        if not row["names_application"]:
            return masked
        application = self.catalog.applications[row["target_application"]]
        names = "|".join(re.escape(name) for name in sorted(spoken_names(application), key=len, reverse=True))
        return re.sub(rf"(?<![\w{{])(?:{names})(?![\w}}])", "{application}", masked, flags=0 if application.name_is_a_word else re.IGNORECASE)


def _read(content: str) -> tuple[str, list[str]] | None:
    """Return the text and its parts, or None if the answer is not the JSON that was asked for."""
    try:
        answer = json.loads(content)
        text, parts = answer["text"], answer["parts"]
    except (ValueError, KeyError, TypeError):
        return None
    if not isinstance(text, str) or not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
        return None
    return text, parts
