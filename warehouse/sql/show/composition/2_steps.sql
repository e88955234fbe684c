with steps as (
    select unnest(atomic_tasks) as atomic_task_id, generate_subscripts(atomic_tasks, 1) - 1 as position from compositions where composition_id = $id
)
select s.position, s.atomic_task_id, a.title, a.capability, a.capable_applications
from steps s left join atomic_tasks a using (atomic_task_id) order by s.position
