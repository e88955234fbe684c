-- Accuracy of a run over all its tasks, and over those with an answer; 95% intervals, with compositions as clusters.
with counted as (
    select 'all tasks' as tasks_taken, composition_id, is_correct::int as correct, chance from scored_predictions where run_id = $run_id
    union all
    select 'tasks with an answer', composition_id, is_correct::int, chance from scored_predictions where run_id = $run_id and status = 'answered'
), clusters as (
    select tasks_taken, composition_id, count(*) as tasks, sum(correct) as correct, sum(chance) as chance from counted group by all
), totals as (
    select tasks_taken, sum(tasks) as tasks, sum(correct) as correct, sum(correct) / sum(tasks) as accuracy, sum(chance) / sum(tasks) as chance,
           count(*) as compositions, sum(tasks ^ 2) as nn
    from clusters group by all
), squares as (
    select tasks_taken, sum((c.correct - accuracy * c.tasks) ^ 2) as squares from totals join clusters c using (tasks_taken) group by tasks_taken
)
select tasks_taken, tasks::bigint as tasks, compositions, correct::bigint as correct, accuracy, interval_low(accuracy, tasks, nn, squares) as accuracy_low,
       interval_high(accuracy, tasks, nn, squares) as accuracy_high, chance
from totals join squares using (tasks_taken) order by tasks_taken
