-- The most frequent wrong answers of one run, with three texts each.
select s.target_application, s.counted_application as answered_application, count(*) as tasks,
       (array_agg(s.text order by hash(s.task_id)))[1:3] as texts
from scored_predictions s
where s.run_id = ? and not s.is_correct
group by s.target_application, s.counted_application
order by tasks desc, s.target_application, answered_application
limit 12
