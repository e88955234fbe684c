-- Scores of an application in the newest runs over a dataset, with 95% intervals.
select l.run_id, l.protocol, l.model, l.split, s.application, s.support, s.answers, s.recall, s.recall_low, s.recall_high, s.precision, s.precision_low, s.precision_high,
       s.f1, s.f1_low, s.f1_high
from latest_runs l join application_scores s using (run_id)
where l.dataset_id = $dataset_id and s.application = $application
order by l.split desc, s.f1 desc, l.run_id
