"""Paraphrase a dataset's shards by a language model, if a recipe asks for it.

Every paraphrased shard has its own file beside the shard; the requests and the judgement rules decide its address. Each answer is
kept at once, so that a stopped build can continue.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from atomic_tasks.catalog import Catalog
from atomic_tasks.schema import PLACEHOLDER
from atomic_tasks.seeds import share
from compositions.schema import Workflow
from flows.progress import Progress
from flows.recipe import Paraphrasing
from flows.shard import NEARLY_THE_SAME, Row, Shard, task_id, text_key
from flows.versions import PARAPHRASE
from language_models.client import Answer, Client, Endpoint
from language_models.errors import ModelError
from language_models.registry import find_endpoint
from narrators.asks import Narrated
from narrators.near_duplicates import NearDuplicates
from narrators.paraphraser import Paraphrase, Paraphraser, prompt_hash
from warehouse.layout import DataFolder, fetch
from warehouse.parquet import write_rows


def paraphrase_shards(
    shards: Sequence[Shard], paraphrasing: Paraphrasing, catalog: Catalog, workflows: Mapping[str, Workflow], data: DataFolder, progress: Progress
) -> dict[str, Path]:
    """Return the paraphrased shards by their names, in their order; existing files are used again.

    ModelError if a call never succeeded, after all others were made and kept.
    """
    paraphraser = Paraphraser(catalog, workflows, paraphrasing.temperature)
    endpoint = find_endpoint(paraphrasing.model, paraphrasing.base_url, paraphrasing.key_variable, own=data.models)
    made_by = [paraphrasing.model_dump_json(exclude={"key_variable"}), prompt_hash(), paraphraser.rules_hash, str(PARAPHRASE)]
    paths = {shard.name: data.shards / f"{_address(shard, made_by)}.parquet" for shard in shards}
    fetch(*paths.values())
    missing = [shard for shard in shards if not paths[shard.name].is_file()]
    sources = {shard.name: data.shards / f"{shard.address}.parquet" for shard in missing}
    total = sum(_sampled(row, paraphrasing.rate) for path in sources.values() for row in _read(path, ["row_seed", "has_typo", "rejected_stage"]))
    done = failed = 0
    with Client(endpoint, data.model_calls, "paraphrasing") as client:
        for name, source in sources.items():
            rows = _read(source)
            told = {number: paraphraser.narrated(row) for number, row in enumerate(rows) if _sampled(row, paraphrasing.rate)}
            answers: dict[int, Answer] = {}
            for number, answer in zip(told, client.each(map(paraphraser.request, told.values()), client.ask), strict=True):
                answers[number] = answer
                done += 1
                progress("paraphrasing", done, total)
            failed_here = sum(answer.status == "failed" for answer in answers.values())
            failed += failed_here
            if not failed_here:
                found = {number: _paraphrased(rows[number], told[number], answers[number], paraphraser, endpoint) for number in told}
                write_rows(paths[name], "shard", list(settled(rows, found)))
    if failed:
        raise ModelError(
            f"{failed} of {total} calls to paraphrase never succeeded at {endpoint.where}; "
            "all other answers are kept: run the same command again to ask for the rest"
        )
    return paths


def _address(shard: Shard, made_by: Sequence[str]) -> str:
    return hashlib.blake2b(json.dumps([shard.address, *made_by]).encode(), digest_size=16).hexdigest()


def _read(path: Path, columns: Sequence[str] | None = None) -> list[Row]:
    rows: list[Row] = pq.read_table(path, columns=columns).to_pylist()
    return rows


def _sampled(row: Row, rate: float) -> bool:
    """Tell whether to paraphrase a row. Mistyped texts stay: a model would correct them, and the recipe states their rate."""
    return row["rejected_stage"] is None and not row["has_typo"] and share("paraphrase", row["row_seed"]) < rate


def _paraphrased(row: Row, told: Narrated, answer: Answer, paraphraser: Paraphraser, endpoint: Endpoint) -> Row:
    """Return the row with the status of its paraphrase, and the new text if that is faithful."""
    paraphrase = paraphraser.judged(told, row, answer)
    noted = {
        **row,
        "paraphrase_status": paraphrase.status,
        "paraphrase_call": answer.call_id,
        "paraphrase_model": endpoint.model,
        "paraphrase_prompt": prompt_hash(),
    }
    return _retold(noted, paraphrase) if paraphrase.status == "accepted" else noted


def _retold(row: Row, paraphrase: Paraphrase) -> Row:
    """Return the row with the paraphrase as its text, and with all values that follow from a text."""
    retold = {
        **row,
        "narrated_text": row["text"],
        "text": paraphrase.text,
        "masked_text": paraphrase.masked_text,
        "text_key": text_key(paraphrase.text),
        "masked_key": text_key(PLACEHOLDER.sub("{}", paraphrase.masked_text)),
    }
    return {**retold, "task_id": task_id(retold)}


def settled(rows: Iterable[Row], found: Mapping[int, Row]) -> Iterator[Row]:
    """Yield the rows with their final texts; no text is nearly the same as an earlier one.

    If a paraphrase is, the narrated text replaces it; if that is nearly the same too, the row is rejected.
    """
    near_duplicates = NearDuplicates()
    for number, row in enumerate(rows):
        noted = found.get(number, row)
        if row["rejected_stage"] is not None or near_duplicates.add(noted["text"]):
            yield noted
            continue
        if noted.get("paraphrase_status") == "accepted":
            lineage: dict[str, Any] = {name: noted[name] for name in ("paraphrase_call", "paraphrase_model", "paraphrase_prompt")}
            noted = {**row, **lineage, "paraphrase_status": "near_duplicate"}
            if near_duplicates.add(row["text"]):
                yield noted
                continue
        yield {**noted, "rejected_stage": NEARLY_THE_SAME[0], "rejected_reason": NEARLY_THE_SAME[1]}
