with known as (
    select task, suite, instruction, level, discipline, applications, valid_applications, step_budget, infeasible from suite_episodes where episode_id = $id
    union all
    select null, suite, instruction, level, discipline, applications, valid_applications, step_budget, infeasible from episodes where episode_id = $id
)
select max(task) as task, list_sort(list(distinct suite)) as suites, first(instruction) as instruction, first(level) as level, first(discipline) as discipline,
       first(applications) as applications, max(valid_applications) as valid_applications, first(step_budget) as step_budget, max(infeasible) as infeasible
from known
