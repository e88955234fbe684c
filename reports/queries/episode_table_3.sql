-- Success by level and discipline in the shape of ProSoftArena's Table 3: our runs, newest first, and below them its own figures.
pivot (
    select false as is_theirs, dense_rank() over (order by r.started_at desc nulls last, s.run_id) as line, s.run_id, s.suite, s.agent, s.start as shown,
           left(s.value, 2) || case when s.slice = 'level' then ' overall' else substr(s.value, 4) end as part, s.success, s.success_low, s.success_high
    from episode_success s left join suite_runs r using (run_id)
    where s.slice in ('level', 'level and discipline')
    union all
    select true, line, null, source, model, observation, level || if(part = 'all', ' overall', ' ' || part), success, null, null
    from published_success where source = 'ProSoftArena'
)
on part in (
    'L1 Art & Design' as art_1, 'L2 Art & Design' as art_2, 'L1 Business' as business_1, 'L2 Business' as business_2,
    'L1 Science' as science_1, 'L2 Science' as science_2, 'L1 Health & Medicine' as medicine_1, 'L2 Health & Medicine' as medicine_2,
    'L1 Humanities & Social Science' as social_1, 'L2 Humanities & Social Science' as social_2,
    'L1 Technology & Engineering' as technology_1, 'L2 Technology & Engineering' as technology_2,
    'L1 overall' as overall_1, 'L2 overall' as overall_2, 'L3 overall' as overall_3
)
using first(success) as success, first(success_low) as success_low, first(success_high) as success_high
order by is_theirs, line
