-- Of every pair of some runs, in their order and by composition: tasks that both were scored on, and who was right on them.
with answers as (
    select list_position($1, run_id) as place, run_id, task_id, composition_id, is_correct from scored_predictions where list_contains($1, run_id)
)
select a.run_id as run_a, b.run_id as run_b, a.composition_id, count(*) as tasks,
       count(*) filter (a.is_correct and b.is_correct) as both_right,
       count(*) filter (a.is_correct and not b.is_correct) as only_a_right,
       count(*) filter (b.is_correct and not a.is_correct) as only_b_right
from answers a join answers b on a.task_id = b.task_id and a.place < b.place
group by a.place, b.place, a.run_id, b.run_id, a.composition_id
order by a.place, b.place, a.composition_id
