-- Accuracy of two runs by the primary category of the target.
select category, case when run_id = $run_a then 'A: ' else 'B: ' end || protocol || ', ' || model as run, tasks, accuracy, accuracy_low, accuracy_high,
       chance, null as published
from accuracy_by_category where run_id in ($run_a, $run_b)
order by category, run
