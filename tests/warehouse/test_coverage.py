"""Protects the intervals of shares and means: in simulation they hold the true value as often as they say, whatever the clusters are like."""

from functools import cache
from itertools import product
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import binom, t

MACROS = Path("warehouse/sql/macros.sql").read_text()
RATES, CLUSTERS, CORRELATIONS = (0.02, 0.5, 0.98), (10, 20, 50, 100, 200), (0.0, 0.3, 0.7, 1.0)
SIZES = ("all of 1", "1 to 10", "all of 10", "most of 1, some of 10")
KINDS = ("drawn around a rate of the cluster", "copied from one another")
SAMPLES, AT_LEAST = 1_500, 0.93
Counts = NDArray[np.int64]


@cache
def macros() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute(MACROS)
    return connection


def drawn_sizes(chance: np.random.Generator, sizes: str, shape: tuple[int, int]) -> Counts:
    """Rows of each cluster."""
    if sizes == "1 to 10":
        return chance.integers(1, 11, shape)
    if sizes == "most of 1, some of 10":
        return chance.choice([1, 10], shape, p=[0.9, 0.1])
    return np.full(shape, int(sizes.rsplit(maxsplit=1)[-1]))


def drawn_hits(chance: np.random.Generator, n: Counts, rate: float, correlation: float, kind: str) -> Counts:
    """Right rows of each cluster, where any two rows of a cluster have the given correlation."""
    if correlation == 0:
        return chance.binomial(n, rate)
    one = chance.random(n.shape) < rate
    if correlation == 1:
        return n * one
    if kind == "copied from one another":
        copies = chance.binomial(n, correlation**0.5)
        return copies * one + chance.binomial(n - copies, rate)
    spread = (1 - correlation) / correlation
    return chance.binomial(n, chance.beta(rate * spread, (1 - rate) * spread, n.shape))


def sums(n: Counts, k: Counts) -> pd.DataFrame:
    """What the macros take, for each sample."""
    rows, share = n.sum(axis=1), k.sum(axis=1) / n.sum(axis=1)
    return pd.DataFrame({"p": share, "n": rows, "nn": (n**2).sum(axis=1), "squares": ((k - share[:, None] * n) ** 2).sum(axis=1)})


def drawn_samples(sizes: str) -> pd.DataFrame:
    """Samples of every rate, number of clusters and correlation, with the sums that the macros take; one seed a size."""
    chance = np.random.default_rng(SIZES.index(sizes))
    parts = []
    for rate, clusters, correlation, kind in product(RATES, CLUSTERS, CORRELATIONS, KINDS):
        if kind == KINDS[1] and (sizes == "all of 1" or correlation in {0, 1}):
            continue  # the same as the other kind
        n = drawn_sizes(chance, sizes, (SAMPLES, clusters))
        k = drawn_hits(chance, n, rate, correlation, kind)
        parts.append(sums(n, k).assign(rate=rate, clusters=clusters, correlation=correlation, kind=kind))
    return pd.concat(parts)


def coverage(samples: pd.DataFrame, low: str, high: str) -> pd.DataFrame:
    """How often the interval of two SQL expressions holds the true rate, by scenario."""
    connection = macros()
    connection.register("samples", samples)
    query = f"""select rate, clusters, correlation, kind, avg((({low}) <= rate and rate <= ({high}))::int) as coverage, avg(({high}) - ({low})) as width
                from samples group by all order by coverage"""
    return connection.execute(query).df()


@pytest.mark.parametrize("sizes", SIZES)
def test_intervals_cover_the_true_rate(sizes: str) -> None:
    found = coverage(drawn_samples(sizes), "interval_low(p, n, nn, squares)", "interval_high(p, n, nn, squares)")
    assert found["coverage"].min() >= AT_LEAST, found.head().to_string()
    middle = found[(found["rate"] == 0.5) & (found["correlation"] == 0)]
    assert middle["coverage"].mean() < 0.985, "an interval that always holds says nothing"


def test_intervals_that_count_rows_would_be_noticed() -> None:
    found = coverage(drawn_samples("all of 10"), "wilson_low(p, n)", "1 - wilson_low(1 - p, n)")
    assert found["coverage"].min() < 0.5


