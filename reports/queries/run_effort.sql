-- Time, tokens and dollars of a run by answer; times and tokens only of answers that have them.
select quantile_cont(latency_ms, 0.5) filter (latency_ms > 0) as latency_50, quantile_cont(latency_ms, 0.95) filter (latency_ms > 0) as latency_95,
       max(latency_ms) filter (latency_ms > 0) as latency_most, avg(input_tokens) filter (input_tokens > 0) as mean_input_tokens,
       avg(output_tokens) filter (output_tokens > 0) as mean_output_tokens, nullif(sum(cost_usd), 0) as cost_usd,
       nullif(1000 * sum(cost_usd) / count(*), 0) as dollars_per_1000
from predictions where run_id = $run_id and status <> 'not_applicable'
having count(*) > 0
