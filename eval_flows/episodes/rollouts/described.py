"""What is declared about rollouts: what each column holds, and the licences of what is inside."""

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import yaml

from warehouse.episode_tables import ROLLOUTS

_HERE = Path(__file__).parent
_WITH_IMAGES = ("sandbox", "qemu")  # kinds of machine that run our images


@cache
def _declared(name: str) -> dict[str, Any]:
    return dict(yaml.safe_load((_HERE / f"{name}.yaml").read_text()))


def columns() -> list[tuple[str, str, str]]:
    """Return each column of the rollouts with its type and with what it holds; a column within a list as `messages[].role`."""
    words = _declared("columns")
    return [(name, kind, words[name]) for name, kind in _flattened(ROLLOUTS, "") if kind or name in words]


def licences_of(applications: Sequence[str], machine: str, model: str | None, is_imported: bool = False) -> list[dict[str, str]]:
    """Return the licences of a rollout: of its texts, of what its pictures show, and of the answers of a model.

    `applications` are those of its task, and `machine` is the kind of machine that it was played on. The instruction and the checks of an imported
    task are not ours.
    """
    declared = _declared("licences")
    named = {application: declared["applications"].get(application, declared["elsewhere"]) for application in applications}
    shown = {"the desktop": declared["desktop"], **named} if machine in _WITH_IMAGES else {"the machine": declared["elsewhere"]}
    texts = {"instruction and checks": declared["imported"], "other texts": declared["texts"]} if is_imported else {"texts": declared["texts"]}
    found = {**texts, **{f"pictures of {what}": licence for what, licence in shown.items()}}
    if model is not None:
        found[f"answers of {model}"] = declared["answers"]
    return [{"of": of, "licence": licence} for of, licence in found.items()]


def _flattened(fields: Any, before: str) -> Iterator[tuple[str, str]]:
    """Yield the columns with their types in words; no type for a list of structures, whose own columns follow."""
    for field in fields:
        name, kind, many = f"{before}{field.name}", field.type, ""
        if pa.types.is_list(kind) and pa.types.is_struct(kind.value_type):
            yield name, ""
            yield from _flattened(kind.value_type, f"{name}[].")
            continue
        if pa.types.is_list(kind):
            kind, many = kind.value_type, "list of "
        yield name, f"{many}{kind}"
