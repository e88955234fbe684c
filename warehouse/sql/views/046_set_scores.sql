-- Sets of applications that runs answered, against all valid candidates of each task; intervals are normal, clustered by composition.
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
totals as (
    select run_id, count(*) as tasks, count(distinct composition_id) as clusters, avg(precision) as mean_precision, avg(recall) as mean_recall,
           avg(f1) as mean_f1, avg(exact) as exact_share, avg(set_size) as mean_set_size, avg(valid_size) as mean_valid_size
    from scored group by run_id
),
residuals as (
    select run_id, s.composition_id, sum(s.f1 - t.mean_f1) as residual from scored s join totals t using (run_id) group by all
),
errors as (
    select run_id, case when clusters > 1 then sqrt(clusters / (clusters - 1) * sum(residual ^ 2)) / tasks end as f1_error
    from residuals join totals using (run_id) group by run_id, clusters, tasks
)
select run_id, r.dataset, r.protocol, r.model, t.tasks, t.mean_precision, t.mean_recall, t.mean_f1,
       case when e.f1_error is not null then greatest(0, t.mean_f1 - 1.959964 * e.f1_error) end as mean_f1_low,
       case when e.f1_error is not null then least(1, t.mean_f1 + 1.959964 * e.f1_error) end as mean_f1_high,
       t.exact_share, t.mean_set_size, t.mean_valid_size
from totals t join errors e using (run_id) join runs r using (run_id)
order by r.dataset, r.started_at, run_id;

comment on view set_scores is 'How well the sets of applications that a run answered meet the valid ones, averaged over its tasks';
comment on column set_scores.run_id is 'Run, whose answers are sets';
comment on column set_scores.dataset is 'Name of the dataset';
comment on column set_scores.protocol is 'Protocol';
comment on column set_scores.model is 'What answered';
comment on column set_scores.tasks is 'Tasks that apply, with or without an answer';
comment on column set_scores.mean_precision is 'Mean share of the answered applications that are valid; 0 without an answer';
comment on column set_scores.mean_recall is 'Mean share of the valid candidates that are answered; 0 without an answer';
comment on column set_scores.mean_f1 is 'Mean of the harmonic mean of the two, by task';
comment on column set_scores.mean_f1_low is 'Lower end of its 95% normal interval, clustered by composition; null where all tasks share one';
comment on column set_scores.mean_f1_high is 'Upper end of that interval';
comment on column set_scores.exact_share is 'Share of the tasks whose answer is exactly the valid candidates';
comment on column set_scores.mean_set_size is 'Mean number of answered applications';
comment on column set_scores.mean_valid_size is 'Mean number of valid candidates';