@pytest.mark.parametrize("rate", [0.02, 0.1, 0.5, 0.98])
def test_intervals_of_independent_rows_cover_in_every_sample_size(rate: float) -> None:
    """By the binomial distribution itself: Wilson's without continuity correction holds 0.02 in only 90 of 100 samples of 27."""
    connection = macros()
    query = """select n, k, interval_low(k / n, n, n, n * (k / n) * (1 - k / n)) as low, interval_high(k / n, n, n, n * (k / n) * (1 - k / n)) as high
               from range(10, 201) as sizes(n), range(0, n + 1) as hits(k)"""
    found = connection.execute(query).df()
    held = found[(found["low"] <= rate) & (rate <= found["high"])]
    covered = held.assign(chance=binom.pmf(held["k"], held["n"], rate)).groupby("n")["chance"].sum()
    assert len(covered) == 191 and covered.min() > 0.945


CLUSTER = st.tuples(st.integers(1, 10), st.floats(0, 1)).map(lambda pair: (pair[0], pair[0] * pair[1]))


@settings(max_examples=20, deadline=None)
@given(st.lists(st.lists(CLUSTER, min_size=1, max_size=12), min_size=20))
def test_ends_lie_on_both_sides_of_the_value_and_mirror_each_other(samples: list[list[tuple[int, float]]]) -> None:
    stated = pd.concat(sums(*(np.array([column]) for column in zip(*clusters, strict=True))) for clusters in samples)
    macros().register("stated", stated.assign(p=stated["p"].clip(upper=1.0)))
    query = """select p, interval_low(p, n, nn, squares) as low, interval_high(p, n, nn, squares) as high,
                      interval_low(1 - p, n, nn, squares) as mirrored_low, interval_high(1 - p, n, nn, squares) as mirrored_high from stated"""
    found = macros().execute(query).df()
    assert ((found["low"] >= 0) & (found["low"] <= found["p"]) & (found["p"] <= found["high"]) & (found["high"] <= 1)).all()
    assert (found["high"] - found["low"]).min() > 0.01
    assert found["mirrored_low"].to_numpy() == pytest.approx(1 - found["high"].to_numpy(), abs=1e-6)
    assert found["mirrored_high"].to_numpy() == pytest.approx(1 - found["low"].to_numpy(), abs=1e-6)


def test_a_share_of_none_or_all_counts_clusters() -> None:
    """Ten episodes that fail in each of five repeats are ten observations: 0.345, where fifty rows give 0.089 and gave 0.071."""
    ask = "select interval_low($1, $2, $3, 0), interval_high($1, $2, $3, 0)"
    of_ten = macros().execute(ask, [0.0, 10, 10]).fetchall()
    assert macros().execute(ask, [0.0, 50, 250]).fetchall() == of_ten == [(0, pytest.approx(0.3445, abs=1e-4))]  # Newcombe's of 0 in 10
    assert macros().execute(ask, [1.0, 50, 250]).fetchall() == [(pytest.approx(1 - 0.3445, abs=1e-4), 1)]
    [(one, five)] = macros().execute("select interval_high(0.02, 50, 250, 0.9), interval_high(0.1, 50, 250, 22.5)").fetchall()
    assert of_ten[0][1] <= one <= five, "one success more never lowers the upper end"


def test_without_rows_there_is_no_interval_and_one_cluster_is_one_observation() -> None:
    assert macros().execute("select interval_low(null, 0, null, null), interval_high(null, 0, 0, 0)").fetchall() == [(None, None)]
    assert macros().execute("select interval_low(1, 7, 49, 0) = interval_low(1, 1, 1, 0), interval_low(0.5, 8, 64, 0)").fetchall() == [(True, 0)]


@pytest.mark.parametrize("freedom", [1, 1.5, 2, 3, 5, 9, 30, 1000])
def test_the_quantile_of_t_is_scipys(freedom: float) -> None:
    assert macros().execute("select t_quantile(?)", [freedom]).fetchall()[0][0] == pytest.approx(t.ppf(0.975, freedom), rel=0.007)
