select cost_usd, dollars_per_1000, dollars_per_1000_low, dollars_per_1000_high, input_tokens, output_tokens, median_ms, median_low_ms, median_high_ms, p90_ms
from cost_and_accuracy where run_id = $id
