-- Scores of an application in the newest runs over a dataset, with 95% intervals.
select l.run_id, l.protocol, l.model, l.split, s.support, s.answers, b.accuracy, b.accuracy_low, b.accuracy_high,
       s.precision, wilson_low(s.precision, s.answers) as precision_low, wilson_high(s.precision, s.answers) as precision_high, s.f1, s.application
from latest_runs l join application_scores s using (run_id) left join accuracy_by_application b using (run_id, application)
where l.dataset_id = $dataset_id and s.application = $application
order by l.split desc, s.f1 desc, l.run_id
