-- Some tasks made for an application, in the order of their ids, which are hashes.
select dataset_id, task_id, text, split, len(valid_applications) as valid, array_to_string(valid_applications, ', ') as valid_applications
from user_tasks where dataset_id = $dataset_id and target_application = $application and shape = 'singleton' order by task_id limit 10
