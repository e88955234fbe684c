-- Time, tokens and dollars of a run; times only of answers that have them.
with spent as (
    select run_id, sum(input_tokens)::bigint as input_tokens, sum(output_tokens)::bigint as output_tokens, sum(cost_usd) as cost_usd, 1000 * avg(cost_usd) as mean,
           1000 * stddev_samp(cost_usd) / sqrt(count(*)) as error
    from predictions where run_id = $run_id and status <> 'not_applicable' group by run_id
)
select l.answers as timed, l.median_ms, l.median_low_ms as median_ms_low, l.median_high_ms as median_ms_high, l.p99_ms,
       nullif(s.input_tokens, 0) as input_tokens, nullif(s.output_tokens, 0) as output_tokens, nullif(s.cost_usd, 0) as cost_usd,
       case when s.cost_usd > 0 then s.mean end as dollars_per_1000,
       case when s.cost_usd > 0 and s.error is not null then greatest(0, s.mean - 1.959964 * s.error) end as dollars_per_1000_low,
       case when s.cost_usd > 0 then s.mean + 1.959964 * s.error end as dollars_per_1000_high
from spent s left join latency l using (run_id)
