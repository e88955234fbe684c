"""Prompts of the calls for the first tasks of a dataset; the prompts of all tasks would be too large."""

from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb

from reports.explorer_data import SHARD_DIGITS, query_text, write_script

PROMPTED_TASKS = 2000
Messages = list[dict[str, str]]
PromptOf = Callable[[str], Messages | None]


def write_prompts(connection: duckdb.DuckDBPyConnection, folder: Path, dataset_id: str, prompt_of: PromptOf) -> list[str]:
    """Write the prompts in the shards of their tasks. A file holds each line once, since prompts share many, such as the candidate list.

    Return the names of the shards that have prompts.
    """
    by_shard: dict[str, dict[str, Messages]] = defaultdict(dict)
    parameters = {"dataset_id": dataset_id, "tasks": PROMPTED_TASKS}
    result = connection.execute(query_text("explorer_calls"), parameters)
    for task_id, calls in result.fetchall():
        found = {call: prompt_of(call) for call in calls}
        if kept := {call: messages for call, messages in found.items() if messages is not None}:
            by_shard[task_id[:SHARD_DIGITS]] |= kept
    for shard, prompts in by_shard.items():
        write_script(folder, f"prompts/{dataset_id}/{shard}", _with_shared_lines(prompts))
    return list(by_shard)


def _with_shared_lines(prompts: dict[str, Messages]) -> dict[str, Any]:
    """Return prompts as numbers of lines: {"lines": [...], "calls": {call: [[role, [number, ...]], ...]}}."""
    numbers: dict[str, int] = {}
    calls = {
        call: [[message["role"], [numbers.setdefault(line, len(numbers)) for line in message["content"].split("\n")]] for message in messages]
        for call, messages in prompts.items()
    }
    return {"lines": list(numbers), "calls": calls}
