-- What the steps of compositions are called and what they do.
select atomic_task_id, title, capability, application from atomic_tasks order by atomic_task_id
