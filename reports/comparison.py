"""Comparison of runs over the same tasks: paired differences of accuracy, with intervals and tests that know of compositions.

Tasks of one composition are narrated from the same atomic tasks, so a model is often right or wrong on all of them: the composition is
the cluster. Every interval and test resamples or sums over compositions, never over tasks.
"""

import difflib
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from pathlib import Path
from statistics import NormalDist
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from warehouse.errors import WarehouseError
from warehouse.query import Format, rendered, rows_of

_QUERIES = Path(__file__).parent / "queries"
_DRAWS, _DRAWS_AT_ONCE, _SEED = 10_000, 1_000, 0
_SIGNIFICANCE, _POWER = 0.05, 0.80
_TABLE_OF_RUNS = ("run_id", "protocol", "model", "tasks", "correct", "accuracy", "accuracy_low", "accuracy_high")
_TABLE_OF_PAIRS = ("run_a", "run_b", "difference", "difference_low", "difference_high", "only_a_right", "only_b_right", "p_exact", "p_clustered",
                   "p_holm", "smallest_difference")  # fmt: skip
Row = dict[str, Any]
Counts = NDArray[np.int64]


@dataclass(frozen=True)
class PairedDifference:
    """Accuracy of A minus that of B over the same tasks, from -1 to 1. A value that the sample cannot give is None, and `note` says why."""

    tasks: int
    compositions: int
    accuracy_a: float
    accuracy_b: float
    difference: float
    difference_low: float | None
    difference_high: float | None
    only_a_right: int
    only_b_right: int
    p_exact: float
    p_clustered: float | None
    p_holm: float | None
    smallest_difference: float | None
    note: str | None


@dataclass(frozen=True)
class Comparison:
    """Runs with the columns of the view `accuracy`, in the order asked for, and the difference of every two, the earlier minus the later."""

    runs: tuple[Row, ...]
    pairs: tuple[tuple[Row, Row, PairedDifference], ...]


def compare_runs(connection: duckdb.DuckDBPyConnection, run_ids: Sequence[str]) -> Comparison:
    """Compare every two of the runs; each is named by its id or a unique beginning of it.

    Holm's correction is over all the pairs (Holm 1979). WarehouseError if a run is unknown, ambiguous or named twice, if fewer than two
    are named, or if the runs were not scored over the same tasks of one dataset.
    """
    runs = _resolved(rows_of(connection, _query("known_runs")), run_ids)
    ids = [run["run_id"] for run in runs]
    _check_same_tasks(connection, runs)
    accuracies = {row["run_id"]: row for row in rows_of(connection, "select * from accuracy where list_contains(?, run_id)", [ids])}
    counts = connection.execute(_query("paired_answers"), [ids]).fetchnumpy()
    pairs = []
    for a, b in combinations(ids, 2):
        of_pair = (counts["run_a"] == a) & (counts["run_b"] == b)
        columns = (np.asarray(counts[name][of_pair], dtype=np.int64) for name in ("tasks", "both_right", "only_a_right", "only_b_right"))
        pairs.append((accuracies[a], accuracies[b], paired_difference(*columns)))
    adjusted = holm([pair.p_clustered for _, _, pair in pairs])
    return Comparison(
        tuple(accuracies[run_id] for run_id in ids),
        tuple((a, b, replace(pair, p_holm=p_holm)) for (a, b, pair), p_holm in zip(pairs, adjusted, strict=True)),
    )


