"""The Great Expectations gate: what must hold of user tasks before they are published, with Data Docs of the outcome."""

import logging
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

_ROWS_NAMED = 10


def gate_columns(tasks: pa.Table) -> pa.Table:
    """What the suite looks at of user tasks: figures and a few names, so that a million rows take little memory.

    `task_id` is the id as a number, `text` a 64-bit hash of the text, case aside.
    """
    nodes = pc.list_parent_indices(tasks["nodes"]).to_numpy()
    node = pc.list_flatten(tasks["nodes"])
    valid = pc.struct_field(node, "valid_applications")
    owners = pc.list_parent_indices(valid)
    is_target = pc.equal(pc.list_flatten(valid), pc.take(pc.struct_field(node, "target_application"), owners))
    hits = np.bincount(np.asarray(owners), weights=np.asarray(pc.fill_null(is_target, False)), minlength=len(nodes))
    sizes = np.asarray(pc.fill_null(pc.list_value_length(valid), 0))
    return pa.table(
        {
            "task_id": np.array([int(identity, 16) for identity in tasks["task_id"].to_pylist()], np.uint64).view(np.int64),
            "text": pd.util.hash_array(np.asarray(pc.utf8_lower(tasks["text"])), categorize=False).view(np.int64),
            "text_length": pc.utf8_length(tasks["text"]),
            "text_is_clean": pc.invert(pc.match_substring_regex(tasks["text"], r"[{}]|  |^\s|\s$")),
            "split": tasks["split"],
            "shape": tasks["shape"],
            "target_application": tasks["target_application"],
            "category": tasks["category"],
            "drop_out_rate": tasks["drop_out_rate"],
            "target_is_valid": _least_by_row(nodes, hits, tasks.num_rows) > 0,
            "least_valid_applications": _least_by_row(nodes, sizes, tasks.num_rows),
        }
    )


def _least_by_row(rows: Any, values: Any, number: int) -> Any:
    """The least of the values that stand for each row; 0 where none does."""
    least = np.full(number, np.iinfo(np.int64).max)
    np.minimum.at(least, rows, values.astype(np.int64))
    return np.where(least == np.iinfo(np.int64).max, 0, least)


def check_user_tasks(gated: pa.Table, candidates: Sequence[str], categories: Sequence[str], rows: int, dataset: Path) -> list[str]:
    """Hold the rows of `gate_columns` against the suite and write Data Docs beside the dataset; a line for each expectation
    that fails, naming rows.
    """
    os.environ.setdefault("GX_ANALYTICS_ENABLED", "false")
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
    suite = context.suites.add(gx.ExpectationSuite("user_tasks", expectations=expectations(candidates, categories, rows)))
    definition = context.validation_definitions.add(gx.ValidationDefinition(name="user_tasks", data=batch, suite=suite))
    checkpoint = context.checkpoints.add(
        gx.Checkpoint(
            name="user_tasks",
            validation_definitions=[definition],
            result_format={"result_format": "COMPLETE", "unexpected_index_column_names": ["task_id"]},
        )
    )
    outcome = checkpoint.run(batch_parameters={"dataframe": gated.to_pandas(strings_to_categorical=True)})
    context.build_data_docs()
    return [line for result in outcome.run_results.values() for line in _failures(result, dataset)]


def expectations(candidates: Sequence[str], categories: Sequence[str], rows: int) -> list[Any]:
    """The suite: identity, text, ground truth, and the row count that the recipe states."""
    import great_expectations.expectations as gxe

    singleton = {"row_condition": 'shape=="singleton"', "condition_parser": "pandas"}
    return [
        gxe.ExpectTableRowCountToEqual(value=rows),
        gxe.ExpectColumnValuesToNotBeNull(column="task_id"),
        gxe.ExpectColumnValuesToBeUnique(column="task_id"),
        gxe.ExpectColumnValuesToBeUnique(column="text"),
        gxe.ExpectColumnValuesToBeBetween(column="text_length", min_value=8, max_value=1200),
        gxe.ExpectColumnValuesToBeInSet(column="text_is_clean", value_set=[True]),
        gxe.ExpectColumnValuesToBeInSet(column="split", value_set=["train", "dev", "test"]),
        gxe.ExpectColumnValuesToBeInSet(column="shape", value_set=["singleton", "sequential", "parallel"]),
        gxe.ExpectColumnValuesToBeInSet(column="target_application", value_set=list(candidates), **singleton),
        gxe.ExpectColumnValuesToBeInSet(column="category", value_set=list(categories), **singleton),
        gxe.ExpectColumnValuesToBeInSet(column="target_is_valid", value_set=[True], **singleton),
        gxe.ExpectColumnValuesToBeBetween(column="least_valid_applications", min_value=1, max_value=len(candidates)),
        gxe.ExpectColumnValuesToBeBetween(column="drop_out_rate", min_value=0, max_value=1),
    ]


def _failures(result: Any, dataset: Path) -> list[str]:
    """One line for each failed expectation, with the first rows that fail it."""
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
    """What the rows say in a column; of the figures made of a text, the text."""
    shown = "text" if column.startswith("text") else column
    files = ds.dataset(dataset / "data")
    if shown not in files.schema.names:
        return {}
    table = files.to_table(columns=["task_id", shown], filter=pc.field("task_id").isin(list(identities)))
    return dict(zip(table["task_id"].to_pylist(), table[shown].to_pylist(), strict=True))
