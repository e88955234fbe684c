-- The published suites in the shape of ProSoftArena's Table 2, by level and as a whole, and below them its own figures.
with ours as (
    select suite, coalesce(level, 'all') as level, count(*) as tasks, count(*) filter (infeasible is not null) as infeasible,
           count(*) filter (difficulty = 'easy') as easy, count(*) filter (difficulty = 'medium') as medium, count(*) filter (difficulty = 'hard') as hard,
           count(distinct discipline) as disciplines, count(distinct subfield) as subfields, count(distinct applications[1]) as applications,
           avg(oracle_lines) filter (infeasible is null) as mean_steps, min(oracle_lines) filter (infeasible is null) as least_steps,
           max(oracle_lines) filter (infeasible is null) as most_steps,
           avg(oracle_seconds) as mean_seconds, min(oracle_seconds) as least_seconds, max(oracle_seconds) as most_seconds
    from suite_episodes group by grouping sets ((suite, level), (suite))
),
theirs as (
    pivot (select source as suite, subject as level, measure, value from published_figures where source = 'ProSoftArena' and place = 'Table 2')
    on measure in ('tasks', 'easy', 'medium', 'hard', 'disciplines', 'subfields', 'applications', 'mean_steps', 'least_steps', 'most_steps',
                   'mean_seconds', 'least_seconds', 'most_seconds')
    using first(value)
)
select false as is_theirs, *, tasks / sum(tasks) filter (level <> 'all') over (partition by suite) as share from ours
union all by name
select true as is_theirs, * replace (tasks::bigint as tasks, easy::bigint as easy, medium::bigint as medium, hard::bigint as hard,
                                     disciplines::bigint as disciplines, subfields::bigint as subfields, applications::bigint as applications,
                                     least_steps::bigint as least_steps, most_steps::bigint as most_steps),
       tasks / sum(tasks) filter (level <> 'all') over () as share
from theirs
order by is_theirs, suite, level = 'all', level
