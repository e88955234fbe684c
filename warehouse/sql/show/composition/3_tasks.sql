select task_id, dataset, split, style, naming, dropped_steps, text from user_tasks where composition_id = $id order by dataset, task_id
