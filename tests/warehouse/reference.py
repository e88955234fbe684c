"""The figures of the views told again by pandas and scikit-learn from the Parquet, and a comparison that fails where they differ."""

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
from sklearn.metrics import confusion_matrix, precision_recall_fscore_support

from warehouse.layout import DataFolder

SLICES = ("category", "naming", "drop_out", "length", "steps", "style", "valid_set_size", "paraphrased", "locale", "split", "says_goal", "has_typo")

# How pandas bins what the table accuracy_by_slice calls a slice.
WORD_BINS = {"1 to 9": (0, 9), "10 to 19": (10, 19), "20 to 29": (20, 29), "30 to 39": (30, 39), "40 and more": (40, 10**6)}
VALID_BINS = {"1": (1, 1), "2": (2, 2), "3 to 5": (3, 5), "6 and more": (6, 10**6)}
STEP_BINS = {"1": (1, 1), "2": (2, 2), "3": (3, 3), "4 and more": (4, 10**6)}


def answers_by_pandas(folder: DataFolder) -> pd.DataFrame:
    """The scored predictions with target, counted answer and slices, by pandas from the Parquet."""
    apps = pd.concat(pd.read_parquet(path) for path in sorted(folder.datasets.glob("*/catalog/applications.parquet"))).drop_duplicates("application")
    category = dict(zip(apps["application"], apps["category"], strict=True)) | {"no answer": "no answer"}
    tasks = pd.concat(_tasks_by_pandas(path) for path in sorted(folder.datasets.glob("*/dataset/data/*.parquet")))
    columns = ["run_id", "task_id", "predicted_application", "status", "is_correct"]
    given = pd.concat(pd.read_parquet(path, columns=columns) for path in sorted(folder.runs.glob("*/predictions/*.parquet")))
    answers = given[given["status"] != "not_applicable"].merge(tasks, on="task_id")
    answers["is_correct"] = answers["is_correct"].astype(bool)
    answers["counted"] = answers["application"].where(answers["is_correct"], answers["predicted_application"].fillna("no answer"))
    answers["counted_category"] = answers["counted"].map(category)
    answers["all"] = "all"
    return answers


def _tasks_by_pandas(path: Path) -> pd.DataFrame:
    tasks = pd.read_parquet(path).rename(columns={"target_application": "application"})
    steps, dropped = tasks["atomic_tasks"].str.len(), tasks["dropped_steps"].str.len()
    tasks["length"] = _binned(tasks["text"].str.count(" ") + 1, WORD_BINS)
    tasks["valid_set_size"] = _binned(tasks["valid_applications"].str.len(), VALID_BINS)
    tasks["steps"] = _binned(steps, STEP_BINS)
    tasks["drop_out"] = np.select([dropped == 0, dropped < steps], ["none", "some"], "goal only")
    status = tasks["paraphrase_status"]
    tasks["paraphrased"] = np.select([status.isna(), status == "accepted"], ["not asked", "accepted"], "kept")
    for flag in ("says_goal", "has_typo"):
        tasks[flag] = np.where(tasks[flag], "yes", "no")
    return tasks[["task_id", "composition_id", "application", *SLICES]]


def _binned(numbers: pd.Series, bins: dict[str, tuple[int, int]]) -> Any:
    return np.select([numbers.between(low, high) for low, high in bins.values()], list(bins), "unknown")


def hold_against_reference(connection: duckdb.DuckDBPyConnection, answers: pd.DataFrame, within: float = 1e-9) -> None:
    """Hold accuracy by every slice, confusions, application scores and error decomposition against pandas and scikit-learn."""
    by_slice = [
        answers.groupby(["run_id", name])["is_correct"].agg(["size", "sum", "mean"]).rename_axis(["run_id", "value"])
        for name in ("all", "application", *SLICES)
    ]
    expected = pd.concat(by_slice, keys=["all", "application", *SLICES], names=["slice"]).reset_index()
    _same(connection, "select slice, run_id, value, tasks, correct, accuracy from accuracy_by_slice", expected, within)
    for level, target, counted in (("application", "application", "counted"), ("category", "category", "counted_category")):
        expected = pd.concat(_confusion(run, rows[target], rows[counted]) for run, rows in answers.groupby("run_id"))
        _same(connection, f"select run_id, target_{level}, answered_{level}, tasks, share from {level}_confusion", expected, within)
    expected = pd.concat(_scores(run, rows) for run, rows in answers.groupby("run_id"))
    _same(
        connection, "select run_id, application, support, coalesce(precision, 0), coalesce(recall, 0), f1 from application_scores", expected, within
    )
    wrong = answers[~answers["is_correct"] & answers["predicted_application"].notna()]
    expected = (wrong["counted_category"] == wrong["category"]).groupby(wrong["run_id"]).agg(["size", "mean"]).reset_index()
    _same(connection, "select run_id, wrong_answers, pi_intra from error_decomposition where wrong_answers > 0", expected, within)


def _confusion(run: Any, target: pd.Series, counted: pd.Series) -> pd.DataFrame:
    labels = sorted({*target, *counted})
    counts = confusion_matrix(target, counted, labels=labels)
    rows, columns = np.nonzero(counts)
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    names = np.array(labels, dtype=object)
    return pd.DataFrame(
        {"run_id": run, "target": names[rows], "answer": names[columns], "tasks": counts[rows, columns], "share": shares[rows, columns]}
    )


def _scores(run: Any, rows: pd.DataFrame) -> pd.DataFrame:
    labels = sorted({*rows["application"], *rows["counted"]} - {"no answer"})
    precision, recall, f1, support = precision_recall_fscore_support(rows["application"], rows["counted"], labels=labels, zero_division=0)
    return pd.DataFrame({"run_id": run, "application": labels, "support": support, "precision": precision, "recall": recall, "f1": f1})


def _same(connection: duckdb.DuckDBPyConnection, query: str, expected: pd.DataFrame, within: float) -> None:
    """The rows of a query are those expected: the first columns, of words, alike, and the others within so much."""
    found = connection.sql(query).df()
    expected = expected.set_axis(found.columns, axis=1)
    words = [name for name in found.columns if not pd.api.types.is_numeric_dtype(expected[name])]
    assert len(found) == len(expected) > 0, query
    both = found.merge(expected, on=words, suffixes=("", "_expected"))
    assert len(both) == len(found), query
    for name in set(found.columns) - set(words):
        assert (both[name] - both[f"{name}_expected"]).abs().max() <= within, (query, name)
