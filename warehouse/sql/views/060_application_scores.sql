-- Precision, recall and F1 of every application, over target and counted answer; equal to scikit-learn's on the same pairs.
create view application_scores as
with pairs as (
    select run_id, target_application, counted_application from scored_predictions
),
per_target as (
    select run_id, target_application as application, count(*) as support, count(*) filter (counted_application = target_application) as hits
    from pairs group by all
),
per_answer as (
    select run_id, counted_application as application, count(*) as answers from pairs where counted_application <> 'no answer' group by all
)
select run_id, application, coalesce(support, 0) as support, coalesce(answers, 0) as answers, coalesce(hits, 0) as hits,
       hits / nullif(answers, 0) as precision,
       hits / nullif(support, 0) as recall,
       2 * coalesce(hits, 0) / (coalesce(support, 0) + coalesce(answers, 0)) as f1
from per_target full join per_answer using (run_id, application)
order by run_id, application;

comment on view application_scores is 'Precision, recall and F1 of every application in every run';
comment on column application_scores.run_id is 'Run';
comment on column application_scores.application is 'Application';
comment on column application_scores.support is 'Tasks made for it';
comment on column application_scores.answers is 'Answers that count as it';
comment on column application_scores.hits is 'Tasks made for it with a valid answer';
comment on column application_scores.precision is 'Hits over answers; null where it is never answered';
comment on column application_scores.recall is 'Hits over support; null where no task was made for it';
comment on column application_scores.f1 is 'Harmonic mean of precision and recall';
