"""Figures of the warehouse at a million predictions: loading them, and answering every view, beside pandas and scikit-learn.

The data is made here, fast: a dataset of 100 applications in 11 categories, the last application without support, whose compositions have 1 to 40
rows, and twelve runs over it, of three selectors and of three language models under three protocols, with mixed statuses, some still in progress.
"""

import json
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from tests.timing import seconds_of
from tests.warehouse.reference import answers_by_pandas, hold_against_reference
from warehouse.empty import SQL_ROOT
from warehouse.layout import DataFolder, point_label
from warehouse.loader import load_warehouse
from warehouse.parquet import SCHEMAS, write_table

APPLICATIONS, CATEGORIES, STEPS = 100, 11, 35
STATUSES = ("answered", "not_in_list", "refused", "empty", "truncated", "failed", "not_applicable")
STATUS_SHARES = (0.95, 0.015, 0.01, 0.01, 0.005, 0.005, 0.005)
STYLES = ("command", "question", "polite", "statement", "fragment", "chatty")
PARAPHRASES = (None, "accepted", "unchanged", "unreadable")
SELECTORS = (("random", "random", 0.02), ("heuristic", "lexicons", 0.5), ("nearest", "all-MiniLM-L6-v2", 0.4))
MODELS = (("gpt-5", "closed", 0.65), ("phi-4", "open", 0.5), ("qwen2.5-7b-instruct", "open", 0.55))
PROTOCOLS = ("zero_shot", "few_shot", "ras")
Rows = dict[str, Any]
Figure = tuple[str, float, str, str, float]  # name, value, unit, reference, its value


def figures(tasks: int = 100_000, predictions: int = 1_000_000) -> Iterator[Figure]:
    """Load and ask every view in a folder of its own; the same figures by pandas and scikit-learn are the reference, and must be the same."""
    with tempfile.TemporaryDirectory() as place:
        folder = DataFolder(Path(place))
        synthetic_runs(synthetic_dataset(folder, tasks), predictions)
        loading = seconds_of(lambda: load_warehouse(folder))
        frames: list[pd.DataFrame] = []
        reading = seconds_of(lambda: frames.append(answers_by_pandas(folder)))
        with duckdb.connect(str(folder.warehouse), read_only=True) as connection:
            by_view = {name: seconds_of(lambda name=name: connection.sql(f"from {name}").to_arrow_table()) for name in analysis_names(connection)}  # type: ignore[misc]
            computing = seconds_of(lambda: hold_against_reference(connection, frames[0]))
        slowest = max(by_view, key=lambda name: by_view[name])
        yield f"load_{predictions}_predictions", loading, "s", "reading and joining the same Parquet with pandas", reading
        yield "answer_every_view", sum(by_view.values()), "s", "the figures of five of them by pandas and scikit-learn", computing
        yield f"answer_slowest_view_{slowest}", by_view[slowest], "s", "all views", sum(by_view.values())


