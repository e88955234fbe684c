"""The hierarchical selector: first the category, then the application within it (AppSelectBench, section 6.3, proposes it)."""

from dataclasses import replace
from typing import Any

from eval_flows.selection.parser import Names, names_of, read_json, read_name
from eval_flows.selection.prompts import rendered
from eval_flows.selection.selectors.language_model import ModelSelector, choice, object_schema, read_choice, told
from eval_flows.selection.selectors.options import SelectorOptions
from eval_flows.selection.selectors.selector import Prediction
from eval_flows.selection.tasks import Task
from language_models.client import Answer, Request

_TOKENS = 40


class HierarchicalSelector(ModelSelector):
    """Asks twice. An application belongs to its primary and further categories; the second question lists only the applications of the category."""

    templates = ("category_system", "category_task", "choose_system", "choose_task")
    rounds = 2

    def __init__(self, options: SelectorOptions) -> None:
        super().__init__("hierarchical", options)
        self._members = {
            category: members
            for category in options.candidates.categories
            if (members := [name for name, candidate in options.candidates.items() if category in candidate.categories])
        }
        self._category_names = Names(dict.fromkeys(self._members, ()))
        self._system = rendered("category_system", reply=options.choices.reply, categories=self._members)
        self._systems = {
            category: rendered("choose_system", reply=options.choices.reply, choose=options.choices.choose, candidates=members, examples=(), cards=())
            for category, members in self._members.items()
        }
        self._names = {category: names_of(options.candidates[name] for name in members) for category, members in self._members.items()}

    async def answer(self, task: Task) -> Prediction:
        """Return the answer to one task; if no category can be read, its status is that of the first question."""
        said = await self.client.ask(self._category_request(task))
        category, unread = self._read_category(said)
        if category is None:
            return unread
        user = rendered("choose_task", text=task.text, choose=self.options.choices.choose, examples=(), cards=())
        second = await self.client.ask(choice(self._systems[category], user, self.options, self._members[category]))
        chosen = read_choice(second, self.options, self._names[category])
        return replace(
            chosen,
            latency_ms=said.latency_ms + second.latency_ms,
            cost_usd=said.cost_usd + second.cost_usd,
            said=f"{category}: {chosen.said}",
            calls=(said.call_id, second.call_id),
            input_tokens=said.input_tokens + second.input_tokens,
            output_tokens=said.output_tokens + second.output_tokens,
        )

    def _category_request(self, task: Task) -> Request:
        kind: dict[str, Any] = {"type": "string", "enum": list(self._members)}
        schema = object_schema({"category": kind})
        user = rendered("category_task", text=task.text)
        return Request.of(self._system, user, schema if self.options.choices.reply == "schema" else None, temperature=0.0, max_tokens=_TOKENS)

    def _read_category(self, said: Answer) -> tuple[str | None, Prediction]:
        if said.status in {"failed", "refused"}:
            return None, told(said, Prediction(None, "failed" if said.status == "failed" else "refused"))
        truncated = said.status == "truncated"
        if self.options.choices.reply == "schema":
            found, status = read_json(said.text, truncated, "category", self._category_names)
            category = found[0] if found and found[0] in self._members else None
        else:
            category, status = read_name(said.text, truncated, self._category_names)
        return category, told(said, Prediction(None, status if status != "answered" else "not_in_list"))
