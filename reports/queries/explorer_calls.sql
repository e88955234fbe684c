-- Calls behind the first 2,000 user tasks of a dataset that a language model was asked about, by task.
with first_tasks as (
    select p.task_id
    from predictions p join latest_runs r using (run_id)
    where r.dataset_id = $dataset_id and len(p.calls) > 0
    group by p.task_id
    order by min(p.position), p.task_id
    limit $tasks
)
select p.task_id, list_sort(list_distinct(flatten(list(p.calls)))) as calls
from predictions p join latest_runs r using (run_id)
where r.dataset_id = $dataset_id and p.task_id in (from first_tasks)
group by p.task_id
order by p.task_id
