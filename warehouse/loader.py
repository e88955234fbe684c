"""Load the warehouse: make a new DuckDB file from the Parquet, then swap it in, so that readers never see half a file.

The warehouse is a view of the Parquet: loading twice doubles no row, and a load makes a lost file again.
"""

import contextlib
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from warehouse.empty import SQL_ROOT, attached, commit, derive, write_empty
from warehouse.episode_tables import EPISODE_SCHEMAS
from warehouse.errors import WarehouseError
from warehouse.judging import load_judging
from warehouse.layout import OF_EPISODES, DataFolder, fetch, written_file
from warehouse.people_price import load_people_price
from warehouse.upgrades import current_relations

_PUBLISHED = Path(__file__).parent / "published"
_MIXED = ("text_id", "made_by", "text", "task_id")  # columns of mixture_texts as study.json has them
_PUBLISHED_FILES = (
    ("published_accuracy", "appselectbench_accuracy.csv", "AppSelectBench, Tables 2 and 4 to 6"),
    ("published_figures", "appselectbench_figures.csv", "AppSelectBench"),
    ("published_figures", "prosoftarena_figures.csv", "ProSoftArena"),
    ("published_success", "episode_success.csv", None),  # of three papers: each line names its paper
)
CHECKED_KEYS = {"predictions": ("run_id", "task_id")}  # checked after loading: an index over a million rows takes longer than the load
Json = dict[str, Any]


def load_warehouse(data: DataFolder) -> Path:
    """Make the warehouse again from everything in the data folder; return the path of its file."""
    with data.locked("warehouse"):
        for left in data.root.glob(f".{data.warehouse.name}.*"):
            left.unlink()  # left by killed loads
        fetch(data.labels, data.quality, data.judging, data.sweeps, data.suites, data.model_calls, data.models)
        fetch(data.runs, without=OF_EPISODES)
        _load(data)
    return data.warehouse


def _load(data: DataFolder) -> None:
    with written_file(data.warehouse) as temporary:
        write_empty(temporary)
        connection = attached(temporary)
        try:
            connection.begin()
            _fill(connection, data)
            commit(connection)
        finally:
            connection.close()
            temporary.with_name(temporary.name + ".wal").unlink(missing_ok=True)


def _fill(connection: duckdb.DuckDBPyConnection, data: DataFolder) -> None:
    connection.execute("set preserve_insertion_order = true")
    runs = [json.loads(path.read_text()) for path in sorted(data.runs.glob("*/run.json"))]
    studied = {json.loads(path.read_text())["dataset_id"] for path in data.quality.glob("*/study.json")}
    manifests = list(_manifests(data, studied | {run["dataset_id"] for run in runs}))
    _load_datasets(connection, data, manifests)
    _load_runs(connection, data, [run for run in runs if run["dataset_id"] in {manifest["dataset_id"] for manifest in manifests}])
    _load_episodes(connection, data)
    load_judging(connection, data)
    load_people_price(connection, data)
    _load_sweeps(connection, data)
    _load_model_calls(connection, data)
    _load_studies(connection, data)
    _load_published(connection)
    derive(connection)


def _manifests(data: DataFolder, referred: set[str]) -> Iterator[Json]:
    """Yield the manifests of the datasets that a name points to or a run refers to, oldest first."""
    labelled = {path.resolve().parent.name for path in data.labels.glob("*")}
    fetch(*(data.datasets / dataset_id for dataset_id in labelled | referred))
    paths = [path for path in data.datasets.glob("*/dataset/manifest.json") if path.parts[-3] in labelled | referred]
    return iter(sorted((json.loads(path.read_text()) for path in paths), key=lambda manifest: (manifest["built_at"], manifest["dataset_id"])))


def _load_datasets(connection: duckdb.DuckDBPyConnection, data: DataFolder, manifests: list[Json]) -> None:
    for manifest in manifests:
        rows = manifest["rows"]
        title = manifest["made_from"]["recipe"]["title"]
        values = [manifest["dataset_id"], manifest["dataset"], manifest["built_at"], title, rows["accepted"], rows["made"], rows["rejected"]]
        connection.execute("insert into datasets values (?, ?, ?, ?, ?, ?, ?)", values)
        folder = data.datasets / manifest["dataset_id"]
        _load_candidates(connection, manifest, folder)
        for relation in current_relations((folder / "dataset" / "data").glob("*.parquet"), "user_tasks"):
            identity = [manifest["dataset_id"], manifest["dataset"]]
            connection.execute(
                f"insert into user_tasks by name select ? as dataset_id, ? as dataset, * exclude ({_OF_COMPOSITION}) from {relation}", identity
            )
            connection.execute(_INSERT_COMPOSITIONS.format(relation=relation))
    for manifest in manifests[-1:]:
        for table in ("applications", "atomic_tasks"):
            for relation in current_relations([data.datasets / manifest["dataset_id"] / "catalog" / f"{table}.parquet"], table):
                connection.execute(f"insert into {table} by name select * from {relation}")


