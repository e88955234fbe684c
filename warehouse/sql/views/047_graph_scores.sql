-- Graphs of applications that runs answered (AppSelectBench, section 3), by shape; no answer scores 0. Intervals are clustered by composition.
create view graph_scores as
with scored as (
    select p.run_id, t.composition_id, unnest([t.shape, 'all']) as shape, coalesce(p.node_precision, 0) as node_precision,
           coalesce(p.node_recall, 0) as node_recall, coalesce(p.node_f1, 0) as node_f1,
           coalesce(p.edge_f1, case when len(t.edges) > 0 then 0 end) as edge_f1, coalesce(p.is_exact, false)::int as exact, p.kendall_tau
    from predictions p join runs r using (run_id) join user_tasks t on t.dataset_id = r.dataset_id and t.task_id = p.task_id
    where r.answer_kind = 'graph' and p.status <> 'not_applicable'
),
totals as (
    select run_id, shape, count(*) as tasks, count(distinct composition_id) as clusters, avg(node_precision) as node_precision,
           avg(node_recall) as node_recall, avg(node_f1) as node_f1, avg(edge_f1) as edge_f1, avg(exact) as exact_share,
           avg(kendall_tau) as kendall_tau, count(kendall_tau) as chains
    from scored group by run_id, shape
),
residuals as (
    select run_id, shape, s.composition_id, sum(s.node_f1 - t.node_f1) as f1_residual, sum(s.exact - t.exact_share) as exact_residual
    from scored s join totals t using (run_id, shape) group by all
),
errors as (
    select run_id, shape, case when clusters > 1 then sqrt(clusters / (clusters - 1) * sum(f1_residual ^ 2)) / tasks end as f1_error,
           effective_rows(tasks, clusters, exact_share, sum(exact_residual ^ 2)) as exact_rows
    from residuals join totals using (run_id, shape) group by run_id, shape, clusters, tasks, exact_share
)
select run_id, r.dataset, r.protocol, r.model, shape, t.tasks, t.node_precision, t.node_recall, t.node_f1,
       case when e.f1_error is not null then greatest(0, t.node_f1 - 1.959964 * e.f1_error) end as node_f1_low,
       case when e.f1_error is not null then least(1, t.node_f1 + 1.959964 * e.f1_error) end as node_f1_high,
       t.edge_f1, t.exact_share, wilson_low(t.exact_share, e.exact_rows) as exact_low, wilson_high(t.exact_share, e.exact_rows) as exact_high,
       t.kendall_tau, t.chains
from totals t join errors e using (run_id, shape) join runs r using (run_id)
order by r.dataset, r.started_at, run_id, shape;

comment on view graph_scores is 'How well the graphs of applications that a run answered meet the true ones, by shape of the true graph';
comment on column graph_scores.run_id is 'Run, whose answers are graphs';
comment on column graph_scores.dataset is 'Name of the dataset';
comment on column graph_scores.protocol is 'Protocol';
comment on column graph_scores.model is 'What answered';
comment on column graph_scores.shape is 'singleton, sequential or parallel, or all of them';
comment on column graph_scores.tasks is 'Tasks that apply, with or without an answer';
comment on column graph_scores.node_precision is 'Mean share of the answered nodes that match a true one; 0 without an answer';
comment on column graph_scores.node_recall is 'Mean share of the true nodes that an answered one matches; 0 without an answer';
comment on column graph_scores.node_f1 is 'Mean of the harmonic mean of the two, by task';
comment on column graph_scores.node_f1_low is 'Lower end of its 95% normal interval, clustered by composition; null where all tasks share one';
comment on column graph_scores.node_f1_high is 'Upper end of that interval';
comment on column graph_scores.edge_f1 is 'Mean F1 of edges between matched nodes, over the tasks where the true or the answered graph has edges; null where none has';
comment on column graph_scores.exact_share is 'Share of the tasks whose nodes and edges are all right and no more';
comment on column graph_scores.exact_low is 'Lower end of its 95% Wilson interval, clustered by composition';
comment on column graph_scores.exact_high is 'Upper end of that interval';
comment on column graph_scores.kendall_tau is 'Mean rank correlation with the true order, over the chains; null where there are none';
comment on column graph_scores.chains is 'Tasks where both graphs are chains and at least two nodes match';
