-- Texts on one line each, in the explorer's order.
select task_id, trim(regexp_replace(text, '\s+', ' ', 'g')) as text
from user_tasks
where dataset_id = ?
order by category nulls last, target_application, task_id
