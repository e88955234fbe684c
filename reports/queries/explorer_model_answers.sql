-- Answers of a run that asks a language model; of the cards that it was shown, the nearest twenty.
select p.task_id, p.predicted_application, p.status, p.is_correct, round(p.latency_ms, 3) as latency_ms, p.said, p.calls,
       p.input_tokens, p.output_tokens, p.cost_usd,
       p.retrieved[:20] as retrieved, len(p.retrieved) as cards,
       case when r.answer_kind <> 'application' then p.predicted_applications end as predicted_applications,
       list_transform(p.predicted_edges, lambda e: [e.source + 1, e.target + 1]) as predicted_edges,
       p.node_f1, p.edge_f1
from predictions p join runs r using (run_id)
where p.run_id = ?
