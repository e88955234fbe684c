with tasks as (
    select s.run_id, s.composition_id, count(*) as tasks, sum(s.is_correct::int) as correct
    from scored_predictions s join compositions c using (composition_id) where list_contains(c.atomic_tasks, $id) group by all
), totals as (
    select run_id, sum(tasks) as tasks, sum(correct) as correct, sum(correct) / sum(tasks) as accuracy, sum(tasks ^ 2) as nn from tasks group by run_id
), squares as (
    select run_id, sum((t.correct - n.accuracy * t.tasks) ^ 2) as squares
    from tasks t join totals n using (run_id) group by run_id
)
select r.run_id, r.dataset, r.protocol, r.model, n.tasks, n.correct, n.accuracy, interval_low(n.accuracy, n.tasks, n.nn, w.squares) as accuracy_low,
       interval_high(n.accuracy, n.tasks, n.nn, w.squares) as accuracy_high
from totals n join squares w using (run_id) join runs r using (run_id) order by r.started_at, r.run_id
