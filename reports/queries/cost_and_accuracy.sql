-- Dollars per 1,000 tasks and accuracy of the runs of a dataset and split that cost something.
select l.run_id, l.model, l.protocol, a.tasks, a.cost_usd, 1000 * a.cost_usd / a.tasks as dollars_per_1000, a.accuracy, a.accuracy_low, a.accuracy_high
from latest_runs l join accuracy a using (run_id)
where l.dataset_id = $dataset_id and l.split = $split and l.answer_kind = 'application' and a.cost_usd > 0
order by dollars_per_1000, l.run_id
