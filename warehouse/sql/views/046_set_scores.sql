-- Sets of applications that runs answered, against all valid candidates of each task; intervals are clustered by composition.
create view set_scores as
with answers as (
    select p.run_id, t.composition_id, list_distinct(p.predicted_applications) as answered,
           list_intersect(t.valid_applications, r.candidates) as valid
    from predictions p join runs r using (run_id) join user_tasks t on t.dataset_id = r.dataset_id and t.task_id = p.task_id
    where r.answer_kind = 'set' and p.status <> 'not_applicable' and t.shape = 'singleton'
),
sizes as (
    select run_id, composition_id, len(answered) as set_size, len(valid) as valid_size, len(list_intersect(answered, valid)) as hits from answers
),
scored as (
    select *, coalesce(hits / nullif(set_size, 0), 0) as precision, hits / valid_size as recall, 2 * hits / (set_size + valid_size) as f1,
           (hits = set_size and hits = valid_size)::int as exact
    from sizes
),
means as (
    select run_id, count(*) as tasks, avg(precision) as mean_precision, avg(recall) as mean_recall, avg(f1) as mean_f1, avg(exact) as exact_share,
           avg(set_size) as mean_set_size, avg(valid_size) as mean_valid_size
    from scored group by run_id
),
residuals as (
    select run_id, s.composition_id, count(*) as rows, sum(s.precision - m.mean_precision) as of_precision, sum(s.recall - m.mean_recall) as of_recall,
           sum(s.f1 - m.mean_f1) as of_f1, sum(s.exact - m.exact_share) as of_exact
    from scored s join means m using (run_id) group by all
),
squares as (
    select run_id, sum(rows ^ 2) as nn, sum(of_precision ^ 2) as of_precision, sum(of_recall ^ 2) as of_recall, sum(of_f1 ^ 2) as of_f1,
           sum(of_exact ^ 2) as of_exact
    from residuals group by run_id
)
select run_id, r.dataset, r.protocol, r.model, m.tasks,
       m.mean_precision, interval_low(m.mean_precision, m.tasks, s.nn, s.of_precision) as mean_precision_low,
       interval_high(m.mean_precision, m.tasks, s.nn, s.of_precision) as mean_precision_high,
       m.mean_recall, interval_low(m.mean_recall, m.tasks, s.nn, s.of_recall) as mean_recall_low,
       interval_high(m.mean_recall, m.tasks, s.nn, s.of_recall) as mean_recall_high,
       m.mean_f1, interval_low(m.mean_f1, m.tasks, s.nn, s.of_f1) as mean_f1_low, interval_high(m.mean_f1, m.tasks, s.nn, s.of_f1) as mean_f1_high,
       m.exact_share, interval_low(m.exact_share, m.tasks, s.nn, s.of_exact) as exact_low,
       interval_high(m.exact_share, m.tasks, s.nn, s.of_exact) as exact_high,
       m.mean_set_size, m.mean_valid_size
from means m join squares s using (run_id) join runs r using (run_id)
order by r.dataset, r.started_at, run_id;

comment on view set_scores is 'Scores of the answered sets of applications against the valid ones, as means over the tasks of each run';
comment on column set_scores.run_id is 'Run, whose answers are sets';
comment on column set_scores.dataset is 'Name of the dataset';
comment on column set_scores.protocol is 'Protocol';
comment on column set_scores.model is 'Model or baseline that answered';
comment on column set_scores.tasks is 'Tasks that apply, with or without an answer';
comment on column set_scores.mean_precision is 'Mean share of the answered applications that are valid; 0 without an answer';
comment on column set_scores.mean_precision_low is 'Lower end of its 95% interval, clustered by composition; null if all tasks share one';
comment on column set_scores.mean_precision_high is 'Upper end of that interval';
comment on column set_scores.mean_recall is 'Mean share of the valid candidates that are answered; 0 without an answer';
comment on column set_scores.mean_recall_low is 'Lower end of its 95% interval, clustered by composition; null if all tasks share one';
comment on column set_scores.mean_recall_high is 'Upper end of that interval';
comment on column set_scores.mean_f1 is 'Mean over tasks of the harmonic mean of precision and recall';
comment on column set_scores.mean_f1_low is 'Lower end of its 95% interval, clustered by composition; null if all tasks share one';
comment on column set_scores.mean_f1_high is 'Upper end of that interval';
comment on column set_scores.exact_share is 'Share of the tasks whose answer is exactly the valid candidates';
comment on column set_scores.exact_low is 'Lower end of its 95% Wilson interval, clustered by composition';
comment on column set_scores.exact_high is 'Upper end of that interval';
comment on column set_scores.mean_set_size is 'Mean number of answered applications';
comment on column set_scores.mean_valid_size is 'Mean number of valid candidates';
