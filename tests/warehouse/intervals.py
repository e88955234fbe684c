"""The interval of a share or mean, told again from its publications (warehouse/sql/macros.sql) with scipy: the reference of the warehouse's."""

from typing import Any

import numpy as np
from scipy.stats import norm, t

Z = norm.ppf(0.975)


def interval(found: Any, of: Any, clusters: Any) -> tuple[float, float]:
    """Ends for sum(found) / sum(of), where each row has what was found, from 0 to 1, of what it counts (0 or 1), and a cluster."""
    found, of, clusters = np.asarray(found, dtype=float), np.asarray(of, dtype=float), np.asarray(clusters)
    names = np.unique(clusters[of > 0])
    sizes = np.array([of[clusters == name].sum() for name in names])
    sums = np.array([found[clusters == name].sum() for name in names])
    value = min(1.0, sums.sum() / sizes.sum())
    return ends(value, sizes.sum(), (sizes**2).sum(), ((sums - value * sizes) ** 2).sum())


def ends(value: float, rows: float, row_squares: float, squares: float) -> tuple[float, float]:
    """Ends from what the macros take: the value, its rows, and sums over clusters of squared rows and squared residuals."""
    number = rows**2 / row_squares

    def factor(n: float) -> float:
        return float(t.ppf(0.975, max(1, n - 1)) * n / (n - 1)) ** 2

    unknown = value in {0, 1} or squares < 1e-9 or number < 1.000001
    worth = number if unknown else rows**2 * value * (1 - value) / squares * factor(rows) / factor(number)
    low = min(value, corrected_wilson(value, worth)[0], corrected_wilson(1, number)[0])
    return low, max(value, corrected_wilson(value, worth)[1], corrected_wilson(0, number)[1])


def corrected_wilson(value: float, rows: float) -> tuple[float, float]:
    """Wilson's interval at value -+ 1 / (2 rows): its ends are the shares whose score is the quantile."""

    def wilson(at: float) -> tuple[float, float]:
        middle, half = at + Z**2 / (2 * rows), Z * np.sqrt(at * (1 - at) / rows + Z**2 / (4 * rows**2))
        return (middle - half) / (1 + Z**2 / rows), (middle + half) / (1 + Z**2 / rows)

    off = 1 / (2 * rows)
    return (0 if value <= off else float(wilson(value - off)[0])), (1 if value >= 1 - off else float(wilson(value + off)[1]))
