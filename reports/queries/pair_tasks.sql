-- Tasks that only one of two runs got right, eight for each, in the order of a hash.
select case when a.is_correct then 'A' else 'B' end as only_right, a.dataset_id, a.task_id, a.text, a.target_application,
       coalesce(a.predicted_application, 'no answer') as answer_a, coalesce(b.predicted_application, 'no answer') as answer_b
from scored_predictions a join scored_predictions b using (task_id)
where a.run_id = $run_a and b.run_id = $run_b and a.is_correct <> b.is_correct
qualify row_number() over (partition by a.is_correct order by hash(a.task_id)) <= 8
order by only_right, hash(a.task_id)
