"""Refill pools of argument values by a language model, if a recipe asks for it; the values are kept as data, with their origin."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from atomic_tasks.catalog import Catalog
from atomic_tasks.problems import BadInput, suggestion
from atomic_tasks.schema import DEFAULT_LOCALE
from atomic_tasks.value_schema import Origin, Pool, Pools
from atomic_tasks.yaml_source import read_declared_file
from flows.recipe import Refill
from language_models.cache import request_key
from language_models.client import Answer, Request, ask_all
from language_models.errors import ModelError
from language_models.interface import interface_of
from language_models.prompts import prompt_templates
from language_models.registry import find_endpoint
from warehouse.layout import DataFolder, fetch, written_file

_EXAMPLES = 20  # values and phrasings that the model sees
_LONGEST = 90  # characters of a value
_TEMPLATES = prompt_templates(Path(__file__).parent / "templates")
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"rows": {"type": "array", "items": {"type": "array", "items": {"type": "string"}}}},
    "required": ["rows"],
    "additionalProperties": False,
}


def refilled(catalog: Catalog, refill: Refill, data: DataFolder, progress: Callable[[str, int, int], None]) -> Catalog:
    """Return the catalog with further values from the model in the recipe's pools.

    Pools that the same request refilled before are read from the data folder, without a call.
    """
    pools = [_pool_of(column, catalog) for column in dict.fromkeys(refill.columns)]
    endpoint = find_endpoint(refill.model, refill.base_url, refill.key_variable, own=data.models)
    requests = [_request(pool, refill, catalog) for pool in pools]
    body = interface_of(endpoint).body
    keys = [request_key({"base_url": endpoint.base_url, **body(request, endpoint)}, 0)[:16] for request in requests]
    files = [data.pools / f"{'+'.join(pool.columns)}-{key}.yaml" for pool, key in zip(pools, keys, strict=True)]
    fetch(*files)
    missing = [number for number, file in enumerate(files) if not file.is_file()]
    asked = [requests[number] for number in missing]
    answers = ask_all(endpoint, asked, data.model_calls, lambda done, total: progress("refilling pools", done, total), "refill") if asked else []
    for number, answer in zip(missing, answers, strict=True):
        origin = Origin(model=refill.model, prompt=keys[number], made_at=datetime.now(UTC).isoformat(timespec="seconds"))
        _write(files[number], _checked(pools[number], answer, origin))
    return replace(catalog, pools=(*catalog.pools, *(pool for file in files for pool in read_declared_file(file, Pools).pools)))


def _pool_of(column: str, catalog: Catalog) -> Pool:
    known = {name: pool for pool in catalog.pools if pool.locale == DEFAULT_LOCALE for name in pool.columns}
    if column not in known:
        raise BadInput(f"the recipe refills '{column}', but no pool has this column{suggestion(column, known)}")
    return known[column]


def _request(pool: Pool, refill: Refill, catalog: Catalog) -> Request:
    """Return the request: values like these, that read well in these phrasings."""
    said = [
        (task.id, phrasing)
        for task in catalog.tasks.values()
        for phrasing in task.say
        if any(argument.generator in pool.columns and f"{{{name}}}" in phrasing for name, argument in task.arguments.items())
    ]
    prompt = _TEMPLATES.get_template("refill_pool.md.j2")
    user = prompt.render(pool=pool, rows=_spread(pool.values), said=_spread(said), number=refill.values)
    system = _TEMPLATES.get_template("refill_system.md.j2").render()
    return Request.of(system, user, _SCHEMA, temperature=0.0, max_tokens=200 + 40 * refill.values * len(pool.columns))


def _spread(entries: Sequence[Any]) -> Sequence[Any]:
    """Return some entries, spread evenly over the list."""
    return entries[:: max(1, len(entries) // _EXAMPLES)][:_EXAMPLES]


def _checked(pool: Pool, answer: Answer, origin: Origin) -> Pool:
    """Return the answer's rows that are new and of the right form, as a pool; ModelError if there is none."""
    try:
        rows = json.loads(answer.text)["rows"]
    except (ValueError, KeyError, TypeError):
        rows = []
    known = {tuple(value.casefold() for value in row) for row in pool.values}
    fresh: dict[tuple[str, ...], None] = {}
    for row in rows if isinstance(rows, list) else []:
        if _is_sound(row, len(pool.columns)) and tuple(value.casefold().strip() for value in row) not in known:
            fresh[tuple(value.strip() for value in row)] = None
    if not fresh:
        raise ModelError(f"model '{origin.model}' gave no usable values for {', '.join(pool.columns)} (its answer was {answer.status})")
    return Pool(columns=pool.columns, later=pool.later, values=tuple(fresh), origin=origin)


def _is_sound(row: Any, columns: int) -> bool:
    return (
        isinstance(row, list)
        and len(row) == columns
        and all(isinstance(value, str) and 0 < len(value.strip()) <= _LONGEST and not set(value) & set("{}\n\r\t") for value in row)
    )


def _write(path: Path, pool: Pool) -> None:
    content = {"pools": [pool.model_dump(mode="json")]}
    with written_file(path) as temporary:
        temporary.write_text(yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=140), encoding="utf-8")
