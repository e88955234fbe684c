-- The cells of a sweep by level, in the shape of ProSoftArena's Table 4: success, seconds and tokens of an episode.
pivot (
    select number, label, if(is_scripted, 'script', 'model') as player, run_id, value as level, success, success_low, success_high, mean_seconds, mean_seconds_low, mean_seconds_high,
           if(mean_tokens > 0, mean_tokens, null) as mean_tokens, if(mean_tokens > 0, mean_tokens_low, null) as mean_tokens_low,
           if(mean_tokens > 0, mean_tokens_high, null) as mean_tokens_high
    from sweep_results where sweep_id = $sweep_id and slice = 'level'
)
on level
using first(success) as success, first(success_low) as success_low, first(success_high) as success_high,
      first(mean_seconds) as seconds, first(mean_seconds_low) as seconds_low, first(mean_seconds_high) as seconds_high,
      first(mean_tokens) as tokens, first(mean_tokens_low) as tokens_low, first(mean_tokens_high) as tokens_high
order by number
