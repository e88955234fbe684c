-- Figure 3: how many applications of the catalog have each category as their primary one, and how many of them have tasks in a dataset.
select a.category, count(*) as applications, count(u.target_application) as with_tasks, coalesce(sum(u.tasks), 0)::bigint as tasks
from applications a
left join (select target_application, count(*) as tasks from user_tasks where dataset_id = $dataset_id group by all) u on u.target_application = a.application
group by all order by applications desc, a.category
