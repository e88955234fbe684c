with tasks as (
    select s.run_id, s.composition_id, count(*) as tasks, sum(s.is_correct::int) as correct
    from scored_predictions s join compositions c using (composition_id) where list_contains(c.atomic_tasks, $id) group by all
), totals as (
    select run_id, sum(tasks) as tasks, sum(correct) as correct, sum(correct) / sum(tasks) as accuracy, count(*) as clusters from tasks group by run_id
), worth as (
    select run_id, effective_rows(any_value(n.tasks), any_value(n.clusters), any_value(n.accuracy), sum((t.correct - n.accuracy * t.tasks) ^ 2)) as rows_worth
    from tasks t join totals n using (run_id) group by run_id
)
select r.run_id, r.dataset, r.protocol, r.model, n.tasks, n.correct, n.accuracy, wilson_low(n.accuracy, w.rows_worth) as accuracy_low,
       wilson_high(n.accuracy, w.rows_worth) as accuracy_high
from totals n join worth w using (run_id) join runs r using (run_id) order by r.started_at, r.run_id
