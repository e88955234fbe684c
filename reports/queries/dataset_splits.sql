-- User tasks of a dataset by split and shape.
select split, count(*) as tasks, count(*) filter (shape = 'singleton') as singletons, count(*) filter (shape = 'sequential') as sequential,
       count(*) filter (shape = 'parallel') as parallel, count(distinct composition_id) as compositions
from user_tasks where dataset_id = $dataset_id group by split order by split
