-- Every application, with its tasks in a dataset.
select a.application, a.title, a.category, a.vendor, a.platform, count(u.task_id) as tasks,
       (select count(*) from atomic_tasks t where t.application = a.application) as atomic_tasks
from applications a left join user_tasks u on u.target_application = a.application and u.dataset_id = $dataset_id
group by all order by a.category, a.title
