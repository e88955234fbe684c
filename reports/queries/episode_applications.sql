-- Success by application in the shape of Windows Agent Arena's Table 4, with the applications of our runs, newest first.
pivot (
    select r.started_at, s.run_id, s.suite, s.agent, s.start, s.value, s.success, s.success_low, s.success_high
    from episode_success s left join suite_runs r using (run_id)
    where s.slice in ('application', 'all')
)
on value
using first(success) as success, first(success_low) as success_low, first(success_high) as success_high
order by started_at desc nulls last, run_id
