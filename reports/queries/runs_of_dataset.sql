-- The newest run of each protocol, model, split and kind of answer over a dataset, with the paper's accuracy for the same model or baseline.
with asked as (
    select run_id, count(*) filter (status <> 'not_applicable') as tasks, count(*) filter (status = 'failed') as failed,
           count(*) filter (status not in ('answered', 'not_applicable')) as without_answer, sum(cost_usd) as cost_usd
    from predictions group by run_id
)
select l.run_id, l.protocol, l.model, l.split, case l.answer_kind when 'application' then 'one' when 'set' then 'a set' else 'a graph' end as answers,
       coalesce(s.tasks, 0) as tasks, a.accuracy, a.accuracy_low, a.accuracy_high, case when l.answer_kind = 'application' then m.published end as published, a.chance,
       coalesce(s.without_answer, 0) as without_answer, coalesce(s.failed, 0) as failed,
       t.median_ms, t.median_low_ms as median_ms_low, t.median_high_ms as median_ms_high, nullif(s.cost_usd, 0) as cost_usd, l.started_at
from latest_runs l left join asked s using (run_id) left join accuracy a using (run_id) left join latency t using (run_id) left join accuracy_by_model m using (run_id)
where l.dataset_id = $dataset_id
order by l.split desc, a.accuracy desc nulls last, l.run_id
