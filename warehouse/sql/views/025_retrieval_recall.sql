-- How often retrieval shows the card of an application that can do the task, by the number of cards that count.
-- A table, because it reads the retrieved cards of every prediction.
create table retrieval_recall as
with able as materialized (
    select dataset_id, task_id, composition, valid_applications
    from user_tasks join numbered_compositions using (dataset_id, composition_id) where shape = 'singleton'
),
shown as materialized (
    select p.run_id::label as run_id, composition, len(p.retrieved) as cards,
           list_position(list_transform(p.retrieved, lambda application: list_contains(t.valid_applications, application)), true) as first_valid
    from predictions p join runs r using (run_id) join able t on t.dataset_id = r.dataset_id and t.task_id = p.task_id
    where len(p.retrieved) > 0 and p.status <> 'not_applicable'
),
depths as (
    select distinct run_id, least(depth.k, deepest) as k
    from (select run_id, max(cards) as deepest from shown group by run_id), unnest([1, 3, 5, 10, 20, deepest]) as depth(k)
),
found as (
    select run_id, d.k, composition, coalesce(s.first_valid <= d.k, false)::int as hit from shown s join depths d using (run_id)
),
totals as (
    select run_id, k, count(*) as tasks, avg(hit) as recall from found group by run_id, k
),
residuals as (
    select run_id, k, composition, count(*) as rows, sum(f.hit - t.recall) as residual from found f join totals t using (run_id, k) group by all
),
sums as (
    select run_id, k, tasks, recall, sum(rows ^ 2) as nn, sum(residual ^ 2) as squares
    from residuals join totals using (run_id, k) group by run_id, k, tasks, recall
)
select run_id::varchar as run_id, k, tasks, recall, interval_low(recall, tasks, nn, squares) as recall_low, interval_high(recall, tasks, nn, squares) as recall_high
from sums
order by run_id, k;

comment on table retrieval_recall is 'Share of the tasks of a run for which retrieval found a valid application, at several depths';
comment on column retrieval_recall.run_id is 'Run, whose model was shown retrieved cards';
comment on column retrieval_recall.k is 'Number of nearest cards that count: 1, 3, 5, 10 and 20 up to the number shown, and that number';
comment on column retrieval_recall.tasks is 'Tasks that apply and for which cards were shown, with or without an answer';
comment on column retrieval_recall.recall is 'Share of the tasks with at least one valid application among those cards';
comment on column retrieval_recall.recall_low is 'Lower end of the 95% Wilson interval, clustered by composition';
comment on column retrieval_recall.recall_high is 'Upper end of that interval';
