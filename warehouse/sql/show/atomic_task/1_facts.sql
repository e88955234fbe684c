select application, title, capability, capable_applications, generic, phrasings from atomic_tasks where atomic_task_id = $id
