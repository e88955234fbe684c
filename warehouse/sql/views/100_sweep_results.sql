-- What the cells of sweeps came to, over all episodes and by level, application, and both, in the shape of ProSoftArena's Table 4: success, seconds, tokens and
-- money of an episode. Intervals are clustered by episode; those of seconds, tokens and dollars are normal. A fault of the infrastructure is in no denominator.
create view sweep_results as
with sliced as (
    select run_id, episode_id, steps, seconds, input_tokens + output_tokens as tokens, cost_usd,
           unnest([
               {slice: 'all', value: 'all'},
               {slice: 'level', value: level},
               {slice: 'application', value: application},
               {slice: 'level and application', value: level || ', ' || application}
           ], recursive := true)
    from episodes where fault is null
),
by_episode as (
    select run_id, slice, value, episode_id, count(*) as n, sum(steps) as steps, sum(seconds) as seconds, sum(tokens) as tokens, sum(cost_usd) as dollars
    from sliced group by all
),
sums as (
    select run_id, slice, value, count(*) as c, sum(n) as n, sum(n * n) as nn, sum(steps) as steps, sum(steps * steps) as pp, sum(steps * n) as pn,
           sum(seconds) as seconds, sum(seconds * seconds) as ss, sum(seconds * n) as sn,
           sum(tokens) as tokens, sum(tokens * tokens) as tt, sum(tokens * n) as tn, sum(dollars) as dollars, sum(dollars * dollars) as dd, sum(dollars * n) as dn
    from by_episode group by all
),
means as (
    select run_id, slice, value, steps / n as mean_steps, seconds / n as mean_seconds, tokens / n as mean_tokens, dollars / n as mean_cost_usd,
           if(c > 1, 1.959964 * sqrt(c / (c - 1) * residual_squares(steps / n, pp, pn, nn)) / n, null) as half_steps,
           if(c > 1, 1.959964 * sqrt(c / (c - 1) * residual_squares(seconds / n, ss, sn, nn)) / n, null) as half_seconds,
           if(c > 1, 1.959964 * sqrt(c / (c - 1) * residual_squares(tokens / n, tt, tn, nn)) / n, null) as half_tokens,
           if(c > 1, 1.959964 * sqrt(c / (c - 1) * residual_squares(dollars / n, dd, dn, nn)) / n, null) as half_dollars
    from sums
)
select w.sweep_id, w.sweep, c.number, c.run_id, c.label, c.is_scripted, s.slice, s.value, s.episodes, s.played, s.succeeded, s.success, s.success_low, s.success_high, s.faults,
       mean_steps, if(half_steps is null, null, greatest(0, mean_steps - half_steps)) as mean_steps_low, mean_steps + half_steps as mean_steps_high,
       mean_seconds, if(half_seconds is null, null, greatest(0, mean_seconds - half_seconds)) as mean_seconds_low, mean_seconds + half_seconds as mean_seconds_high,
       mean_tokens, if(half_tokens is null, null, greatest(0, mean_tokens - half_tokens)) as mean_tokens_low, mean_tokens + half_tokens as mean_tokens_high,
       mean_cost_usd, if(half_dollars is null, null, greatest(0, mean_cost_usd - half_dollars)) as mean_cost_usd_low, mean_cost_usd + half_dollars as mean_cost_usd_high
from sweeps w join sweep_cells c using (sweep_id) join episode_success s using (run_id) left join means m on m.run_id = c.run_id and m.slice = s.slice and m.value = s.value
where s.slice in ('all', 'level', 'application', 'level and application')
order by w.started_at desc, w.sweep_id, c.number, s.slice, s.value;

comment on view sweep_results is 'Success, steps, seconds, tokens and dollars of each played cell of the sweeps, over all and by level and application, with 95% intervals';
comment on column sweep_results.sweep_id is 'Sweep';
comment on column sweep_results.sweep is 'Name of its recipe';
comment on column sweep_results.number is 'Number of the cell';
comment on column sweep_results.run_id is 'Its run';
comment on column sweep_results.label is 'The cell in words';
comment on column sweep_results.is_scripted is 'Whether a script plays, such as the oracle';
comment on column sweep_results.slice is 'all, level, application, or level and application';
comment on column sweep_results.value is 'Value of the slice';
comment on column sweep_results.episodes is 'Episodes';
comment on column sweep_results.played is 'Episodes and repeats that were played to the end';
comment on column sweep_results.succeeded is 'Played ones that succeeded';
comment on column sweep_results.success is 'Share of the played ones that succeeded; null if none was played';
comment on column sweep_results.success_low is 'Lower end of the 95% interval, clustered by episode';
comment on column sweep_results.success_high is 'Upper end of the 95% interval';
comment on column sweep_results.faults is 'Faults of the infrastructure; they are in no denominator';
comment on column sweep_results.mean_steps is 'Mean steps of an episode';
comment on column sweep_results.mean_steps_low is 'Lower end of its 95% interval; null if one episode was played';
comment on column sweep_results.mean_steps_high is 'Upper end of that interval';
comment on column sweep_results.mean_seconds is 'Mean seconds of an episode';
comment on column sweep_results.mean_seconds_low is 'Lower end of its 95% interval; null if one episode was played';
comment on column sweep_results.mean_seconds_high is 'Upper end of that interval';
comment on column sweep_results.mean_tokens is 'Mean tokens that the model read and wrote in an episode';
comment on column sweep_results.mean_tokens_low is 'Lower end of its 95% interval; null if one episode was played';
comment on column sweep_results.mean_tokens_high is 'Upper end of that interval';
comment on column sweep_results.mean_cost_usd is 'Mean dollars of an episode';
comment on column sweep_results.mean_cost_usd_low is 'Lower end of its 95% interval; null if one episode was played';
comment on column sweep_results.mean_cost_usd_high is 'Upper end of that interval';
