/* Shares with their intervals, as the warehouse computes them. */
"use strict";

(() => {
  const Z = 1.959964,
    T_TERMS = [1.40628, 1.58953, 2.55559, 2.8225, 2.37227, Z];

  /** These four are macros of warehouse/sql/macros.sql, which says where they come from. */
  const tQuantile = (freedom) => T_TERMS.reduce((sum, term) => sum / Math.max(1, freedom) + term);
  const estimationFactor = (n) => ((tQuantile(n - 1) * n) / (n - 1)) ** 2;
  const effectiveRows = (p, n, clusters, squares) =>
    p <= 0 || p >= 1 || squares <= (1e-9 * n ** 2) / clusters || clusters < 1.000001
      ? clusters
      : (((n ** 2 * p * (1 - p)) / squares) * estimationFactor(n)) / estimationFactor(clusters);
  const wilsonLow = (p, n) =>
    p <= 1 / (2 * n)
      ? 0
      : (2 * n * p + Z ** 2 - 1 - Z * Math.sqrt(Math.max(0, Z ** 2 - 2 - 1 / n + 4 * p * (n * (1 - p) + 1)))) / (2 * n + 2 * Z ** 2);

  const intervalLow = (p, n, clusters, squares) => Math.min(p, wilsonLow(1, clusters), wilsonLow(p, effectiveRows(p, n, clusters, squares)));

  /** Return a share with its 95% interval, as interval_low and interval_high of the warehouse do; `clusters` holds for each cluster [rows, hits]. */
  deskmill.share = (clusters) => {
    let rows = 0,
      hits = 0,
      rowSquares = 0,
      squares = 0;
    for (const [some, hit] of clusters) {
      rows += some;
      hits += hit;
      rowSquares += some ** 2;
    }
    const share = hits / rows,
      number = rows ** 2 / rowSquares;
    for (const [some, hit] of clusters) squares += (hit - share * some) ** 2;
    return { rows, hits, share, low: intervalLow(share, rows, number, squares), high: Math.max(share, 1 - intervalLow(1 - share, rows, number, squares)) };
  };

  /** Share in words, with its interval. */
  deskmill.shareWords = ({ share, low, high }) => `${deskmill.percent(share)} (95% interval ${deskmill.percent(low)} to ${deskmill.percent(high)})`;
})();
