-- Graphs of applications that runs answered (AppSelectBench, section 3), by shape; no answer scores 0. Intervals are clustered by composition.
create view graph_scores as
with scored as (
    select p.run_id, t.composition_id, unnest([t.shape, 'all']) as shape, coalesce(p.node_precision, 0) as node_precision,
           coalesce(p.node_recall, 0) as node_recall, coalesce(p.node_f1, 0) as node_f1,
           coalesce(p.edge_f1, case when len(t.edges) > 0 then 0 end) as edge_f1, coalesce(p.is_exact, false)::int as exact, p.kendall_tau
    from predictions p join runs r using (run_id) join user_tasks t on t.dataset_id = r.dataset_id and t.task_id = p.task_id
    where r.answer_kind = 'graph' and p.status <> 'not_applicable'
),
means as (
    select run_id, shape, count(*) as tasks, avg(node_precision) as node_precision, avg(node_recall) as node_recall, avg(node_f1) as node_f1,
           avg(edge_f1) as edge_f1, count(edge_f1) as with_edges, avg(exact) as exact_share, avg(kendall_tau) as kendall_tau, count(kendall_tau) as chains
    from scored group by run_id, shape
),
residuals as (
    select run_id, shape, s.composition_id, count(*) as rows, count(s.edge_f1) as with_edges, count(s.kendall_tau) as chains,
           sum(s.node_precision - m.node_precision) as of_precision, sum(s.node_recall - m.node_recall) as of_recall,
           sum(s.node_f1 - m.node_f1) as of_f1, sum(s.edge_f1 - m.edge_f1) as of_edges, sum(s.exact - m.exact_share) as of_exact,
           sum(s.kendall_tau - m.kendall_tau) / 2 as of_tau
    from scored s join means m using (run_id, shape) group by all
),
squares as (
    select run_id, shape, sum(rows ^ 2) as nn, sum(of_precision ^ 2) as of_precision, sum(of_recall ^ 2) as of_recall, sum(of_f1 ^ 2) as of_f1,
           sum(with_edges ^ 2) as nn_with_edges, sum(of_edges ^ 2) as of_edges, sum(of_exact ^ 2) as of_exact,
           sum(chains ^ 2) as nn_of_chains, sum(of_tau ^ 2) as of_tau
    from residuals group by run_id, shape
)
select run_id, r.dataset, r.protocol, r.model, shape, m.tasks,
       m.node_precision, interval_low(m.node_precision, m.tasks, s.nn, s.of_precision) as node_precision_low,
       interval_high(m.node_precision, m.tasks, s.nn, s.of_precision) as node_precision_high,
       m.node_recall, interval_low(m.node_recall, m.tasks, s.nn, s.of_recall) as node_recall_low,
       interval_high(m.node_recall, m.tasks, s.nn, s.of_recall) as node_recall_high,
       m.node_f1, interval_low(m.node_f1, m.tasks, s.nn, s.of_f1) as node_f1_low, interval_high(m.node_f1, m.tasks, s.nn, s.of_f1) as node_f1_high,
       m.edge_f1, interval_low(m.edge_f1, m.with_edges, s.nn_with_edges, s.of_edges) as edge_f1_low,
       interval_high(m.edge_f1, m.with_edges, s.nn_with_edges, s.of_edges) as edge_f1_high, m.with_edges,
       m.exact_share, interval_low(m.exact_share, m.tasks, s.nn, s.of_exact) as exact_low,
       interval_high(m.exact_share, m.tasks, s.nn, s.of_exact) as exact_high,
       m.kendall_tau, 2 * interval_low((m.kendall_tau + 1) / 2, m.chains, s.nn_of_chains, s.of_tau) - 1 as kendall_tau_low,
       2 * interval_high((m.kendall_tau + 1) / 2, m.chains, s.nn_of_chains, s.of_tau) - 1 as kendall_tau_high, m.chains
from means m join squares s using (run_id, shape) join runs r using (run_id)
order by r.dataset, r.started_at, run_id, shape;

comment on view graph_scores is 'Scores of the answered graphs of applications against the true ones, for each run by shape of the true graph';
comment on column graph_scores.run_id is 'Run, whose answers are graphs';
comment on column graph_scores.dataset is 'Name of the dataset';
comment on column graph_scores.protocol is 'Protocol';
comment on column graph_scores.model is 'Model or baseline that answered';
comment on column graph_scores.shape is 'singleton, sequential or parallel, or all of them';
comment on column graph_scores.tasks is 'Tasks that apply, with or without an answer';
comment on column graph_scores.node_precision is 'Mean share of the answered nodes that match a true one; 0 without an answer';
comment on column graph_scores.node_precision_low is 'Lower end of its 95% interval, clustered by composition; null if all tasks share one';
comment on column graph_scores.node_precision_high is 'Upper end of that interval';
comment on column graph_scores.node_recall is 'Mean share of the true nodes that an answered one matches; 0 without an answer';
comment on column graph_scores.node_recall_low is 'Lower end of its 95% interval, clustered by composition; null if all tasks share one';
comment on column graph_scores.node_recall_high is 'Upper end of that interval';
comment on column graph_scores.node_f1 is 'Mean over tasks of the harmonic mean of precision and recall';
comment on column graph_scores.node_f1_low is 'Lower end of its 95% interval, clustered by composition; null if all tasks share one';
comment on column graph_scores.node_f1_high is 'Upper end of that interval';
comment on column graph_scores.edge_f1 is 'Mean F1 of edges between matched nodes, over the tasks where the true or the answered graph has edges; null if there are none';
comment on column graph_scores.edge_f1_low is 'Lower end of its 95% interval, clustered by composition; null if its tasks share one or there are none';
comment on column graph_scores.edge_f1_high is 'Upper end of that interval';
comment on column graph_scores.with_edges is 'Tasks where the true or the answered graph has edges';
comment on column graph_scores.exact_share is 'Share of the tasks whose nodes and edges are exactly the true ones';
comment on column graph_scores.exact_low is 'Lower end of its 95% Wilson interval, clustered by composition';
comment on column graph_scores.exact_high is 'Upper end of that interval';
comment on column graph_scores.kendall_tau is 'Mean rank correlation with the true order, over the chains; null if there are none';
comment on column graph_scores.kendall_tau_low is 'Lower end of its 95% interval, clustered by composition; null if its tasks share one or there are none';
comment on column graph_scores.kendall_tau_high is 'Upper end of that interval';
comment on column graph_scores.chains is 'Tasks where both graphs are chains and at least two nodes match';