def analysis_names(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """Every view, and every table that is made from others; schema.sql has those that are loaded."""
    loaded = re.findall(r"create table (\w+)", (SQL_ROOT / "schema.sql").read_text())
    query = "select view_name from duckdb_views() where not internal union all select table_name from duckdb_tables() where not internal"
    return sorted(name for (name,) in connection.execute(query).fetchall() if name not in loaded)


@dataclass(frozen=True)
class Synthetic:
    """A dataset as arrays of its tasks, from which runs are drawn: application numbers, composition numbers and sizes of the valid sets."""

    folder: DataFolder
    dataset: str
    task_ids: pa.Array
    targets: Any
    compositions: Any
    valid_sizes: Any


def names() -> list[str]:
    """The applications, in the order of their numbers; the category of number n is n modulo 11."""
    return [f"application_{number:02}" for number in range(APPLICATIONS)]


def synthetic_dataset(folder: DataFolder, tasks: int, name: str = "synthetic") -> Synthetic:
    """Write a dataset of that many user tasks, with its catalog; the same call gives the same dataset."""
    draw = np.random.default_rng([tasks, *name.encode()])
    sizes = np.minimum(draw.geometric(0.4, tasks), 40)
    compositions = np.repeat(np.arange(tasks), sizes)[:tasks]
    order = draw.permutation(tasks)
    compositions = compositions[order]
    targets = draw.integers(0, APPLICATIONS - 1, tasks)[compositions]  # the last application has no support
    valid_sizes = np.minimum(draw.geometric(0.55, tasks), 12)
    made = Synthetic(folder, name, _ids(f"{name} task", tasks), targets, compositions, valid_sizes)
    place = folder.datasets / name
    write_table(place / "dataset" / "data" / "test.parquet", "user_tasks", _user_tasks(made, draw))
    write_table(place / "catalog" / "applications.parquet", "applications", _applications())
    write_table(place / "catalog" / "atomic_tasks.parquet", "atomic_tasks", _atomic_tasks())
    manifest = {
        "dataset_id": name,
        "dataset": name,
        "built_at": "2026-01-01T00:00:00+00:00",
        "made_from": {"recipe": {"title": "Synthetic"}},
        "rows": {"accepted": tasks, "made": tasks, "rejected": 0},
    }
    (place / "dataset" / "manifest.json").write_text(json.dumps(manifest))
    point_label(folder.labels / name, place / "dataset")
    return made


def synthetic_runs(made: Synthetic, predictions: int) -> None:
    """Write twelve runs with that many predictions in all: every third run has got through half as many tasks as the others."""
    described: list[tuple[str, str, str | None, float]] = [(protocol, model, None, skill) for protocol, model, skill in SELECTORS]
    described += [(protocol, model, openness, skill) for model, openness, skill in MODELS for protocol in PROTOCOLS]
    whole = predictions // 10  # eight whole runs and four halves
    for number, (protocol, model, openness, skill) in enumerate(described):
        rows = whole // 2 if number % 3 == 2 else whole
        write_run(made, f"{made.dataset}_run_{number:02}", protocol, model, rows, openness=openness, skill=skill)


def write_run(
    made: Synthetic,
    run_id: str,
    protocol: str,
    model: str,
    rows: int,
    openness: str | None = None,
    skill: float = 0.5,
    statuses: tuple[float, ...] = STATUS_SHARES,
) -> None:
    """Write a run over the first tasks of the dataset that is right with probability `skill`, shifted by composition."""
    draw = np.random.default_rng([rows, *run_id.encode()])
    status = draw.choice(len(STATUSES), rows, p=statuses)
    answered = status == 0
    targets, sizes = made.targets[:rows], made.valid_sizes[:rows]
    easiness = draw.normal(0, 0.25, made.compositions.max() + 1)[made.compositions[:rows]]
    right = answered & (draw.random(rows) < skill + easiness)
    same_category = draw.random(rows) < 0.25
    steps = np.where(same_category, CATEGORIES * draw.integers(2, 5, rows), draw.integers(13, 80, rows))
    wrong = (targets + steps) % APPLICATIONS
    is_valid = (wrong - targets) % APPLICATIONS < sizes
    chosen = np.where(right, (targets + draw.integers(0, sizes)) % APPLICATIONS, wrong)
    correct = answered & (right | is_valid)
    paid = openness is not None
    columns = {
        "run_id": pa.array([run_id]).take(pa.array(np.zeros(rows, np.int32))),
        "task_id": made.task_ids[:rows],
        "position": pa.array(np.arange(rows)),
        "predicted_application": pa.array(names()).take(pa.array(chosen, mask=~answered)),
        "predicted_applications": _lists(np.where(answered, 1, 0), pa.array(names()).take(pa.array(chosen[answered]))),
        "status": pa.array(STATUSES).take(pa.array(status)),
        "is_correct": pa.array(correct, mask=status == len(STATUSES) - 1),
        "said": pa.array(names()).take(pa.array(chosen)) if paid else pa.nulls(rows, pa.string()),
        "retrieved": _lists(np.full(rows, 5), pa.array(names()).take(pa.array(draw.integers(0, APPLICATIONS, 5 * rows))))
        if protocol == "ras"
        else None,
        "input_tokens": pa.array(draw.integers(500, 900, rows) if paid else np.zeros(rows, np.int64)),
        "output_tokens": pa.array(draw.integers(1, 9, rows) if paid else np.zeros(rows, np.int64)),
        "latency_ms": pa.array(draw.gamma(2.0, 150.0, rows)),
        "cost_usd": pa.array(draw.uniform(1e-5, 2e-5, rows) if paid else np.zeros(rows)),
    }
    write_table(made.folder.runs / run_id / "predictions" / "00000.parquet", "predictions", _table("predictions", rows, columns))
    run = {
        "run_id": run_id,
        "dataset_id": made.dataset,
        "dataset": made.dataset,
        "protocol": protocol,
        "model": model,
        "prompt": "prompt" if paid else None,
        "sampling": "none",
        "split": "all",
        "answer_kind": "application",
        "candidates": names(),
        "at_once": 8 if paid else None,
        "openness": openness,
        "started_at": f"2026-01-02T00:00:{len(list(made.folder.runs.iterdir())):02}+00:00",
    }
    (made.folder.runs / run_id / "run.json").write_text(json.dumps(run))


def _user_tasks(made: Synthetic, draw: np.random.Generator) -> pa.Table:
    rows = len(made.targets)
    words = draw.integers(4, 50, rows)
    text = pc.binary_join(
        _lists(words, pa.array([f"word{number}" for number in range(3000)]).take(pa.array(draw.zipf(1.3, int(words.sum())) % 3000))), " "
    )
    steps = 1 + made.compositions % 5
    dropped = np.where(draw.random(rows) < 0.4, draw.integers(0, steps), 0)
    goal = draw.random(rows) < 0.05
    dropped = np.where(goal, steps, dropped)
    first_step = (made.targets * STEPS)[:, None] + (made.compositions[:, None] + np.arange(6)) % STEPS
    step_names = pa.array([f"application_{number // STEPS:02}.step_{number % STEPS}" for number in range(APPLICATIONS * STEPS)])
    composed = _lists(steps, step_names.take(pa.array(first_step[np.arange(6) < steps[:, None]])))
    paraphrase = draw.choice(4, rows, p=(0.5, 0.3, 0.1, 0.1))
    values = pa.array([f"value {number}" for number in range(500)]).take(pa.array(draw.integers(0, 500, 2 * rows)))
    argument = pa.StructArray.from_arrays(
        [pa.array(["file", "name"] * rows), pa.array(["file_name", "person"] * rows), values],
        fields=list(SCHEMAS["user_tasks"].field("arguments").type.value_type),
    )
    named = draw.random(rows) < 0.1
    columns = {
        "task_id": made.task_ids,
        "text": text,
        "masked_text": text,
        "target_application": pa.array(names()).take(pa.array(made.targets)),
        "naming": pa.array(["none", "application"]).take(pa.array(named.astype(np.int32))),
        "names_application": pa.array(named),
        "style": pa.array(STYLES).take(pa.array(draw.integers(0, len(STYLES), rows))),
        "says_goal": pa.array(goal),
        "has_typo": pa.array(draw.random(rows) < 0.05),
        "composition_id": _ids(f"{made.dataset} composition", rows).take(pa.array(made.compositions)),
        "composition_kind": pa.array(["single", "chain"]).take(pa.array((steps > 1).astype(np.int32))),
        "atomic_tasks": composed,
        "said_tasks": composed,
        "dropped_steps": _lists(
            dropped, pa.array(np.concatenate([np.arange(6)] * rows).reshape(rows, 6)[np.arange(6) < dropped[:, None]].astype(np.int16))
        ),
        "drop_out_rate": pa.array(draw.uniform(0.2, 0.8, rows)),
        "locale": pa.array(["en", "fr", "de"]).take(pa.array(draw.choice(3, rows, p=(0.8, 0.1, 0.1)))),
        "arguments": pa.ListArray.from_arrays(pa.array(np.arange(rows + 1, dtype=np.int32) * 2), argument),
        "row_seed": made.task_ids,
        "paraphrase_status": pa.array(PARAPHRASES).take(pa.array(paraphrase)),
        "valid_applications": _lists(made.valid_sizes, pa.array(names()).take(pa.array(_valid(made)))),
        "category": pa.array(_categories()).take(pa.array(made.targets)),
        "split": pa.array(["train", "dev", "test"]).take(pa.array(made.compositions % 3)),
        "shape": pa.array(["singleton"]).take(pa.array(np.zeros(rows, np.int32))),
    }
    return _table("user_tasks", rows, columns)


def _valid(made: Synthetic) -> Any:
    """Applications that can do each task, flat: the target and those that follow it in number."""
    offsets = np.arange(12)
    return ((made.targets[:, None] + offsets) % APPLICATIONS)[offsets < made.valid_sizes[:, None]]


def _applications() -> pa.Table:
    columns = {name: pa.array(names()) for name in ("application", "title", "vendor", "description")}
    columns |= {"category": pa.array(_categories()), "platform": pa.array(["windows"] * APPLICATIONS)}
    return _table("applications", APPLICATIONS, columns)


def _atomic_tasks() -> pa.Table:
    rows = APPLICATIONS * STEPS
    identity = pa.array([f"application_{number // STEPS:02}.step_{number % STEPS}" for number in range(rows)])
    columns = {
        "atomic_task_id": identity,
        "application": pa.array(names()).take(pa.array(np.arange(rows) // STEPS)),
        "title": identity,
        "capability": identity,
        "generic": pa.array(np.zeros(rows, bool)),
        "phrasings": pa.array(np.ones(rows, np.int32)),
    }
    return _table("atomic_tasks", rows, columns)


def _categories() -> list[str]:
    return [f"category {number % CATEGORIES:02}" for number in range(APPLICATIONS)]


def _table(name: str, rows: int, columns: Rows) -> pa.Table:
    """A table in that schema; lists that are not given are empty, and other columns null."""
    schema = SCHEMAS[name]
    given = {key: value for key, value in columns.items() if value is not None}
    return pa.table({field.name: given[field.name] if field.name in given else _nothing(field.type, rows) for field in schema}, schema=schema)


def _nothing(kind: pa.DataType, rows: int) -> pa.Array:
    if not pa.types.is_list(kind):
        return pa.nulls(rows, kind)
    return pa.ListArray.from_arrays(pa.array(np.zeros(rows + 1, np.int32)), pa.array([], kind.value_type))


def _lists(lengths: Any, values: pa.Array) -> pa.ListArray:
    return pa.ListArray.from_arrays(pa.array(np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)), values)


def _ids(of: str, rows: int) -> pa.Array:
    """Sixteen hexadecimal digits each, as hashes have them."""
    draw = np.random.default_rng(list(of.encode()))
    return pa.array([f"{number:016x}" for number in draw.integers(0, 2**63, rows).tolist()])


if __name__ == "__main__":
    for name, value, unit, reference, reference_value in figures():
        print(f"{name}: {value:.2f} {unit}; {reference}: {reference_value:.2f}")
