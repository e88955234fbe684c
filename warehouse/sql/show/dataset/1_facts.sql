select dataset, title, built_at, user_tasks, rows_made, rows_rejected from datasets where dataset_id = $id
