-- Answers of a run that asks no language model.
select task_id, predicted_application, status, is_correct, round(latency_ms, 3) as latency_ms from predictions where run_id = ?
