-- The applications that a run answers best by F1, of those that tasks were made for; equal places are ties, and tied counts all that share the F1.
select rank() over (order by s.f1 desc) as place, count(*) over (partition by s.f1) as tied, s.application, a.title, s.support, s.precision, s.precision_low,
       s.precision_high, s.recall, s.recall_low, s.recall_high, s.f1, s.f1_low, s.f1_high
from application_scores s join applications a using (application)
where s.run_id = $run_id and s.support > 0
order by place, s.support desc, s.application limit 10
