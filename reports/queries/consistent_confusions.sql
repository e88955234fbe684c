-- Wrong answers that at least three models give alike over a dataset (AppSelectBench, section 6.3).
select target_application, predicted_application, models, runs, distinct_tasks, tasks, array_to_string(model_names, ', ') as model_names
from consistent_confusions where dataset_id = $dataset_id
order by models desc, tasks desc, target_application, predicted_application limit 40