def _load_candidates(connection: duckdb.DuckDBPyConnection, manifest: Json, folder: Path) -> None:
    """The candidates that a dataset holds; of one from before datasets held them, all applications of its catalog."""
    columns = ("application", "title", "aliases", "category", "also_in")
    if "candidates" in manifest:
        rows = [[manifest["dataset_id"], *(candidate[name] for name in columns)] for candidate in manifest["candidates"]["applications"]]
        connection.executemany("insert into candidates values (?, ?, ?, ?, ?, ?)", rows)
        return
    for relation in current_relations((folder / "catalog").glob("applications.parquet"), "applications"):
        connection.execute(f"insert into candidates by name select ? as dataset_id, {', '.join(columns)} from {relation}", [manifest["dataset_id"]])


_OF_COMPOSITION = "composition_kind, workflow, atomic_tasks"
_INSERT_COMPOSITIONS = """
    insert or ignore into compositions by name
    select composition_id, first(composition_kind order by task_id) as composition_kind, first(workflow order by task_id) as workflow,
           first(atomic_tasks order by task_id) as atomic_tasks
    from {relation} group by composition_id
"""


_RUN_COLUMNS = ("run_id", "dataset_id", "dataset", "protocol", "model", "prompt", "sampling", "split", "answer_kind", "candidates")
_EARLIER_RUNS: Json = {"prompt": None, "answer_kind": "application", "at_once": None, "openness": None}  # older files lack these keys


def _load_runs(connection: duckdb.DuckDBPyConnection, data: DataFolder, runs: list[Json]) -> None:
    columns = [*_RUN_COLUMNS, "at_once", "openness", "started_at"]
    for run in runs:
        values = [(_EARLIER_RUNS | run)[name] for name in columns]
        connection.execute(f"insert into runs ({', '.join(columns)}) values ({', '.join('?' * len(columns))})", values)
    paths = [path for run in runs for path in (data.runs / run["run_id"] / "predictions").glob("*.parquet")]
    for relation in current_relations(paths, "predictions"):
        connection.execute(f"insert into predictions by name select * from {relation}")
    for table, key in CHECKED_KEYS.items():
        _refuse_repeated(connection, table, ", ".join(key))


def _refuse_repeated(connection: duckdb.DuckDBPyConnection, table: str, key: str) -> None:
    repeated = connection.execute(f"select {key} from {table} group by {key} having count(*) > 1 order by {key} limit 1").fetchone()
    if repeated:
        raise WarehouseError(
            f"two rows of {table} have the same {key}: {', '.join(repeated)}; look for a copied file in the folder of that run, and remove it"
        )


def _load_episodes(connection: duckdb.DuckDBPyConnection, data: DataFolder) -> None:
    """Load the published suites, and the runs over suites with their episodes; these refer to no dataset."""
    for manifest in sorted(data.suites.glob("*/manifest.json")):
        for relation in current_relations(manifest.parent.glob("data/*.parquet"), "suite_episodes"):
            connection.execute(f"insert into suite_episodes by name select ? as suite, * from {relation}", [manifest.parent.name])
    for path in sorted(data.runs.glob("*/suite_run.json")):
        run = json.loads(path.read_text())
        agent = run["agent"]
        played_on = [run["start"], run.get("machine", "sandbox"), run["image"]]  # older files have no machine: there was one kind
        is_scripted = agent.get("scripted", "model" not in agent)  # older files do not say it
        values = [run["run_id"], run["suite"], agent["name"], is_scripted, json.dumps(agent), *played_on, len(run["episodes"]), run["started_at"]]
        connection.execute("insert into suite_runs values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", [*values, _people(run), run.get("person")])
        packages = [(run["image"][0], *package.split("=", 1)) for package in run.get("packages", ())]  # older files have none
        if packages:
            connection.executemany("insert or ignore into image_packages values (?, ?, ?)", packages)
    parts = sorted(data.runs.glob("*/episodes/*.parquet"))  # the episodes of a part are written last: without them its steps do not count
    for table in EPISODE_SCHEMAS:
        of_table = [path for part in parts if (path := part.parents[1] / table / part.name).is_file()]
        for relation in current_relations(of_table, table):
            connection.execute(f"insert into {table} by name select * from {relation}")
    connection.execute((SQL_ROOT / "judged" / "demonstrations.sql").read_text())


