-- What the episodes of a run took; what asked no model has no tokens and no cost.
select * replace (nullif(input_tokens, 0) as input_tokens, nullif(output_tokens, 0) as output_tokens, nullif(cost_usd, 0) as cost_usd,
                  nullif(cost_per_success_usd, 0) as cost_per_success_usd)
from episode_cost where run_id = $run_id
