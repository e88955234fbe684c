-- Every application, with its tasks in a dataset.
with made as (
    select target_application as application, count(*) as tasks from user_tasks where dataset_id = $dataset_id group by target_application
), known as (
    select application, count(*) as atomic_tasks from atomic_tasks group by application
)
select a.application, a.title, a.category, a.vendor, a.platform, coalesce(k.atomic_tasks, 0) as atomic_tasks, coalesce(m.tasks, 0) as tasks
from applications a left join made m using (application) left join known k using (application)
order by a.category, a.title
