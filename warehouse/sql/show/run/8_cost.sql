select count(*) as answers, sum(cost_usd) as cost_usd, sum(input_tokens) as input_tokens, sum(output_tokens) as output_tokens,
       median(latency_ms) as median_latency_ms, quantile_cont(latency_ms, 0.9) as latency_ms_90
from predictions where run_id = $id
