select dataset, dataset_id, split, count(*) as tasks, avg(len(valid_applications)) as mean_valid_applications
from user_tasks where target_application = $id group by all order by all
