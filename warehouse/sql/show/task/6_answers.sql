select r.run_id, r.protocol, r.model, p.status, p.is_correct, coalesce(p.predicted_application, array_to_string(p.predicted_applications, ', ')) as answer,
       p.said, p.cost_usd, p.latency_ms, p.calls
from predictions p join runs r using (run_id)
where p.task_id = $id and r.dataset_id in (select dataset_id from user_tasks where task_id = $id)
order by r.started_at, r.run_id
