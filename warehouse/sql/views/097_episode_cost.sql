-- Steps, seconds, tokens and money of runs of episodes, over the episodes that were played to the end. Intervals of means are normal, clustered by episode.
create view episode_cost as
with by_episode as (
    select run_id, episode_id, count(*) as n, sum(steps) as steps, sum(seconds) as seconds from episodes where fault is null group by all
),
spread as (
    select run_id, 1.959964 * sqrt(c / (c - 1) * residual_squares(steps / n, ss, sn, nn)) / n as half_steps,
           1.959964 * sqrt(c / (c - 1) * residual_squares(seconds / n, tt, tn, nn)) / n as half_seconds
    from (
        select run_id, count(*) as c, sum(n) as n, sum(steps) as steps, sum(seconds) as seconds, sum(steps * steps) as ss, sum(steps * n) as sn,
               sum(seconds * seconds) as tt, sum(seconds * n) as tn, sum(n * n) as nn
        from by_episode group by run_id
    )
    where c > 1
),
taken as (
    select run_id, suite, agent, start, count(*) as played, avg(steps) as mean_steps, median(steps) as median_steps, avg(malformed / nullif(steps, 0)) as malformed_share,
           median(ready_seconds) as median_ready_seconds, avg(seconds) as mean_seconds, avg((seconds - ready_seconds) / nullif(steps, 0)) as mean_seconds_per_step,
           sum(input_tokens)::bigint as input_tokens, sum(output_tokens)::bigint as output_tokens, sum(cost_usd) as cost_usd,
           sum(cost_usd) / nullif(count(*) filter (is_success), 0) as cost_per_success_usd
    from episodes
    where fault is null
    group by all
)
select run_id, suite, agent, start, played, mean_steps, if(half_steps is null, null, greatest(0, mean_steps - half_steps)) as mean_steps_low, mean_steps + half_steps as mean_steps_high,
       median_steps, malformed_share, median_ready_seconds, mean_seconds, if(half_seconds is null, null, greatest(0, mean_seconds - half_seconds)) as mean_seconds_low,
       mean_seconds + half_seconds as mean_seconds_high, mean_seconds_per_step, input_tokens, output_tokens, cost_usd, cost_per_success_usd
from taken left join spread using (run_id)
order by suite, agent, start, run_id;

comment on view episode_cost is 'Steps, seconds, tokens and money of each run of episodes';
comment on column episode_cost.run_id is 'Run';
comment on column episode_cost.suite is 'Suite';
comment on column episode_cost.agent is 'Agent';
comment on column episode_cost.start is 'preloaded or bare';
comment on column episode_cost.played is 'Episodes and repeats that were played to the end';
comment on column episode_cost.mean_steps is 'Mean steps';
comment on column episode_cost.mean_steps_low is 'Lower end of its 95% interval, clustered by episode; null if one episode was played';
comment on column episode_cost.mean_steps_high is 'Upper end of that interval';
comment on column episode_cost.median_steps is 'Median steps';
comment on column episode_cost.malformed_share is 'Mean share of steps without a valid action, or whose action the guest refused';
comment on column episode_cost.median_ready_seconds is 'Median seconds from an empty machine to a ready application';
comment on column episode_cost.mean_seconds is 'Mean seconds of an episode';
comment on column episode_cost.mean_seconds_low is 'Lower end of its 95% interval, clustered by episode; null if one episode was played';
comment on column episode_cost.mean_seconds_high is 'Upper end of that interval';
comment on column episode_cost.mean_seconds_per_step is 'Mean seconds of a step, with the time that the agent thinks';
comment on column episode_cost.input_tokens is 'Tokens that models read';
comment on column episode_cost.output_tokens is 'Tokens that models wrote';
comment on column episode_cost.cost_usd is 'Dollars';
comment on column episode_cost.cost_per_success_usd is 'Dollars for each success; null if there is none';
