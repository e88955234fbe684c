select dataset, task_id, paraphrase_status, narrated_text, text from user_tasks where paraphrase_call = $id order by dataset, task_id
