"""Selectors that ask a language model: zero-shot, few-shot and retrieval-augmented (AppSelectBench, section 4.3 and Appendix C)."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from eval_flows.selection.parser import Names, names_of, read_json, read_name, read_set
from eval_flows.selection.prompts import prompt_hash, rendered
from eval_flows.selection.selectors.options import SelectorOptions
from eval_flows.selection.selectors.selector import AnswerKind, Prediction, Status
from eval_flows.selection.tasks import Task
from language_models.client import Answer, Client, Request

_TOKENS = 40  # enough for an answer of one long name
_TOKENS_OF_SET = 300
_SAID = 500  # characters that the prediction keeps; the cache has the whole answer


@dataclass(frozen=True)
class Shown:
    """The examples and cards in a task's own part of the prompt, nearest first."""

    examples: tuple[dict[str, str], ...] = ()
    cards: tuple[dict[str, str], ...] = ()


class ModelSelector:
    """Base of selectors that ask a model: the endpoint, the parser, and the run's identity."""

    templates: tuple[str, ...] = ("choose_system", "choose_task")
    rounds = 1  # most questions for each task

    def __init__(self, protocol: str, options: SelectorOptions) -> None:
        if options.client is None:
            raise ValueError(f"protocol {protocol} asks a language model")
        self.client: Client = options.client
        self.options = options
        self.names: Names = names_of(options.candidates.values())
        self.model = self.client.endpoint.model
        self.prompt: str | None = prompt_hash(*self.templates)
        self.answer_kind: AnswerKind = "set" if options.choices.choose == "set" else "application"
        self.learnt_from: frozenset[str] = frozenset()
        endpoint = self.client.endpoint
        self._decided_by: dict[str, Any] = {"endpoint": endpoint.where, "reply": options.choices.reply, "choose": options.choices.choose}
        self.decided_by(**{name: value for name in ("served_as", "edition") if (value := getattr(endpoint, name)) is not None})

    @property
    def sampling(self) -> str:
        """Return the options that decide the answers."""
        return json.dumps(self._decided_by, sort_keys=True)

    def decided_by(self, **parts: Any) -> None:
        """Add further options that decide the answers."""
        self._decided_by |= parts

    def prepare(self, tasks: Sequence[Task]) -> None:
        """Find the examples and cards for the prompts of these tasks; `select` does this too."""

    def select(self, tasks: Sequence[Task]) -> Iterator[Prediction]:
        """Yield one answer for each task, in order; many tasks are asked at once."""
        self.prepare(tasks)
        return self.client.each(tasks, self.answer)

    async def answer(self, task: Task) -> Prediction:
        """Return the answer to one task."""
        raise NotImplementedError


class ChoosingSelector(ModelSelector):
    """Asks once for each task. The common part of the prompts comes first, so that servers can reuse it, and the task last."""

    def __init__(self, protocol: str, options: SelectorOptions, *, examples: Sequence[dict[str, str]] = (),
                 cards: Sequence[dict[str, str]] = ()) -> None:  # fmt: skip
        super().__init__(protocol, options)
        self._shown: Mapping[str, Shown] = {}
        self._system = rendered(
            "choose_system", reply=options.choices.reply, choose=options.choices.choose, candidates=options.candidates, examples=examples, cards=cards
        )

    def show(self, tasks: Sequence[Task]) -> Mapping[str, Shown]:
        """Return the examples and cards for the prompt of each task, by task id."""
        return {}

    def prepare(self, tasks: Sequence[Task]) -> None:
        """Find the examples and cards for the prompts of these tasks."""
        self._shown = self.show(tasks)

    async def answer(self, task: Task) -> Prediction:
        """Return the answer to one task."""
        shown = self._shown.get(task.task_id, Shown())
        user = rendered("choose_task", text=task.text, choose=self.options.choices.choose, examples=shown.examples, cards=shown.cards)
        said = await self.client.ask(choice(self._system, user, self.options, list(self.options.candidates)))
        return replace(read_choice(said, self.options, self.names), retrieved=tuple(card["name"] for card in shown.cards))


def object_schema(properties: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON Schema of an object with exactly these properties."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def choice(system: str, user: str, options: SelectorOptions, candidates: Sequence[str]) -> Request:
    """Return the request for an application, or a set of applications, among the candidates."""
    many = options.choices.choose == "set"
    one: dict[str, Any] = {"type": "string", "enum": list(candidates)}
    field, kind = ("applications", {"type": "array", "items": one}) if many else ("application", one)
    schema = object_schema({field: kind}) if options.choices.reply == "schema" else None
    return Request.of(system, user, schema, temperature=0.0, max_tokens=_TOKENS_OF_SET if many else _TOKENS)


def read_choice(said: Answer, options: SelectorOptions, names: Names) -> Prediction:
    """Return the answer in the model's output."""
    many = options.choices.choose == "set"
    status: Status
    applications: tuple[str, ...] = ()
    truncated = said.status == "truncated"
    if said.status in {"failed", "refused"}:
        status = "failed" if said.status == "failed" else "refused"
    elif options.choices.reply == "schema":
        applications, status = read_json(said.text, truncated, "applications" if many else "application", names)
    elif many:
        applications, status = read_set(said.text, truncated, names)
    else:
        found, status = read_name(said.text, truncated, names)
        applications = (found,) if found else ()
    first = next((name for name in applications[:1] if names.find(name) == name), None)
    if status == "answered" and first is None:
        status = "not_in_list"  # the first application of a set counts, and here it is no candidate
    return told(said, Prediction(first, status, applications=applications if many else applications[:1] if first else ()))


def told(said: Answer, answer: Prediction) -> Prediction:
    """Return the answer with the cost of the call and the model's output."""
    return replace(
        answer,
        latency_ms=said.latency_ms,
        cost_usd=said.cost_usd,
        said=said.text[:_SAID],
        calls=(said.call_id,),
        input_tokens=said.input_tokens,
        output_tokens=said.output_tokens,
    )
