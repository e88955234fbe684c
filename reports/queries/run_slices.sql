-- Accuracy of a run over parts of its tasks; what has one part alone is left out.
select replace(slice, '_', ' ') as slice, replace(value, '_', ' ') as value, tasks, accuracy, accuracy_low, accuracy_high, chance
from accuracy_by_slice
where run_id = $run_id and slice not in ('all', 'category', 'application')
qualify count(*) over (partition by slice) > 1
order by slice, value
