-- Agents with people and without, in the shape of ProSoftArena's Table 5: runs of agents that people also helped, newest first, and below them its own figures.
with helped as (select distinct suite, agent from with_people where mode <> 'alone'),
theirs as (
    pivot (
        select split_part(subject, ', ', 1) as agent, split_part(subject, ', ', 2) as level, split_part(subject, ', ', 3) as mode, measure, value
        from published_figures where source = 'ProSoftArena' and place = 'Table 5'
    )
    on measure in ('success', 'steps' as mean_steps, 'interventions' as mean_interventions, 'seconds' as mean_seconds) using first(value)
)
select false as is_theirs, run_id, suite, agent, level, mode, played, success, success_low, success_high, mean_steps, mean_steps_low, mean_steps_high,
       mean_interventions, mean_interventions_low, mean_interventions_high, calls, mean_seconds, mean_seconds_low, mean_seconds_high
from with_people join helped using (suite, agent)
union all by name
select true as is_theirs, 'ProSoftArena' as suite, * from theirs
order by is_theirs, suite, agent, level, mode = 'assistance', mode
