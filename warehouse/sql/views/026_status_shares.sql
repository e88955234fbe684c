-- The statuses of the predictions of every run, with intervals clustered by composition. A table, because it sums every prediction by composition.
create table status_shares as
with elsewhere as materialized (
    select p.run_id, r.dataset_id, p.task_id, p.status
    from predictions p join runs r using (run_id) where p.status = 'not_applicable' or r.answer_kind = 'graph'
),
asked as (
    select run_id, composition, status, count(*) as tasks from scored_rows group by all
    union all
    select run_id::label, composition, status::label, count(*)
    from elsewhere join user_tasks using (dataset_id, task_id) join numbered_compositions using (dataset_id, composition_id) group by all
),
clusters as (
    select run_id, composition, sum(tasks)::bigint as tasks from asked group by all
),
totals as (
    select run_id, sum(tasks)::bigint as of_run, sum(tasks * tasks)::bigint as nn from clusters group by all
),
sums as (
    select run_id, status, sum(a.tasks)::bigint as tasks, sum(a.tasks * a.tasks)::bigint as kk, sum(a.tasks * c.tasks)::bigint as kn
    from asked a join clusters c using (run_id, composition) group by all
),
shares as (
    select run_id, status, tasks, of_run, tasks / of_run as share, nn, residual_squares(tasks / of_run, kk, kn, nn) as squares
    from sums join totals using (run_id)
)
select r.run_id, r.dataset, r.protocol, r.model, status::varchar as status, tasks, share, interval_low(share, of_run, nn, squares) as share_low,
       interval_high(share, of_run, nn, squares) as share_high
from shares w join runs r on r.run_id = w.run_id::varchar
order by r.dataset, r.started_at, r.run_id, tasks desc, status;

comment on table status_shares is 'Statuses of the predictions of every run: answered, or why not';
comment on column status_shares.run_id is 'Run';
comment on column status_shares.dataset is 'Name of the dataset';
comment on column status_shares.protocol is 'Protocol';
comment on column status_shares.model is 'Model or baseline that answered';
comment on column status_shares.status is 'answered, not_in_list, refused, empty, truncated, failed or not_applicable';
comment on column status_shares.tasks is 'Predictions of that status';
comment on column status_shares.share is 'Share of all predictions of the run, also those that do not apply';
comment on column status_shares.share_low is 'Lower end of its 95% Wilson interval, clustered by composition';
comment on column status_shares.share_high is 'Upper end of that interval';
