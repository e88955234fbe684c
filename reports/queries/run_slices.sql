-- Accuracy of a run over parts of its tasks.
select slice, value, tasks, accuracy, accuracy_low, accuracy_high, chance
from accuracy_by_slice
where run_id = $run_id and slice not in ('all', 'category', 'application')
order by slice, value
