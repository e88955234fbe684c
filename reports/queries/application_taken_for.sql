-- What an application is taken for: wrong answers to its tasks in the newest runs over a dataset.
select c.target_application as target, c.answered_application as answer, coalesce(a.title, c.answered_application) as title, a.category,
       sum(c.tasks)::bigint as answers, count(*) as runs, max_by(c.run_id, c.tasks) as run_id, max(c.tasks) as most
from application_confusion c join latest_runs l using (run_id) left join applications a on a.application = c.answered_application
where l.dataset_id = $dataset_id and l.protocol <> 'random' and c.target_application = $application and c.answered_application <> $application
group by all order by answers desc, answer limit 20
