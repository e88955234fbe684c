select atomic_task_id, title, capability, len(capable_applications) as capable_applications, phrasings from atomic_tasks where application = $id order by atomic_task_id
