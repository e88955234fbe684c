select started_at, purpose, model, endpoint, attempt, status, input_tokens, cached_tokens, output_tokens, cost_usd, latency_ms
from model_calls where call_id = $id order by started_at, attempt
