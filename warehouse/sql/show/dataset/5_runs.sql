select r.run_id, r.protocol, r.model, r.split, r.answer_kind, a.tasks, a.accuracy, a.accuracy_low, a.accuracy_high, r.started_at
from runs r left join accuracy a using (run_id) where r.dataset_id = $id order by r.started_at, r.run_id
