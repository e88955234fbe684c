select played, mean_steps, mean_seconds, mean_seconds_per_step, malformed_share, input_tokens, output_tokens, cost_usd, cost_per_success_usd
from episode_cost where run_id = $id
