"""Drafting: a language model proposes atomic tasks for a person to review, outside the catalog (AppSelectBench, section 6.1).

Every proposal is checked by the rules as if it were in the catalog; a kept proposal can be pasted into the catalog unchanged.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import yaml
from pydantic import BaseModel, model_validator

from atomic_tasks.arguments.registry import Given, computed_generators
from atomic_tasks.catalog import Catalog
from atomic_tasks.names import spoken_names
from atomic_tasks.problems import BadInput, Problem, Source, suggestion
from atomic_tasks.schema import DEFAULT_LOCALE, FEWEST_TASKS, Application, AtomicTask, Capability
from atomic_tasks.yaml_source import Model, validated
from compositions.library import read_workflows
from flows.draft_review import SAID, entries, faults_of, settled
from flows.progress import Progress
from language_models.client import Answer, Endpoint, Request, ask_all
from language_models.errors import ModelError
from language_models.prompts import prompt_templates
from warehouse.layout import DataFolder, written_file

_EXAMPLES = 3  # full tasks that the model sees
_TEMPLATES = prompt_templates(Path(__file__).parent / "templates")
_HEADER = "# Proposals of a language model, for a person to review (docs/drafting.md). Nothing here is in the catalog.\n"
_CARD_FIELDS = ("aliases", "name_is_a_word", "vendor", "kind", "platform", "category", "description", "features", "typical_scenarios")
_TASK_FIELDS = ("id", "title", "capability", "generic", "arguments", "needs", "gives", "ends", "revises", "last", *SAID)
_TEXT: dict[str, Any] = {"type": "string"}
_TEXTS: dict[str, Any] = {"type": "array", "items": _TEXT}
_OPTIONAL: dict[str, Any] = {"type": ["string", "null"]}


@dataclass(frozen=True)
class Refused:
    """A proposal, as far as possible in the catalog's form, and why the catalog cannot take it."""

    proposal: Any
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class Draft:
    """A file of proposals: the kept ones for the catalog, and the refused ones."""

    path: Path
    kept: tuple[AtomicTask, ...]
    refused: tuple[Refused, ...]


class _Card(Application):
    """An application before it has tasks, as the model describes it."""

    @model_validator(mode="after")
    def _has_tasks(self) -> "_Card":
        return self


class _Lines(list[str]):
    """Texts of which each has its own line in a YAML file."""


