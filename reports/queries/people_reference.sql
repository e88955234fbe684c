-- What people reach in the reference runs, and the published figures of ProSoftArena (Table 2) by level.
select false as is_theirs, suite, slice, value, people, played, success, success_low, success_high, mean_steps, mean_steps_low, mean_steps_high, mean_seconds, mean_seconds_low, mean_seconds_high
from human_reference
union all by name
select true as is_theirs, source as suite, if(subject = 'all', 'all', 'level') as slice, subject as value, max(value) filter (measure = 'mean_steps') as mean_steps,
       max(value) filter (measure = 'mean_seconds') as mean_seconds
from published_figures where source = 'ProSoftArena' and place = 'Table 2' and measure in ('mean_steps', 'mean_seconds') group by all
order by is_theirs, suite, slice = 'application', slice, value