def _people(run: Json) -> str | None:
    """Return what people could do in a run; None if it ran without them."""
    return ("assistance" if run["people"]["asks"] else "takeover") if "people" in run else None


def _load_sweeps(connection: duckdb.DuckDBPyConnection, data: DataFolder) -> None:
    for path in sorted(data.sweeps.glob("[!.]*.json")):
        sweep = json.loads(path.read_text())
        values = [sweep[name] for name in ("sweep_id", "sweep", "title", "description", "suite", "start", "budget_usd")]
        connection.execute("insert into sweeps values (?, ?, ?, ?, ?, ?, ?, ?, ?)", [*values, len(sweep["cells"]), sweep["started_at"]])
        for cell in sweep["cells"]:
            factors = dict(cell["factors"])
            told = [factors.pop(name, None) for name in _FACTORS]
            about = [cell[name] for name in ("number", "run_id", "label", "is_scripted")]
            row = [sweep["sweep_id"], *about, *told, json.dumps(factors), cell["repeats"], cell["command"]]
            connection.execute("insert into sweep_cells values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)


_FACTORS = ("agent", "model", "observation", "prompt", "history", "cards")  # those of every agent with a model; other keys are options of the agent


def _load_model_calls(connection: duckdb.DuckDBPyConnection, data: DataFolder) -> None:
    """Load the ledger of calls. It is in the file of the answer cache, so that a kill loses neither."""
    if not data.model_calls.is_file():
        return
    with contextlib.closing(sqlite3.connect(f"file:{data.model_calls}?mode=ro", uri=True)) as ledger:
        if not ledger.execute("select 1 from sqlite_master where name = 'calls'").fetchone():
            return
        found = ledger.execute(f"select {', '.join(_CALL_COLUMNS)} from calls order by rowid")
        while rows := found.fetchmany(100_000):
            connection.register("calls", pa.table(dict(zip(_CALL_COLUMNS, map(list, zip(*rows, strict=True)), strict=True))))
            connection.execute("insert into model_calls by name select * replace (started_at::timestamptz as started_at) from calls")
            connection.unregister("calls")


_CALL_COLUMNS = (
    "call_id", "purpose", "model", "endpoint", "started_at", "status", "attempt",
    "input_tokens", "cached_tokens", "output_tokens", "cost_usd", "latency_ms",
)  # fmt: skip


def _load_studies(connection: duckdb.DuckDBPyConnection, data: DataFolder) -> None:
    """Load quality studies, samples and mixtures, and their ratings; leave out studies of removed datasets."""
    there = {row[0] for row in connection.execute("select dataset_id from datasets").fetchall()}
    for path in sorted(data.quality.glob("*/study.json")):
        study = json.loads(path.read_text())
        if study["dataset_id"] not in there:
            continue
        values = [study[name] for name in ("study_id", "dataset_id", "dataset", "seed")]
        if study.get("kind") == "mixture":  # the first studies were all samples, and did not say so
            connection.execute("insert into mixtures values (?, ?, ?, ?, ?)", [*values, study["created_at"]])
            texts = [[values[0], *(item[name] for name in _MIXED), json.dumps(item["details"], ensure_ascii=False)] for item in study["items"]]
            connection.executemany("insert into mixture_texts values (?, ?, ?, ?, ?, ?)", texts)
            ratings, rated = "mixture_ratings", "mixture_ratings"
        else:
            connection.execute("insert into quality_studies values (?, ?, ?, ?, ?, ?)", [*values, len(study["items"]), study["created_at"]])
            ratings, rated = "ratings", "quality_ratings"
        for relation in current_relations((path.parent / "ratings").glob("*.parquet"), ratings):
            connection.execute(f"insert into {rated} by name select * from {relation}")


def _load_published(connection: duckdb.DuckDBPyConnection) -> None:
    for table, file, source in _PUBLISHED_FILES:
        columns = "*" if source is None else f"'{source}' as source, *"
        connection.execute(f"insert into {table} by name select {columns} from read_csv(?, header = true)", [str(_PUBLISHED / file)])
