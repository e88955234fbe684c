-- Time, tokens and dollars of a run; times only of answers that have them.
select (select l.answers from latency l where l.run_id = $run_id) as timed,
       c.median_ms, c.median_low_ms as median_ms_low, c.median_high_ms as median_ms_high, (select l.p99_ms from latency l where l.run_id = $run_id) as p99_ms,
       nullif(c.input_tokens, 0) as input_tokens, nullif(c.output_tokens, 0) as output_tokens, nullif(c.cost_usd, 0) as cost_usd,
       case when c.cost_usd > 0 then c.dollars_per_1000 end as dollars_per_1000, case when c.cost_usd > 0 then c.dollars_per_1000_low end as dollars_per_1000_low,
       case when c.cost_usd > 0 then c.dollars_per_1000_high end as dollars_per_1000_high
from cost_and_accuracy c where c.run_id = $run_id
