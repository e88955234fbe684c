-- Macros: intervals, so that no number stands without its uncertainty.

-- Wilson score interval at 95% of a share p over n (effective) rows; null for no rows.
create macro wilson_low(p, n) as
    case when n > 0 then greatest(0, (p + 1.959964 ^ 2 / (2 * n) - 1.959964 * sqrt(greatest(p * (1 - p), 0) / n + 1.959964 ^ 2 / (4 * n ^ 2))) / (1 + 1.959964 ^ 2 / n)) end;

create macro wilson_high(p, n) as
    case when n > 0 then least(1, (p + 1.959964 ^ 2 / (2 * n) + 1.959964 * sqrt(greatest(p * (1 - p), 0) / n + 1.959964 ^ 2 / (4 * n ^ 2))) / (1 + 1.959964 ^ 2 / n)) end;

-- Rows that n clustered rows are worth: n over the design effect, which is the cluster-robust variance of the mean
-- over the binomial one, and never below 1. `squares` is the sum over clusters of their squared summed residuals.
create macro effective_rows(n, clusters, p, squares) as
    case when clusters < 2 or p <= 0 or p >= 1 then n
         else n / greatest(1, clusters / (clusters - 1) * squares / (n * p * (1 - p))) end;
