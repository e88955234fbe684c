-- Macros: intervals, so that every number comes with its uncertainty.

-- The 95% interval of a share or of a mean of values from 0 to 1, whose n rows fall into clusters: 0 <= low <= value <= high <= 1, null for no rows.
-- Every interval of such a value is made by interval_low and interval_high. Besides the value p and the rows n, they take two sums over the clusters:
-- nn of n_i ^ 2, where a cluster has n_i rows, and squares of (k_i - p * n_i) ^ 2, where its rows sum up to k_i. Only these two use the macros above them.
--
-- It is Wilson's score interval with continuity correction (Newcombe 1998, Statistics in Medicine 17, 857-872, method 4) over effective rows that allow
-- for the few degrees of freedom of a variance between clusters (Korn and Graubard 1998, Survey Methodology 24, 193-201; Dean and Pagano 2015, Journal
-- of Survey Statistics and Methodology 3, 484-503). The variance takes residuals over 1 - 1 / clusters, as the CR3 estimator does for clusters of one
-- size (Bell and McCaffrey 2002, Survey Methodology 28, 169-181). Clusters count as n ^ 2 / nn, their number where all have one size (Kish 1965).
-- Two rules hold if the sample says little about the variance. A value of 0 or 1, a sample of one cluster, and one without any spread count clusters, not
-- rows. The upper end is never below that of the value 0 over these clusters, and the lower end never above that of 1. tests/warehouse/test_coverage.py simulates it.

-- Quantile 0.975 of Student's t, by Fisher's expansion (Abramowitz and Stegun 26.7.5); the last term makes it right for one degree of freedom, the fewest.
create macro t_quantile(freedom) as
    list_reduce([1.40628, 1.58953, 2.55559, 2.82250, 2.37227, 1.959964], lambda sum, term: sum / greatest(1, freedom) + term);

-- The squared ratio of widths: an interval from n independent values to an interval with known variance.
create macro estimation_factor(n) as (t_quantile(n - 1) * n / (n - 1)) ^ 2;

-- The number of independent rows that n clustered rows are worth.
create macro effective_rows(p, n, clusters, squares) as
    case when p <= 0 or p >= 1 or squares <= 1e-9 * n ^ 2 / clusters or clusters < 1.000001 then clusters
         else n ^ 2 * p * (1 - p) / squares * estimation_factor(n) / estimation_factor(clusters) end;

-- Lower end for n independent rows; with z for 1.959964, the constants are z ^ 2 - 1, z ^ 2 - 2 and 2 * z ^ 2.
create macro wilson_low(p, n) as
    case when p <= 1 / (2 * n) then 0
         else (2 * n * p + 2.841459 - 1.959964 * sqrt(greatest(0, 1.841459 - 1 / n + 4 * p * (n * (1 - p) + 1)))) / (2 * n + 7.682918) end;

-- Lambdas name values that are used more than once: macros alone would repeat them some hundred times, and DuckDB would plan slowly.
create macro interval_low(p, n, nn, squares) as
    case when p is null then null else list_transform([n ^ 2 / nullif(nn, 0)], lambda clusters:
        least(p, wilson_low(1, clusters), list_transform([effective_rows(p, n, clusters, squares)], lambda rows: wilson_low(p, rows))[1]))[1] end;

create macro interval_high(p, n, nn, squares) as
    case when p is null then null else greatest(p, 1 - interval_low(1 - p, n, nn, squares)) end;

-- The squares of a value p from sums over clusters of k * k, k * n and n * n: sum((k - p * n) ^ 2), multiplied out.
create macro residual_squares(p, kk, kn, nn) as greatest(0, kk - 2 * p * kn + p ^ 2 * nn);

-- F1 of a Jaccard index, which is a monotone function of it, so an interval of one gives an interval of the other
-- (the "Wilson indirect" interval of Lam, Gopal and Qian, Confidence intervals for the F1 score, arXiv:2309.14621).
create macro f1_of_jaccard(jaccard) as 2 * jaccard / (1 + jaccard);

-- Hash of a list of candidates, for table scored_tasks.
create macro candidate_list(candidates) as md5(array_to_string(candidates, ' '));

-- Whether a published figure belongs to a model under a protocol: models match by name in any case, baselines by what they do.
create macro is_published_as(model, protocol, published_model, published_protocol) as
    case when model = 'random' then published_protocol = 'random' when model = 'lexicons' then published_protocol = 'heuristic'
         else lower(published_model) = lower(model) and published_protocol = protocol end;

-- Half of the 95% interval of a mean of any values over n rows in clusters: normal, with squares as in interval_low; null for one cluster.
create macro mean_half_width(n, clusters, squares) as 1.959964 * sqrt(clusters / nullif(clusters - 1, 0) * squares) / n;
