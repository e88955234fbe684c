"""The suite of Great Expectations that user tasks must pass, and its Data Docs.

As a module it is the process of the gate: it answers each line of JSON with one line, and ends when its input ends.
"""

import contextlib
import gc
import json
import logging
import math
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from warehouse.imports import load_when_used, without

_ROWS_NAMED = 10
_AT_ONCE = 110_000  # rows in one frame: all rows of a larger dataset would take more memory than the rest of the build


def gate_columns(dataset: Path, group: int = 0, groups: int = 1) -> pl.DataFrame:
    """Return the columns that the suite checks, figures and a few names, of one of so many groups of rows.

    `task_id` is the id as a number, `text` a 64-bit hash of the text in lower case. Rows with the same text are in the same group, and so are
    rows with the same id, since an id is a hash of the text and what made it.
    """
    text, nodes, node = pl.col("text"), pl.col("nodes"), pl.element().struct
    valid = node.field("valid_applications")
    holds_target = nodes.list.eval(valid.list.contains(node.field("target_application")).fill_null(False))
    return (
        pl.scan_parquet(dataset / "data" / "*.parquet")
        .filter(text.str.to_lowercase().hash() % groups == group)
        .select(
            pl.col("task_id").str.to_integer(base=16, dtype=pl.UInt64).reinterpret(signed=True),
            text.str.to_lowercase().hash().reinterpret(signed=True),
            text.str.len_chars().alias("text_length"),
            text.str.contains(r"[{}]|  |^\s|\s$").not_().alias("text_is_clean"),
            *(pl.col(name).cast(pl.Categorical) for name in ("split", "shape", "target_application", "category")),
            "drop_out_rate",
            (holds_target.list.all() & (nodes.list.len() > 0)).alias("target_is_valid"),
            nodes.list.eval(valid.list.len().fill_null(0)).list.min().fill_null(0).alias("least_valid_applications"),
        )
        .collect(engine="streaming")
    )


def failures(dataset: Path, candidates: Sequence[str], categories: Sequence[str], rows: int) -> list[str]:
    """Check the user tasks of a dataset, in groups of rows, and write Data Docs beside them; return a line for each expectation that fails."""
    import great_expectations as gx

    logging.getLogger("great_expectations").setLevel(logging.ERROR)
    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = {"globally": False}
    site = {
        "class_name": "SiteBuilder",
        "site_index_builder": {"class_name": "DefaultSiteIndexBuilder"},
        "store_backend": {"class_name": "TupleFilesystemStoreBackend", "base_directory": str(dataset / "data_docs")},
    }
    context.update_data_docs_site("local_site", site)
    batch = context.data_sources.add_pandas("user_tasks").add_dataframe_asset("user_tasks").add_batch_definition_whole_dataframe("all")
    found = pl.scan_parquet(dataset / "data" / "*.parquet").select(pl.len()).collect().item()
    suite = context.suites.add(gx.ExpectationSuite("user_tasks", expectations=expectations(candidates, categories)))
    definition = context.validation_definitions.add(gx.ValidationDefinition(name="user_tasks", data=batch, suite=suite))
    checkpoint = context.checkpoints.add(
        gx.Checkpoint(
            name="user_tasks",
            validation_definitions=[definition],
            result_format={"result_format": "COMPLETE", "unexpected_index_column_names": ["task_id"]},
        )
    )
    lines = [] if found == rows else [f"  table: expect_table_row_count_to_equal: observed {found}, and the recipe states {rows}"]
    groups = max(1, math.ceil(found / _AT_ONCE))
    for group in range(groups):
        outcome = checkpoint.run(batch_parameters={"dataframe": gate_columns(dataset, group, groups).to_pandas()})
        lines += [line for result in outcome.run_results.values() for line in _failed(result, dataset)]
    context.build_data_docs()
    return lines


def expectations(candidates: Sequence[str], categories: Sequence[str]) -> list[Any]:
    """Return the suite: identity, text and ground truth."""
    import great_expectations.expectations as gxe

    singleton = {"row_condition": 'shape=="singleton"', "condition_parser": "pandas"}
    return [
        gxe.ExpectColumnValuesToNotBeNull(column="task_id"),
        gxe.ExpectColumnValuesToBeUnique(column="task_id"),
        gxe.ExpectColumnValuesToBeUnique(column="text"),
        gxe.ExpectColumnValuesToBeBetween(column="text_length", min_value=8, max_value=1200),
        gxe.ExpectColumnValuesToBeInSet(column="text_is_clean", value_set=[True]),
        gxe.ExpectColumnValuesToBeInSet(column="split", value_set=["train", "dev", "test", "mixed"]),
        gxe.ExpectColumnValuesToBeInSet(column="shape", value_set=["singleton", "sequential", "parallel"]),
        gxe.ExpectColumnValuesToBeInSet(column="target_application", value_set=list(candidates), **singleton),
        gxe.ExpectColumnValuesToBeInSet(column="category", value_set=list(categories), **singleton),
        gxe.ExpectColumnValuesToBeInSet(column="target_is_valid", value_set=[True], **singleton),
        gxe.ExpectColumnValuesToBeBetween(column="least_valid_applications", min_value=1, max_value=len(candidates)),
        gxe.ExpectColumnValuesToBeBetween(column="drop_out_rate", min_value=0, max_value=1),
    ]


def _failed(result: Any, dataset: Path) -> list[str]:
    """Return one line for each failed expectation, with the first rows that fail it."""
    lines = []
    for failed in (entry for entry in result.results if not entry.success):
        config = failed.expectation_config
        column = config.kwargs.get("column", "table")
        found = failed.result.get("unexpected_index_list") or []
        identities = [f"{int(row['task_id']) % 2**64:016x}" for row in found[:_ROWS_NAMED]]
        values = _values(dataset, column, identities)
        named = ", ".join(f"{identity} ({values.get(identity, row.get(column))!r})" for identity, row in zip(identities, found, strict=False))
        observed = f"observed {failed.result.get('observed_value')}" if not found else f"{len(found)} rows, such as {named}"
        lines.append(f"  {column}: {config.type}: {observed or failed.exception_info}")
    return lines


def _values(dataset: Path, column: str, identities: Sequence[str]) -> dict[str, Any]:
    """Return the values of a column by row id; for a figure that was computed from a text, return the text."""
    shown = "text" if column.startswith("text") else column
    tasks = pl.scan_parquet(dataset / "data" / "*.parquet")
    if shown not in tasks.collect_schema():
        return {}
    found = tasks.filter(pl.col("task_id").is_in(identities)).select("task_id", pl.col(shown).alias("shown")).collect()
    return dict(found.iter_rows())


def _load() -> None:
    """Load Great Expectations, without what the suite does not use."""
    gc.disable()  # loaded modules stay: without this the garbage collector scans them again and again
    os.environ.setdefault("GX_ANALYTICS_ENABLED", "false")
    load_when_used("scipy.stats", "altair")  # a third of the time, for expectations that the suite does not hold
    with without("sqlalchemy"):  # the suite looks at frames, not at databases
        import great_expectations.expectations  # noqa: F401
    gc.freeze()
    gc.enable()


def _answer() -> None:
    """Answer every line of the input; load Great Expectations before the first line comes."""
    answers = sys.stdout
    with contextlib.redirect_stdout(sys.stderr):
        _load()
        for line in sys.stdin:
            asked = json.loads(line)
            found = failures(Path(asked["dataset"]), asked["candidates"], asked["categories"], asked["rows"])
            print(json.dumps(found), file=answers, flush=True)


if __name__ == "__main__":
    _answer()
