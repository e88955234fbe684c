-- The composition of each user task, by which intervals are widened; in the explorer's order.
select composition_id from user_tasks where dataset_id = ? order by category nulls last, target_application, task_id
