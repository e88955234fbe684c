select c.run_id, r.protocol, r.model, c.answered_application, c.tasks, c.share, c.share_low, c.share_high
from application_confusion c join runs r using (run_id)
where c.target_application = $id
qualify c.answered_application <> $id and row_number() over (partition by c.run_id, c.answered_application = $id order by c.tasks desc, c.answered_application) <= 5
order by r.started_at, c.run_id, c.tasks desc, c.answered_application
