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

-- Those squares of a share p, where each cluster has k of n rows, from sums over clusters of k * k, k * n and n * n: sum((k - p * n) ^ 2), multiplied out.
create macro residual_squares(p, kk, kn, nn) as greatest(0, kk - 2 * p * kn + p ^ 2 * nn);

-- Interval at 95% of a mean of n clustered values from 0 to 1, null for one cluster. It is normal; a mean of 0 or 1 has no spread to be normal by,
-- and takes Wilson's over the clusters. `squares` is as above.
create macro mean_low(mean, n, clusters, squares) as
    case when clusters < 2 then null when mean <= 0 or mean >= 1 then wilson_low(mean, clusters)
         else greatest(0, mean - 1.959964 * sqrt(clusters / (clusters - 1) * squares) / n) end;

create macro mean_high(mean, n, clusters, squares) as
    case when clusters < 2 then null when mean <= 0 or mean >= 1 then wilson_high(mean, clusters)
         else least(1, mean + 1.959964 * sqrt(clusters / (clusters - 1) * squares) / n) end;

-- F1 of a Jaccard index, of which it is a monotone function: with it an interval of the one is an interval of the other
-- (the "Wilson indirect" interval of Lam, Gopal and Qian, Confidence intervals for the F1 score, arXiv:2309.14621).
create macro f1_of_jaccard(jaccard) as 2 * jaccard / (1 + jaccard);

-- Hash of a list of candidates, for table scored_tasks.
create macro candidate_list(candidates) as md5(array_to_string(candidates, ' '));

-- Whether a published figure is that of a model under a protocol: models by their names, case aside, the baselines by what they do.
create macro is_published_as(model, protocol, published_model, published_protocol) as
    case when model = 'random' then published_protocol = 'random' when model = 'lexicons' then published_protocol = 'heuristic'
         else lower(published_model) = lower(model) and published_protocol = protocol end;
