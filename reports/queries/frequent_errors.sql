-- The most frequent wrong answers of a run, with three tasks each.
select run_id, target_application, counted_application as answered_application, count(*) as tasks,
       (array_agg({'task_id': task_id, 'text': text} order by hash(task_id)))[1:3] as examples
from scored_predictions
where run_id = $run_id and not is_correct
group by all
order by tasks desc, target_application, answered_application
limit 12
