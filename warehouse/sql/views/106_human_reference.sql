-- What people reach (ProSoftArena, Table 2; Windows Agent Arena, Section 4): success, steps and seconds of the reference runs, by level and by application.
-- Steps and seconds are of those that succeeded, as in the papers. Intervals are clustered by episode; those of means are normal.
create view human_reference as
with sliced as (
    select suite, episode_id, person, is_success::integer as succeeded, if(is_success, steps, null) as steps, if(is_success, seconds, null) as seconds,
           unnest([{slice: 'all', value: 'all'}, {slice: 'level', value: level}, {slice: 'application', value: application}], recursive := true)
    from demonstrations where is_success is not null
),
by_episode as (
    select suite, slice, value, episode_id, count(*) as n, sum(succeeded) as k, coalesce(sum(steps), 0) as steps, coalesce(sum(seconds), 0) as seconds
    from sliced group by all
),
sums as (
    select suite, slice, value, count(*) as episodes, sum(n) as played, sum(n * n) as nn, sum(k) as succeeded, sum(k) / sum(n) as success, sum(k * k) as kk, sum(k * n) as kn,
           count(*) filter (k > 0) as c, sum(steps) / nullif(sum(k), 0) as mean_steps, sum(seconds) / nullif(sum(k), 0) as mean_seconds,
           sum(steps * steps) as ss, sum(steps * k) as sk, sum(seconds * seconds) as tt, sum(seconds * k) as tk
    from by_episode group by all
),
spread as (
    select suite, slice, value, count(distinct person) as people, min(steps) as least_steps, max(steps) as most_steps, min(seconds) as least_seconds, max(seconds) as most_seconds
    from sliced group by all
),
halves as (
    select *, residual_squares(success, kk, kn, nn) as of_success, mean_half_width(succeeded, c, residual_squares(mean_steps, ss, sk, kk)) as half_steps,
           mean_half_width(succeeded, c, residual_squares(mean_seconds, tt, tk, kk)) as half_seconds
    from sums
)
select suite, slice, value, people, episodes, played::bigint as played, success, interval_low(success, played, nn, of_success) as success_low,
       interval_high(success, played, nn, of_success) as success_high, mean_steps, if(half_steps is null, null, greatest(0, mean_steps - half_steps)) as mean_steps_low,
       mean_steps + half_steps as mean_steps_high, least_steps, most_steps, mean_seconds,
       if(half_seconds is null, null, greatest(0, mean_seconds - half_seconds)) as mean_seconds_low, mean_seconds + half_seconds as mean_seconds_high, least_seconds, most_seconds
from halves join spread using (suite, slice, value)
order by suite, slice <> 'all', slice, value;

comment on view human_reference is 'What people reach in the reference runs of each suite, over all and by level and application, with 95% intervals';
comment on column human_reference.suite is 'Suite';
comment on column human_reference.slice is 'all, level or application';
comment on column human_reference.value is 'Value of the slice';
comment on column human_reference.people is 'People who played';
comment on column human_reference.episodes is 'Episodes';
comment on column human_reference.played is 'Reference runs of them, without faults of the infrastructure';
comment on column human_reference.success is 'Share of them that succeeded';
comment on column human_reference.success_low is 'Lower end of its 95% interval, clustered by episode';
comment on column human_reference.success_high is 'Upper end of that interval';
comment on column human_reference.mean_steps is 'Mean actions of those that succeeded';
comment on column human_reference.mean_steps_low is 'Lower end of its 95% interval; null for one episode';
comment on column human_reference.mean_steps_high is 'Upper end of that interval';
comment on column human_reference.least_steps is 'Fewest actions';
comment on column human_reference.most_steps is 'Most actions';
comment on column human_reference.mean_seconds is 'Mean seconds of those that succeeded';
comment on column human_reference.mean_seconds_low is 'Lower end of its 95% interval; null for one episode';
comment on column human_reference.mean_seconds_high is 'Upper end of that interval';
comment on column human_reference.least_seconds is 'Fewest seconds';
comment on column human_reference.most_seconds is 'Most seconds';
