-- The cells of a sweep with what they came to over all episodes; what asked no model has no tokens and no cost.
with results as (
    select * replace (if(mean_tokens > 0, mean_tokens, null) as mean_tokens, if(mean_tokens > 0, mean_tokens_low, null) as mean_tokens_low,
                      if(mean_tokens > 0, mean_tokens_high, null) as mean_tokens_high, if(mean_cost_usd > 0, mean_cost_usd, null) as mean_cost_usd,
                      if(mean_cost_usd > 0, mean_cost_usd_low, null) as mean_cost_usd_low, if(mean_cost_usd > 0, mean_cost_usd_high, null) as mean_cost_usd_high)
    from sweep_results where slice = 'all'
)
select c.number, c.label, if(c.is_scripted, 'script', 'model') as player, r.run_id, r.played, r.success, r.success_low, r.success_high, r.faults,
       r.mean_steps, r.mean_steps_low, r.mean_steps_high, r.mean_seconds, r.mean_seconds_low, r.mean_seconds_high,
       r.mean_tokens, r.mean_tokens_low, r.mean_tokens_high, r.mean_cost_usd, r.mean_cost_usd_low, r.mean_cost_usd_high, c.command
from sweep_cells c left join results r using (sweep_id, number)
where c.sweep_id = $sweep_id
order by c.number
