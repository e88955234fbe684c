select paraphrase_status, count(*) as tasks from user_tasks where dataset_id = $id and paraphrase_status is not null group by all order by all
