-- What the episodes of every run took, newest first; what asked no model has no tokens and no cost.
select c.* replace (nullif(c.input_tokens, 0) as input_tokens, nullif(c.output_tokens, 0) as output_tokens, nullif(c.cost_usd, 0) as cost_usd,
                    nullif(c.cost_per_success_usd, 0) as cost_per_success_usd)
from episode_cost c left join suite_runs r using (run_id)
order by r.started_at desc nulls last, c.run_id
