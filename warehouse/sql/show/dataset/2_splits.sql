select split, shape, count(*) as tasks, count(distinct composition_id) as compositions from user_tasks where dataset_id = $id group by all order by all
