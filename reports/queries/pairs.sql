-- Every two of some runs over the same tasks: A minus B, with compositions as clusters. Interval: normal, by the clustered standard error. p_clustered: McNemar's
-- test over clusters (Obuchowski 1998), its chi-squared tail by the fit of Press et al. (Numerical Recipes, erfcc, seven digits). p_exact: McNemar's, over tasks.
-- p_holm: p_clustered, corrected for the number of pairs (Holm 1979). smallest_difference: what 80% power at 5% can show (Bloom 1995).
with places as (
    select unnest(string_split($runs, ' ')) as run_id, unnest(range(len(string_split($runs, ' ')))) as place
), answers as (
    select place, run_id, task_id, composition_id, is_correct::int as is_correct from scored_predictions join places using (run_id)
), clusters as (
    select a.place as place_a, b.place as place_b, a.run_id as run_a, b.run_id as run_b, a.composition_id, count(*) as tasks,
           sum(a.is_correct) as right_a, sum(b.is_correct) as right_b, count(*) filter (a.is_correct > b.is_correct) as only_a,
           count(*) filter (a.is_correct < b.is_correct) as only_b
    from answers a join answers b on a.task_id = b.task_id and a.place < b.place group by all
), totals as (
    select place_a, place_b, run_a, run_b, sum(tasks)::bigint as tasks, count(*) as compositions, sum(only_a)::bigint as only_a, sum(only_b)::bigint as only_b,
           sum(right_a) / sum(tasks) as accuracy_a, sum(right_b) / sum(tasks) as accuracy_b, sum((only_a - only_b) ^ 2) as squares
    from clusters group by all
), residuals as (
    select place_a, place_b, sum(((c.only_a - c.only_b) * t.tasks - (t.only_a - t.only_b) * c.tasks) ^ 2) / t.tasks ^ 4 as squares
    from clusters c join totals t using (place_a, place_b) group by place_a, place_b, t.tasks
), errors as (
    select t.*, (only_a - only_b) / tasks as difference,
           case when compositions > 1 and r.squares > 0 then sqrt(compositions / (compositions - 1) * r.squares) end as error,
           abs(only_a - only_b) / sqrt(2 * nullif(t.squares, 0)) as x
    from totals t join residuals r using (place_a, place_b)
), tested as (
    select *, 1 / (1 + x / 2) as t, case when only_a = only_b then 1 else least(1, 2 * list_sum([
               exp(lgamma(only_a + only_b + 1) - lgamma(k + 1) - lgamma(only_a + only_b - k + 1) - (only_a + only_b) * ln(2)) for k in range(least(only_a, only_b) + 1)
           ])) end as p_exact
    from errors
), sure as (
    select *, case when compositions < 2 then null when x is null then 1 else least(1, t * exp(-1.26551223 - x ^ 2 + t * (1.00002368 + t * (0.37409196 + t * (
               0.09678418 + t * (-0.18628806 + t * (0.27886807 + t * (-1.13520398 + t * (1.48851587 + t * (-0.82215223 + t * 0.17087277)))))))))) end as p_clustered
    from tested
), ranked as (
    select *, row_number() over (order by p_clustered) as rank, count(p_clustered) over () as pairs from sure
), corrected as (
    select *, case when p_clustered is not null then least(1, max(p_clustered * (pairs - rank + 1)) over (order by rank)) end as p_holm from ranked
)
select run_a, run_b, a.protocol || ' (' || a.model || ')' as named_a, b.protocol || ' (' || b.model || ')' as named_b, c.tasks, compositions,
       accuracy_a, a.accuracy_low as accuracy_a_low, a.accuracy_high as accuracy_a_high, accuracy_b, b.accuracy_low as accuracy_b_low,
       b.accuracy_high as accuracy_b_high, difference, case when error is not null then greatest(-1, difference - 1.959964 * error) end as difference_low,
       case when error is not null then least(1, difference + 1.959964 * error) end as difference_high, only_a as only_a_right, only_b as only_b_right, p_exact, p_clustered, p_holm,
       2.801585 * error as smallest_difference
from corrected c join accuracy a on a.run_id = run_a join accuracy b on b.run_id = run_b
order by place_a, place_b
