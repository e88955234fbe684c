-- Success of agents over all episodes and over slices of them (ProSoftArena, Table 3 and Figure 5; Windows Agent Arena, Table 4), with intervals clustered by episode.
-- Faults of the infrastructure are counted, but are in no denominator.
create view episode_success as
with sliced as (
    select run_id, suite, agent, start, episode_id, reward, is_success, is_valid_choice,
           unnest([
               {slice: 'all', value: 'all'},
               {slice: 'level', value: level},
               {slice: 'discipline', value: discipline},
               {slice: 'application', value: application},
               {slice: 'level and discipline', value: level || ', ' || discipline},
               {slice: 'level and application', value: level || ', ' || application},
               {slice: 'feasible', value: if(infeasible is null, 'yes', 'no')}
           ], recursive := true)
    from episodes
),
by_episode as (
    select run_id, suite, agent, start, slice, value, episode_id, count(is_success) as played, count(*) filter (is_success) as succeeded, sum(reward) as reward,
           count(*) - count(is_success) as faults, count(is_valid_choice) as choices, count(*) filter (is_valid_choice) as valid_choices
    from sliced group by all
),
sums as (
    select run_id, suite, agent, start, slice, value, count(*) as episodes, sum(played)::bigint as played,
           sum(succeeded)::bigint as succeeded, sum(reward) as reward, sum(faults)::bigint as faults,
           sum(succeeded * succeeded) as kk, sum(succeeded * played) as kn, sum(played * played) as nn, sum(reward * reward) as rr, sum(reward * played) as rn,
           sum(choices)::bigint as choices, sum(valid_choices)::bigint as valid_choices,
           sum(valid_choices * valid_choices) as vv, sum(valid_choices * choices) as vc, sum(choices * choices) as cc
    from by_episode group by all
),
shares as (
    select *, succeeded / nullif(played, 0) as success, reward / nullif(played, 0) as mean_reward, valid_choices / nullif(choices, 0) as choice_accuracy from sums
),
squares as (
    select *, residual_squares(success, kk, kn, nn) as of_success, residual_squares(mean_reward, rr, rn, nn) as of_reward,
           residual_squares(choice_accuracy, vv, vc, cc) as of_choices
    from shares
)
select run_id, suite, agent, start, slice, value, episodes, played, succeeded, success, interval_low(success, played, nn, of_success) as success_low,
       interval_high(success, played, nn, of_success) as success_high, mean_reward, interval_low(mean_reward, played, nn, of_reward) as mean_reward_low,
       interval_high(mean_reward, played, nn, of_reward) as mean_reward_high, faults, choices, choice_accuracy,
       interval_low(choice_accuracy, choices, cc, of_choices) as choice_accuracy_low, interval_high(choice_accuracy, choices, cc, of_choices) as choice_accuracy_high
from squares
order by suite, agent, start, run_id, slice, value;

comment on view episode_success is 'Success of each run of episodes, over all and by level, discipline, application and feasibility, with 95% intervals';
comment on column episode_success.run_id is 'Run';
comment on column episode_success.suite is 'Suite';
comment on column episode_success.agent is 'Agent';
comment on column episode_success.start is 'preloaded or bare';
comment on column episode_success.slice is 'Name of the slice';
comment on column episode_success.value is 'Value of the slice';
comment on column episode_success.episodes is 'Episodes';
comment on column episode_success.played is 'Episodes and repeats that were played to the end';
comment on column episode_success.succeeded is 'Played episodes and repeats with reward 1';
comment on column episode_success.success is 'Share of the played ones that succeeded; null if none was played';
comment on column episode_success.success_low is 'Lower end of the 95% interval, clustered by episode';
comment on column episode_success.success_high is 'Upper end of the 95% interval';
comment on column episode_success.mean_reward is 'Mean reward, where an L3 episode counts by its phases';
comment on column episode_success.mean_reward_low is 'Lower end of its 95% interval, clustered by episode';
comment on column episode_success.mean_reward_high is 'Upper end of that interval';
comment on column episode_success.faults is 'Faults of the infrastructure; they are in no denominator';
comment on column episode_success.choices is 'Bare starts in which a program was opened';
comment on column episode_success.choice_accuracy is 'Share of these starts whose first program can do the first phase';
comment on column episode_success.choice_accuracy_low is 'Lower end of its 95% interval, clustered by episode';
comment on column episode_success.choice_accuracy_high is 'Upper end of that interval';
