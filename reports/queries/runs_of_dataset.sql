-- The newest run of each protocol, model, split and kind of answer over a dataset, with the paper's accuracy for the same model or baseline.
select l.run_id, l.protocol, l.model, l.split, l.answer_kind, c.tasks, c.accuracy, c.accuracy_low, c.accuracy_high, m.published, a.chance,
       a.tasks - a.answered as without_answer,
       c.median_ms, c.median_low_ms as median_ms_low, c.median_high_ms as median_ms_high, nullif(c.cost_usd, 0) as cost_usd, l.started_at
from latest_runs l left join accuracy a using (run_id) left join cost_and_accuracy c using (run_id) left join accuracy_by_model m using (run_id)
where l.dataset_id = $dataset_id
order by l.split desc, c.accuracy desc nulls last, l.run_id
