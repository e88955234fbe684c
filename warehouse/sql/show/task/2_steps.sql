with steps as (
    select distinct unnest(c.atomic_tasks) as atomic_task_id, generate_subscripts(c.atomic_tasks, 1) - 1 as position, t.dropped_steps
    from user_tasks t join compositions c using (composition_id) where t.task_id = $id
)
select s.position, s.atomic_task_id, a.title, a.capability, not list_contains(s.dropped_steps, s.position) as is_said
from steps s left join atomic_tasks a using (atomic_task_id)
order by s.position
