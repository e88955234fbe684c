-- The applications that a run answers worst by F1, of those that tasks were made for; equal ranks are ties, and tied counts all that share the F1.
select rank() over (order by s.f1 asc) as place, count(*) over (partition by s.f1) as tied, s.application, a.title, a.category, s.support,
       s.precision, wilson_low(s.precision, s.answers) as precision_low, wilson_high(s.precision, s.answers) as precision_high,
       s.recall, wilson_low(s.recall, s.support) as recall_low, wilson_high(s.recall, s.support) as recall_high, s.f1
from application_scores s join applications a using (application)
where s.run_id = $run_id and s.support > 0
order by place, s.support desc, s.application limit 10
