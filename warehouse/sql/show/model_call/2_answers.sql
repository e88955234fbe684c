select p.run_id, p.task_id, p.status, p.is_correct, p.predicted_applications, p.said from predictions p where list_contains(p.calls, $id) order by all
