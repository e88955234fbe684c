-- What user tasks are filtered by, in the order in which the explorer counts them.
select category, target_application, split, style, naming, shape, len(valid_applications)::varchar as valid
from user_tasks
where dataset_id = ?
order by category nulls last, target_application, task_id
