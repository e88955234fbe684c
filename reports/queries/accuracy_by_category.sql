-- Accuracy by category of the newest runs over a dataset, with the paper's for the same baseline.
select c.category, c.protocol, c.model, c.run_id, c.tasks, c.accuracy, c.accuracy_low, c.accuracy_high, c.chance, p.accuracy as published
from accuracy_by_category c
join latest_runs l using (run_id)
left join published_accuracy p on p.category = c.category and p.protocol = c.protocol
     and p.model in ('Random Selector', 'Rule-based Heuristic')
where l.dataset_id = ?
order by c.category, c.protocol
