-- The newest run of each protocol, model, split and kind of answer over a dataset, with the paper's accuracy for the same model or baseline.
with answers as (
    select run_id, count(*) filter (status not in ('answered', 'not_applicable')) as without_answer,
           median(latency_ms) filter (latency_ms > 0) as median_latency_ms
    from predictions group by run_id
)
select l.run_id, l.protocol, l.model, l.split, l.answer_kind, a.tasks, a.accuracy, a.accuracy_low, a.accuracy_high, p.accuracy as published, a.chance,
       n.without_answer, n.median_latency_ms, nullif(a.cost_usd, 0) as cost_usd, l.started_at
from latest_runs l left join accuracy a using (run_id) left join answers n using (run_id)
left join published_accuracy p on p.category = 'All Application Domains' and p.protocol = l.protocol
     and (p.model in ('Random Selector', 'Rule-based Heuristic') or lower(p.model) = lower(l.model))
where l.dataset_id = $dataset_id
order by l.split desc, a.accuracy desc nulls last, l.run_id
