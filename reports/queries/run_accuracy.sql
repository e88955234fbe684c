-- Accuracy of a run over all its tasks, and over those with an answer; 95% Wilson intervals, widened for tasks of one composition.
with counted as (
    select 'all tasks' as tasks_taken, composition_id, is_correct::int as correct, chance from scored_predictions where run_id = $run_id
    union all
    select 'tasks with an answer', composition_id, is_correct::int, chance from scored_predictions where run_id = $run_id and status = 'answered'
), clusters as (
    select tasks_taken, composition_id, count(*) as tasks, sum(correct) as correct, sum(chance) as chance from counted group by all
), totals as (
    select tasks_taken, sum(tasks) as tasks, sum(correct) as correct, sum(correct) / sum(tasks) as accuracy, sum(chance) / sum(tasks) as chance,
           count(*) as compositions
    from clusters group by all
), worth as (
    select tasks_taken, t.tasks, t.correct, accuracy, t.chance, compositions,
           effective_rows(t.tasks, compositions, accuracy, sum((c.correct - accuracy * c.tasks) ^ 2)) as rows_worth
    from totals t join clusters c using (tasks_taken) group by tasks_taken, t.tasks, t.correct, accuracy, t.chance, compositions
)
select tasks_taken, tasks::bigint as tasks, compositions, correct::bigint as correct, accuracy, wilson_low(accuracy, rows_worth) as accuracy_low,
       wilson_high(accuracy, rows_worth) as accuracy_high, chance
from worth order by tasks_taken
