"""The Great Expectations gate: what must hold of user tasks before they are published, with Data Docs of the outcome."""

import logging
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

_ROWS_NAMED = 10


def check_user_tasks(tasks: pd.DataFrame, candidates: Sequence[str], categories: Sequence[str], rows: int, docs: Path) -> list[str]:
    """Hold the rows against the suite and write Data Docs; a line for each expectation that fails, naming rows."""
    os.environ.setdefault("GX_ANALYTICS_ENABLED", "false")
    import great_expectations as gx

    logging.getLogger("great_expectations").setLevel(logging.ERROR)
    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = {"globally": False}
    site = {
        "class_name": "SiteBuilder",
        "site_index_builder": {"class_name": "DefaultSiteIndexBuilder"},
        "store_backend": {"class_name": "TupleFilesystemStoreBackend", "base_directory": str(docs)},
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
    outcome = checkpoint.run(batch_parameters={"dataframe": _flattened(tasks)})
    context.build_data_docs()
    return [line for result in outcome.run_results.values() for line in _failures(result)]


def expectations(candidates: Sequence[str], categories: Sequence[str], rows: int) -> list[Any]:
    """The suite: identity, text, ground truth, and the row count that the recipe states."""
    import great_expectations.expectations as gxe

    singleton = {"row_condition": 'shape=="singleton"', "condition_parser": "pandas"}
    return [
        gxe.ExpectTableRowCountToEqual(value=rows),
        gxe.ExpectColumnValuesToNotBeNull(column="task_id"),
        gxe.ExpectColumnValuesToBeUnique(column="task_id"),
        gxe.ExpectColumnValuesToBeUnique(column="text"),
        gxe.ExpectColumnValueLengthsToBeBetween(column="text", min_value=8, max_value=1200),
        gxe.ExpectColumnValuesToNotMatchRegex(column="text", regex=r"[{}]|  |^\s|\s$"),
        gxe.ExpectColumnValuesToBeInSet(column="split", value_set=["train", "dev", "test"]),
        gxe.ExpectColumnValuesToBeInSet(column="shape", value_set=["singleton", "sequential", "parallel"]),
        gxe.ExpectColumnValuesToBeInSet(column="target_application", value_set=list(candidates), **singleton),
        gxe.ExpectColumnValuesToBeInSet(column="category", value_set=list(categories), **singleton),
        gxe.ExpectColumnValuesToBeInSet(column="target_is_valid", value_set=[True], **singleton),
        gxe.ExpectColumnValuesToBeBetween(column="least_valid_applications", min_value=1, max_value=len(candidates)),
        gxe.ExpectColumnValuesToBeBetween(column="drop_out_rate", min_value=0, max_value=1),
    ]


def _flattened(tasks: pd.DataFrame) -> pd.DataFrame:
    """The columns that the suite looks at; lists become figures, since expectations take plain values."""
    flat = tasks[["task_id", "text", "split", "shape", "target_application", "category", "drop_out_rate"]].copy()
    nodes = tasks["nodes"].tolist()
    flat["target_is_valid"] = [all(node["target_application"] in node["valid_applications"] for node in row) for row in nodes]
    flat["least_valid_applications"] = [min(len(node["valid_applications"]) for node in row) for row in nodes]
    return flat


def _failures(result: Any) -> list[str]:
    """One line for each failed expectation, with the first rows that fail it."""
    lines = []
    for failed in (entry for entry in result.results if not entry.success):
        config = failed.expectation_config
        column = config.kwargs.get("column", "table")
        found = failed.result.get("unexpected_index_list") or []
        named = ", ".join(f"{row['task_id']} ({row.get(column)!r})" for row in found[:_ROWS_NAMED])
        observed = f"observed {failed.result.get('observed_value')}" if not found else f"{len(found)} rows, such as {named}"
        lines.append(f"  {column}: {config.type}: {observed or failed.exception_info}")
    return lines
