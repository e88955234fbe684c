-- Answers of a run that asks no language model; `said` tells the terms that decided it.
select task_id, predicted_application, status, is_correct, round(latency_ms, 3) as latency_ms, said from predictions where run_id = ?
