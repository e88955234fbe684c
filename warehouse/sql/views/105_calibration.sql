-- Whether an agent asks where it would fail (ProSoftArena, Section 6.4): runs in which it could ask, beside the same agent alone on the same episodes.
-- It fails alone where it failed at least as often as it succeeded. An episode of a run is one observation; it asked if it asked in any repeat.
-- A run whose agent was never played alone has a row, too: then there is nothing to compare with, and its shares are null.
create view calibration as
with alone as (
    select e.suite, e.agent, e.episode_id, avg(e.is_success::integer) <= 0.5 as fails
    from episodes e join suite_runs r using (run_id) where r.people is null and e.fault is null group by all
),
asking as (
    select e.run_id, e.suite, e.agent, e.episode_id, bool_or(i.asked is not null) as asked
    from episodes e join suite_runs r using (run_id)
    left join (select distinct run_id, episode_id, repeat, true as asked from interventions where initiated_by = 'agent') i using (run_id, episode_id, repeat)
    where r.people = 'assistance' and e.fault is null group by all
),
counts as (
    select run_id, suite, agent, count(fails) as episodes, count(*) - count(fails) as never_alone,
           count(*) filter (asked and fails) as asked_fails, count(*) filter (asked and not fails) as asked_succeeds,
           count(*) filter (not asked and fails) as silent_fails, count(*) filter (not asked and not fails) as silent_succeeds
    from asking left join alone using (suite, agent, episode_id) group by all
),
sums as (
    select *, asked_fails + silent_fails as fails, asked_succeeds + silent_succeeds as succeeds, asked_fails + asked_succeeds as asked from counts
),
shares as (select *, asked_fails / nullif(fails, 0) as recall, asked_succeeds / nullif(succeeds, 0) as false_alarms, asked_fails / nullif(asked, 0) as precision from sums)
select run_id, suite, agent, episodes, never_alone, asked_fails, asked_succeeds, silent_fails, silent_succeeds,
       recall, interval_low(recall, fails, fails, fails * recall * (1 - recall)) as recall_low,
       interval_high(recall, fails, fails, fails * recall * (1 - recall)) as recall_high,
       false_alarms, interval_low(false_alarms, succeeds, succeeds, succeeds * false_alarms * (1 - false_alarms)) as false_alarms_low,
       interval_high(false_alarms, succeeds, succeeds, succeeds * false_alarms * (1 - false_alarms)) as false_alarms_high,
       precision, interval_low(precision, asked, asked, asked * precision * (1 - precision)) as precision_low,
       interval_high(precision, asked, asked, asked * precision * (1 - precision)) as precision_high
from shares
order by suite, agent, run_id;

comment on view calibration is 'How often an agent that could ask asked where it fails alone, by episodes that it played both ways, with 95% intervals';
comment on column calibration.run_id is 'Run in which it could ask';
comment on column calibration.suite is 'Suite';
comment on column calibration.agent is 'Agent';
comment on column calibration.episodes is 'Episodes that the agent played in this run and alone; they are the four counts';
comment on column calibration.never_alone is 'Episodes of this run that it never played alone: nothing is known about them';
comment on column calibration.asked_fails is 'Episodes in which it asked, and fails alone, at least as often as not';
comment on column calibration.asked_succeeds is 'Episodes in which it asked, and succeeds alone';
comment on column calibration.silent_fails is 'Episodes in which it did not ask, and fails alone';
comment on column calibration.silent_succeeds is 'Episodes in which it did not ask, and succeeds alone';
comment on column calibration.recall is 'Share of the episodes in which it fails alone, in which it asked';
comment on column calibration.recall_low is 'Lower end of its 95% interval';
comment on column calibration.recall_high is 'Upper end of that interval';
comment on column calibration.false_alarms is 'Share of the episodes in which it succeeds alone, in which it asked';
comment on column calibration.false_alarms_low is 'Lower end of its 95% interval';
comment on column calibration.false_alarms_high is 'Upper end of that interval';
comment on column calibration.precision is 'Share of the episodes in which it asked, in which it fails alone';
comment on column calibration.precision_low is 'Lower end of its 95% interval';
comment on column calibration.precision_high is 'Upper end of that interval';
