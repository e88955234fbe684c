-- Precision, recall and F1 of the applications of one run that tasks were made for, best first.
select s.application, a.title, a.category, s.support, s.answers, s.precision, s.recall, s.f1
from application_scores s join applications a using (application)
where s.run_id = ? and s.support > 0
order by s.f1 desc, s.support desc, s.application
