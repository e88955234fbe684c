-- Success by application at one level, in the shape of ProSoftArena's Figure 5; of several runs of one agent over a suite only the newest.
select substr(s.value, 5) as application, s.agent || ' on ' || s.suite || if(s.start = 'bare', ', bare', '') as run, s.run_id, s.played,
       s.success as accuracy, s.success_low as accuracy_low, s.success_high as accuracy_high, null::double as published
from episode_success s left join suite_runs r using (run_id)
where s.slice = 'level and application' and s.value like $level || ',%' and s.played > 0
qualify dense_rank() over (partition by s.suite, s.agent, s.start order by r.started_at desc nulls last, s.run_id) = 1
order by application, run