def paired_difference(tasks: Counts, both_right: Counts, only_a_right: Counts, only_b_right: Counts) -> PairedDifference:
    """Return the difference of A and B from counts of tasks by composition: four arrays of one length, one element per composition.

    - Interval, 95%: percentiles of a paired bootstrap that resamples compositions (Field and Welsh 2007; Efron and Tibshirani 1993, chapter 13).
    - `p_exact`: McNemar's exact test, which assumes independent tasks (McNemar 1947).
    - `p_clustered`: McNemar's test with compositions as clusters, see `clustered_mcnemar`.
    - `smallest_difference`: the smallest true difference that a sample like this shows with 80% power at 5%, two-sided: (z_.975 + z_.80) times the
      clustered standard error of the paired difference (Bloom 1995, Evaluation Review 19). None above 1.
    - `p_holm` is for a single pair.
    """
    from statsmodels.stats.contingency_tables import mcnemar  # takes a second to import, and a site of one run compares none

    differences = only_a_right - only_b_right
    total, clusters = int(tasks.sum()), len(tasks)
    a_alone, b_alone, both = int(only_a_right.sum()), int(only_b_right.sum()), int(both_right.sum())
    # whole numbers, so that the test for "no spread" is exact
    residuals = differences * total - int(differences.sum()) * tasks
    note = _why_unsure(clusters, bool(residuals.any()), a_alone + b_alone)
    low, high = _bootstrap_interval(tasks, differences) if note is None else (None, None)
    error = math.sqrt(clusters / (clusters - 1) * float((residuals / total**2) @ (residuals / total**2))) if note is None else None
    quantile = NormalDist().inv_cdf
    p_clustered = clustered_mcnemar(differences)
    return PairedDifference(
        tasks=total,
        compositions=clusters,
        accuracy_a=(both + a_alone) / total,
        accuracy_b=(both + b_alone) / total,
        difference=(a_alone - b_alone) / total,
        difference_low=low,
        difference_high=high,
        only_a_right=a_alone,
        only_b_right=b_alone,
        p_exact=float(mcnemar([[both, a_alone], [b_alone, total - both - a_alone - b_alone]], exact=True).pvalue),
        p_clustered=p_clustered,
        p_holm=p_clustered,
        smallest_difference=None if error is None else (quantile(1 - _SIGNIFICANCE / 2) + quantile(_POWER)) * error,
        note=note,
    )


def clustered_mcnemar(differences: Counts) -> float | None:
    """Return the p-value of McNemar's test over clusters: (sum d)^2 / sum d^2 against chi-squared with 1 degree of freedom; None for one cluster.

    `differences` has an element d for each cluster: tasks that only A got right minus tasks that only B did. This is Obuchowski (1998,
    Statistics in Medicine 17) without its factor (K - 1) / K for K clusters, and for clusters of one size the test of Durkalski et al. (2003,
    Statistics in Medicine 22); for clusters of one task it is McNemar's without continuity correction. Without any difference p is 1.
    """
    if len(differences) < 2:
        return None
    squares = int(differences @ differences)
    statistic = int(differences.sum()) ** 2 / squares if squares else 0.0
    return math.erfc(math.sqrt(statistic / 2))  # the upper tail of chi-squared with 1 degree of freedom


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Return p-values adjusted for their number by Holm's method; None stays None and does not count."""
    from statsmodels.stats.multitest import multipletests  # likewise

    known = [p for p in p_values if p is not None]
    adjusted = iter(multipletests(known, alpha=_SIGNIFICANCE, method="holm")[1].tolist() if known else ())
    return [None if p is None else next(adjusted) for p in p_values]


def comparison_rows(comparison: Comparison) -> list[Row]:
    """Return one row for each pair: the runs, and every field of PairedDifference."""

    def named(run: Row, side: str) -> Row:
        return {f"run_{side}": run["run_id"], f"protocol_{side}": run["protocol"], f"model_{side}": run["model"]}

    return [named(a, "a") | named(b, "b") | asdict(pair) for a, b, pair in comparison.pairs]


def rendered_comparison(comparison: Comparison, shape: Format) -> str:
    """Return the comparison as text: a table of runs, a table of pairs, and notes; CSV and JSON hold `comparison_rows`."""
    rows = comparison_rows(comparison)
    if shape != "table":
        return rendered(list(rows[0]), [list(row.values()) for row in rows], shape)
    first = rows[0]
    heading = f"{first['tasks']:,} tasks of {first['compositions']:,} compositions, dataset {comparison.runs[0]['dataset']}"
    notes = [f"{row['run_a']} and {row['run_b']}: {row['note']}" for row in rows if row["note"]]
    return "\n".join([heading, "", _table_of(_TABLE_OF_RUNS, comparison.runs), "", _table_of(_TABLE_OF_PAIRS, rows), *notes])


def _why_unsure(clusters: int, has_spread: bool, discordant: int) -> str | None:
    """Return a sentence on why a sample gives no interval; None if it gives one."""
    if clusters < 2:
        return "all tasks are of one composition, so the uncertainty of the difference cannot be estimated"
    if not discordant:
        return "both are right on exactly the same tasks, so there is no spread for an interval"
    return None if has_spread else "the difference is the same in every composition, so there is no spread for an interval"


