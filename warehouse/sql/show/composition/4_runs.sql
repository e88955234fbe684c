select r.run_id, r.protocol, r.model, count(*) as tasks, count(*) filter (p.is_correct) as correct
from predictions p join runs r using (run_id) join user_tasks t on t.dataset_id = r.dataset_id and t.task_id = p.task_id
where t.composition_id = $id and p.status <> 'not_applicable'
group by all order by all