class _Dumper(yaml.SafeDumper):
    """Writes YAML in the form of the catalog: lists indented, short lists on one line, each phrasing on its own line."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)


_Dumper.add_representer(_Lines, lambda dumper, lines: dumper.represent_sequence("tag:yaml.org,2002:seq", lines, flow_style=False))


def draft_tasks(
    application: str, endpoint: Endpoint, number: int, catalog: Catalog, data: DataFolder, progress: Progress, title: str | None = None
) -> Draft:
    """Let the model propose `number` tasks of an application of the (sound) catalog or, with a title, of a new one with its card.

    The file is in `data.drafts`, named by its content: drafting the same again keeps the changes of a person in it.
    BadInput if the names do not fit; ModelError if nothing of the answer can be used, and then nothing is written.
    """
    fewest = _checked_fewest(application, title, number, catalog)
    origin = {"model": endpoint.model}

    def asked(stage: str, request: Request) -> Answer:
        return ask_all(endpoint, [request], data.model_calls, lambda done, total: progress(stage, done, total), f"draft {application}")[0]

    if title is None:
        base = catalog.applications[application]
    else:
        described = asked("describing the application", _card_request(title, catalog))
        base = _card(application, title, described, catalog)
        origin["card_call"] = described.call_id
    request = _tasks_request(base, number, catalog)
    answer = asked("drafting tasks", request)
    origin |= {"prompt": hashlib.sha256("\n".join(message.text for message in request.messages).encode()).hexdigest()[:16], "call": answer.call_id}
    tasks, offered, refused = _read(answer)
    workflows = read_workflows()[0]
    kept, reasons = settled(tasks, lambda some: faults_of(some, base, offered, catalog, workflows))
    refused += [Refused(_declared(tasks[place]), tuple(found)) for place, found in sorted(reasons.items())]
    if len(kept) < fewest:
        why = "; ".join(each.reasons[0] for each in refused[:3]) or "it proposed no others"
        raise ModelError(f"model '{endpoint.model}' drafted {len(kept)} usable tasks of {application} (at least {fewest} needed): {why}")
    content = {
        **({"application": application} if title is None else base.model_dump(mode="json", exclude_defaults=True)),
        "tasks": [_declared(task) for task in kept],
        "equivalence": {name: entry.model_dump(mode="json") for name, entry in entries(kept, base, offered, catalog).items()},
        "origin": origin,
        "refused": [{"proposal": each.proposal, "reasons": _Lines(each.reasons)} for each in refused],
    }
    return Draft(_written(data.drafts, application, content), tuple(kept), tuple(refused))


def _checked_fewest(application: str, title: str | None, number: int, catalog: Catalog) -> int:
    """Return how many tasks the draft must hold; BadInput if the request cannot be drafted."""
    form = Application.model_json_schema()["properties"]
    fewest = FEWEST_TASKS if title else 1
    if title is None and application not in catalog.applications:
        known = suggestion(application, catalog.applications)
        raise BadInput(f"'{application}' is not in the catalog (to draft it as a new application, give its --title){known}")
    if title is not None and application in catalog.applications:
        raise BadInput(f"'{application}' is in the catalog already; leave out --title to draft more tasks for it")
    if not re.fullmatch(form["application"]["pattern"], application):
        raise BadInput(f"'{application}' cannot be the name of an application; write it in lower case without spaces, such as libre_office")
    if number < fewest:
        raise BadInput(f"{'a new application needs' if title else 'ask for'} {fewest} or more tasks, not {number}")
    return fewest


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON Schema of an object with exactly these properties: strict endpoints know neither free nor optional keys."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _fields(model: type[BaseModel], names: Sequence[str]) -> dict[str, Any]:
    """Return the JSON Schemas of fields of a catalog model, without the constraints that strict endpoints do not know."""
    known = model.model_json_schema()["properties"]
    return {name: _TEXTS if "items" in known[name] else {key: known[name][key] for key in ("type", "enum") if key in known[name]} for name in names}


def _card_request(title: str, catalog: Catalog) -> Request:
    """Return the request for the card of a new application, with another card as an example of the form."""
    example = next(iter(catalog.applications.values())).model_dump_json(include=set(_CARD_FIELDS))
    system = _TEMPLATES.get_template("draft_card_system.md.j2").render(categories=catalog.categories)
    user = _TEMPLATES.get_template("draft_card.md.j2").render(example=example, title=title)
    return Request.of(
        system, user, _object({**_fields(Application, _CARD_FIELDS), "category": {**_TEXT, "enum": catalog.categories}}), max_tokens=1500
    )


def _tasks_request(base: Application, number: int, catalog: Catalog) -> Request:
    """Return the request for tasks of an application; the part for all applications comes first, so that servers can cache it."""
    peers = [other for other in catalog.applications.values() if other.category == base.category]
    shown = [task for each in ([base] if base.tasks else peers) for task in each.tasks if not task.generic]
    system = _TEMPLATES.get_template("draft_system.md.j2").render(
        applications=catalog.applications,
        computed=[(generator, generator.draw(Random(0), Given())) for generator in computed_generators().values()],
        pools=[pool for pool in catalog.pools if pool.locale == DEFAULT_LOCALE],
    )
    user = _TEMPLATES.get_template("draft_tasks.md.j2").render(
        application=base,
        names=spoken_names(base),
        capabilities=sorted({task.capability for each in peers for task in each.tasks}),
        examples=[_as_answered(task) for task in shown[:: max(1, len(shown) // _EXAMPLES)][:_EXAMPLES]],
        number=number,
    )
    argument = _object({"name": _TEXT, "generator": _OPTIONAL, "of": _OPTIONAL, "one_of": {**_TEXTS, "type": ["array", "null"]}})
    task = _object({**_fields(AtomicTask, _TASK_FIELDS), "arguments": _list(argument)})
    names = [*dict.fromkeys((*catalog.applications, base.application))]
    entry = _object({"capability": _TEXT, "applications": _list({**_TEXT, "enum": names}), "reason": _TEXT})
    return Request.of(system, user, _object({"tasks": _list(task), "capabilities": _list(entry)}), max_tokens=1000 + 700 * number)


def _as_answered(task: AtomicTask) -> str:
    """Return a task of the catalog in the form of the answer: strict schemas know no free keys, so arguments are a list."""
    arguments = [{"name": name, **argument.model_dump()} for name, argument in task.arguments.items()]
    return json.dumps({name: arguments if name == "arguments" else getattr(task, name) for name in _TASK_FIELDS}, ensure_ascii=False)


def _card(application: str, title: str, answer: Answer, catalog: Catalog) -> _Card:
    """Return the new application as the model describes it, without tasks yet."""
    said = _json(answer)
    card, reasons = _formed({"application": application, "title": title, **{name: said[name] for name in _CARD_FIELDS if name in said}}, _Card)
    if card is not None and card.category not in catalog.categories:
        reasons = [f"category: unknown category '{card.category}'"]
    if card is None or reasons:
        raise ModelError(f"the model gave no usable description of {title}: {'; '.join(reasons)}")
    return card


def _json(answer: Answer) -> dict[str, Any]:
    """Return the JSON object in the answer."""
    try:
        said = json.loads(answer.text)
    except ValueError:
        said = None
    if not isinstance(said, dict):
        remedy = "; ask for fewer tasks" if answer.status == "truncated" else ""
        raise ModelError(f"the model's answer ({answer.status}) is not the requested JSON object{remedy}")
    return said


def _formed(data: Any, model: type[Model]) -> tuple[Model | None, list[str]]:
    """Return the model that the data describes, or None and the reasons."""
    problems: list[Problem] = []
    found = validated(Source(Path("answer"), data), model, problems)
    return found, [f"{problem.field}: {problem.reason}" for problem in problems]


def _read(answer: Answer) -> tuple[list[AtomicTask], dict[str, Capability], list[Refused]]:
    """Return the tasks and the entries of the equivalence map in the answer, and the proposals that have neither form."""
    said = _json(answer)
    tasks: list[AtomicTask] = []
    entries: dict[str, Capability] = {}
    refused: list[Refused] = []
    for given in map(_in_catalog_form, _items(said, "tasks")):
        task, reasons = _formed(given, AtomicTask)
        tasks += [task] if task else []
        refused += [] if task else [Refused(given, tuple(reasons))]
    for given in _items(said, "capabilities"):
        content = {key: value for key, value in given.items() if key != "capability"} if isinstance(given, dict) else given
        entry, reasons = _formed(content, Capability)
        entries |= {str(given.get("capability")): entry} if entry else {}
        refused += [] if entry else [Refused(given, tuple(reasons))]
    return tasks, entries, refused


def _items(said: dict[str, Any], key: str) -> list[Any]:
    found = said.get(key)
    return found if isinstance(found, list) else []


def _in_catalog_form(given: Any) -> Any:
    """Return a proposal with its arguments by name; if they cannot be read, return it unchanged: its form is then refused."""
    arguments: Any = given.get("arguments") if isinstance(given, dict) else None
    listed = isinstance(arguments, list) and all(isinstance(each, dict) and isinstance(each.get("name"), str) for each in arguments)
    if not listed or len({each["name"] for each in arguments}) < len(arguments):
        return given
    return {**given, "arguments": {each["name"]: {key: value for key, value in each.items() if value and key != "name"} for each in arguments}}


def _declared(task: AtomicTask) -> dict[str, Any]:
    """Return the task in the form of the catalog's YAML."""
    content = task.model_dump(mode="json", exclude_defaults=True)
    for name, argument in content.get("arguments", {}).items():
        content["arguments"][name] = argument["generator"] if set(argument) == {"generator"} else argument
    content |= {key: _Lines(content[key]) for key in SAID if key in content}
    return {name: content[name] for name in dict.fromkeys((*_TASK_FIELDS, *content)) if name in content}


def _written(folder: Path, application: str, content: dict[str, Any]) -> Path:
    """Write a file with this content and return its path; an existing file stays unchanged."""
    identity = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:12]
    path = folder / f"{application}-{identity}.yaml"
    if not path.is_file():
        content["origin"]["made_at"] = datetime.now(UTC).isoformat(timespec="seconds")
        text = yaml.dump(content, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=150, default_flow_style=None)
        with written_file(path) as temporary:
            temporary.write_text(_HEADER + text, encoding="utf-8")
    return path