def _bootstrap_interval(tasks: Counts, differences: Counts) -> tuple[float, float]:
    """Return the 95% percentile interval of sum(differences) / sum(tasks) when compositions are resampled with a fixed seed.

    Compositions with equal counts are interchangeable, so the draw is multinomial over the distinct counts: the same distribution as one
    over compositions, in far less memory and time.
    """
    side = int(np.sign(differences[np.flatnonzero(differences)[0]]))  # the sign is fixed for the draw, so that B against A mirrors A against B
    distinct, times = np.unique(np.column_stack([tasks, side * differences]), axis=0, return_counts=True)
    generator = np.random.default_rng(_SEED)
    means = []
    for _ in range(_DRAWS // _DRAWS_AT_ONCE):
        sums = generator.multinomial(len(tasks), times / len(tasks), size=_DRAWS_AT_ONCE) @ distinct
        means.append(side * sums[:, 1] / sums[:, 0])
    low, high = np.quantile(np.concatenate(means), [_SIGNIFICANCE / 2, 1 - _SIGNIFICANCE / 2])
    return float(low), float(high)


def _check_same_tasks(connection: duckdb.DuckDBPyConnection, runs: Sequence[Row]) -> None:
    """Refuse runs of several datasets, and runs that were scored over different tasks; the error says how many tasks each has."""
    remedy = "run `deskmill select` for each with the same dataset, --split and --limit"
    if len({run["dataset_id"] for run in runs}) > 1:
        raise WarehouseError(f"the runs are of different datasets, so they share no tasks; {remedy}:\n{_listed(runs)}")
    ids = [run["run_id"] for run in runs]
    counts = {row["run_id"]: row["tasks"] for row in rows_of(connection, "select run_id, tasks from accuracy where list_contains(?, run_id)", [ids])}
    empty = [run["run_id"] for run in runs if run["run_id"] not in counts]
    if empty:
        raise WarehouseError(
            f"no single task is scored in run {', '.join(empty)}: graphs cannot be compared; finish an unfinished run with `deskmill select`"
        )
    shared = {row["scored_by"]: row["tasks"] for row in rows_of(connection, _query("scored_task_counts"), [ids])}
    if set(shared) != {len(runs)}:
        each = ", ".join(f"{run['run_id']} has {counts[run['run_id']]:,} (split {run['split']})" for run in runs)
        raise WarehouseError(f"the runs were not scored over the same tasks: {each}, and {shared.get(len(runs), 0):,} are in all of them; {remedy}")


def _resolved(known: Sequence[Row], names: Sequence[str]) -> list[Row]:
    """Return the runs with these ids or unique beginnings of ids, in their order."""
    if len(names) < 2:
        raise WarehouseError(f"a comparison needs two runs or more; the runs are:\n{_listed(known)}")
    found = [_run_named(known, name) for name in names]
    for first, second in combinations(range(len(names)), 2):
        if found[first] is found[second]:
            raise WarehouseError(f"'{names[first]}' and '{names[second]}' are the same run, {found[first]['run_id']}: name each run once")
    return found


def _run_named(known: Sequence[Row], name: str) -> Row:
    matches = [run for run in known if name and run["run_id"].startswith(name)]
    exact = [run for run in matches if run["run_id"] == name]
    if len(exact or matches) == 1:
        return (exact or matches)[0]
    if matches:
        raise WarehouseError(f"the ids of {len(matches)} runs begin with '{name}'; give more characters:\n{_listed(matches)}")
    near = difflib.get_close_matches(name, [run["run_id"] for run in known], n=1)
    hint = f" (did you mean '{near[0]}'?)" if near else ""
    raise WarehouseError(f"there is no run '{name}'{hint}; the runs are:\n{_listed(known)}")


def _listed(runs: Sequence[Row]) -> str:
    return _table_of(("run_id", "dataset", "protocol", "model", "split"), runs)


def _table_of(names: Sequence[str], rows: Sequence[Row]) -> str:
    return rendered(names, [[row[name] for name in names] for row in rows], "table")


def _query(name: str) -> str:
    return (_QUERIES / f"{name}.sql").read_text()
