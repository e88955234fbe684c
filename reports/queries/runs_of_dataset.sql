-- The newest run of each protocol and model over a dataset, with its accuracy and the paper's for the same baseline or model.
select a.*, p.accuracy as published, e.wrong_answers, e.pi_intra, e.pi_intra_low, e.pi_intra_high, e.pi_cross,
       (select count(*) from predictions x where x.run_id = a.run_id and x.status <> 'answered' and x.status <> 'not_applicable') as without_answer,
       (select count(*) from predictions x where x.run_id = a.run_id and x.status = 'not_applicable') as not_applicable,
       (select median(latency_ms) from predictions x where x.run_id = a.run_id) as median_latency_ms
from accuracy a
join latest_runs l using (run_id)
join error_decomposition e using (run_id)
left join published_accuracy p on p.category = 'All Application Domains' and p.protocol = a.protocol
     and (p.model in ('Random Selector', 'Rule-based Heuristic') or lower(p.model) = a.model)
where a.dataset_id = ?
order by a.accuracy, a.protocol
