-- What people change (ProSoftArena, Section 6.4 and Table 5): success, steps, interventions and the seconds of people, with people and without.
-- Faults of the infrastructure count in nothing. Intervals are clustered by episode; those of means are normal.
create view with_people as
with helped as (
    select run_id, episode_id, repeat, count(*) filter (person <> '') as interventions, sum(seconds - waited_seconds) filter (person <> '') as seconds,
           count(*) filter (initiated_by = 'agent') as calls
    from interventions group by all
),
played as (
    select e.run_id, e.suite, e.agent, coalesce(r.people, 'alone') as mode, r.is_scripted, r.started_at, e.level, e.episode_id, e.is_success::integer as succeeded, e.steps,
           coalesce(h.interventions, 0) as interventions, coalesce(h.seconds, 0) as seconds, coalesce(h.calls, 0) as calls
    from episodes e join suite_runs r using (run_id) left join helped h using (run_id, episode_id, repeat)
    where e.fault is null and e.agent <> 'person'
),
by_episode as (
    select run_id, suite, agent, mode, is_scripted, started_at, unnest([level, 'all']) as level, episode_id, n, k, steps, interventions, seconds, calls
    from (
        select run_id, suite, agent, mode, is_scripted, started_at, level, episode_id, count(*) as n, sum(succeeded) as k, sum(steps) as steps,
               sum(interventions) as interventions, sum(seconds) as seconds, sum(calls) as calls
        from played group by all
    )
),
sums as (
    select run_id, suite, agent, mode, is_scripted, started_at, level, count(*) as c, sum(n) as played, sum(n * n) as nn,
           sum(k) / sum(n) as success, sum(steps) / sum(n) as mean_steps, sum(interventions) / sum(n) as mean_interventions, sum(seconds) / sum(n) as mean_seconds,
           sum(k * k) as kk, sum(k * n) as kn, sum(steps * steps) as ss, sum(steps * n) as sn, sum(interventions * interventions) as ii, sum(interventions * n) as inn,
           sum(seconds * seconds) as tt, sum(seconds * n) as tn, sum(calls)::bigint as calls, sum(interventions)::bigint as interventions
    from by_episode group by all
),
halves as (
    select *, residual_squares(success, kk, kn, nn) as of_success,
           mean_half_width(played, c, residual_squares(mean_steps, ss, sn, nn)) as half_steps,
           mean_half_width(played, c, residual_squares(mean_interventions, ii, inn, nn)) as half_interventions,
           mean_half_width(played, c, residual_squares(mean_seconds, tt, tn, nn)) as half_seconds
    from sums
)
select run_id, suite, agent, mode, is_scripted, started_at, level, played::bigint as played, success, interval_low(success, played, nn, of_success) as success_low,
       interval_high(success, played, nn, of_success) as success_high,
       mean_steps, if(half_steps is null, null, greatest(0, mean_steps - half_steps)) as mean_steps_low, mean_steps + half_steps as mean_steps_high,
       interventions, calls, mean_interventions, if(half_interventions is null, null, greatest(0, mean_interventions - half_interventions)) as mean_interventions_low,
       mean_interventions + half_interventions as mean_interventions_high,
       mean_seconds, if(half_seconds is null, null, greatest(0, mean_seconds - half_seconds)) as mean_seconds_low, mean_seconds + half_seconds as mean_seconds_high
from halves
order by suite, agent, level = 'all', level, mode, run_id;

comment on view with_people is 'Success, steps, interventions and seconds of people for each run of an agent by level, with people and without, with 95% intervals';
comment on column with_people.run_id is 'Run';
comment on column with_people.suite is 'Suite';
comment on column with_people.agent is 'Agent';
comment on column with_people.mode is 'alone, takeover (people could take over) or assistance (the agent could ask, too)';
comment on column with_people.is_scripted is 'Whether a script plays';
comment on column with_people.started_at is 'When the run first started';
comment on column with_people.level is 'Level, or all';
comment on column with_people.played is 'Episodes and repeats that were played to the end';
comment on column with_people.success is 'Share of them that succeeded';
comment on column with_people.success_low is 'Lower end of its 95% interval, clustered by episode';
comment on column with_people.success_high is 'Upper end of that interval';
comment on column with_people.mean_steps is 'Mean steps of the agent';
comment on column with_people.mean_steps_low is 'Lower end of its 95% interval; null if one episode was played';
comment on column with_people.mean_steps_high is 'Upper end of that interval';
comment on column with_people.interventions is 'Interventions in which a person came';
comment on column with_people.calls is 'How often the agent asked, answered or not';
comment on column with_people.mean_interventions is 'Interventions for each played episode (HIC in Table 5)';
comment on column with_people.mean_interventions_low is 'Lower end of its 95% interval; null if one episode was played';
comment on column with_people.mean_interventions_high is 'Upper end of that interval';
comment on column with_people.mean_seconds is 'Seconds of people at work for each played episode, without the waiting (HIT in Table 5)';
comment on column with_people.mean_seconds_low is 'Lower end of its 95% interval; null if one episode was played';
comment on column with_people.mean_seconds_high is 'Upper end of that interval';
