-- User tasks of a dataset by category of the target and split.
select coalesce(category, 'several applications') as category, split, count(*) as tasks
from user_tasks where dataset_id = ?
group by all
order by category, split
