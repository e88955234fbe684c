-- Where two runs differ most: tasks of an application that only one of them got right.
select a.target_application as application, p.title, count(*) as tasks, count(*) filter (a.is_correct and not b.is_correct) as only_a_right,
       count(*) filter (b.is_correct and not a.is_correct) as only_b_right
from scored_predictions a join scored_predictions b using (task_id) join applications p on p.application = a.target_application
where a.run_id = $run_a and b.run_id = $run_b
group by all having only_a_right + only_b_right > 0
order by abs(only_a_right - only_b_right) desc, only_a_right + only_b_right desc, application limit 15
