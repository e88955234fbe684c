/* Shares with their intervals, as the warehouse computes them. */
"use strict";

(() => {
  /**
   * A share with its 95% Wilson interval over effective rows, as wilson_low, wilson_high and effective_rows of warehouse/sql/macros.sql.
   * `clusters` holds for each cluster [rows, hits].
   */
  deskmill.share = (clusters) => {
    let rows = 0,
      hits = 0,
      squares = 0,
      number = 0;
    for (const [some, hit] of clusters) {
      rows += some;
      hits += hit;
      number += 1;
    }
    const p = hits / rows;
    for (const [some, hit] of clusters) squares += (hit - p * some) ** 2;
    const n = number < 2 || p <= 0 || p >= 1 ? rows : rows / Math.max(1, ((number / (number - 1)) * squares) / (rows * p * (1 - p)));
    const z = 1.959964,
      middle = p + z ** 2 / (2 * n),
      across = z * Math.sqrt((p * (1 - p)) / n + z ** 2 / (4 * n ** 2)),
      scale = 1 + z ** 2 / n;
    return { rows, hits, share: p, low: Math.max(0, (middle - across) / scale), high: Math.min(1, (middle + across) / scale) };
  };

  /** Share in words, with its interval. */
  deskmill.shareWords = ({ share, low, high }) => `${deskmill.percent(share)} (95% interval ${deskmill.percent(low)} to ${deskmill.percent(high)})`;
})();
