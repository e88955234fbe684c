-- Dollars per 1,000 tasks and accuracy of the runs over one split of a dataset that cost something; on the front, no other is both cheaper and better.
select run_id, model, protocol, tasks, cost_usd, dollars_per_1000, dollars_per_1000_low, dollars_per_1000_high, accuracy, accuracy_low, accuracy_high,
       if(is_on_pareto_front, 'yes', 'no') as on_front
from cost_and_accuracy
where dataset_id = $dataset_id and split = $split and answer_kind = 'application' and cost_usd > 0
order by dollars_per_1000, run_id
