-- Success by category in the shape of Windows Agent Arena's Table 4: baselines, our runs on its imported tasks, newest first, and its own figures.
with of_benchmark as (
    select *, substr(value, 22) as part from episode_success where slice = 'discipline' and starts_with(value, 'Windows Agent Arena, ')
),
counted as (
    select run_id, sum(played)::bigint as played, sum(faults)::bigint as faults from of_benchmark group by run_id
),
whole as (  -- runs that have episodes of this benchmark alone
    select s.*, 'all' as part from episode_success s join counted c using (run_id) where s.slice = 'all' and s.episodes = (
        select sum(b.episodes) from of_benchmark b where b.run_id = s.run_id
    )
),
tasks as (
    select distinct suite, episode_id, substr(discipline, 22) as part, infeasible is not null as is_infeasible
    from episodes where starts_with(discipline, 'Windows Agent Arena, ')
),
lines as (
    select false as is_theirs, 1 as kind, dense_rank() over (order by suite) as line, null as run_id, 'FAIL at every task of ' || suite as model,
           'arithmetic' as observation, coalesce(part, 'all') as part, avg(is_infeasible::integer) as success, null as success_low, null as success_high,
           null as played, null as faults
    from tasks group by grouping sets ((suite, part), (suite))
    union all
    select false, if(o.agent in ('idle', 'fail'), 2, 3), dense_rank() over (order by r.started_at desc nulls last, run_id), run_id, o.agent || ' on ' || o.suite,
           o.start, o.part, o.success, o.success_low, o.success_high, c.played, c.faults
    from (from of_benchmark union all by name from whole) o join counted c using (run_id) left join suite_runs r using (run_id)
    union all
    select true, 4, line, null, model, observation, part, success, null, null, null, null from published_success where source = 'Windows Agent Arena'
),
by_part as (
    pivot lines on part in (
    'Office' as office, 'Web Browser' as browser, 'Windows System' as system, 'Coding' as coding, 'Media & Video' as media, 'Windows Utils' as utilities,
    'all' as overall
    )
    using first(success) as success, first(success_low) as success_low, first(success_high) as success_high
)
select * from by_part order by kind, line
