-- Figure 6: accuracy of each model under each protocol over one split of a dataset, and what AppSelectBench reports, on its own dataset.
with ours as (
    select case when l.protocol in ('random', 'heuristic') then l.protocol else l.model end as model, l.protocol, a.run_id, a.tasks,
           a.accuracy, a.accuracy_low, a.accuracy_high
    from latest_runs l join accuracy a using (run_id)
    where l.dataset_id = $dataset_id and l.split = $split and l.answer_kind = 'application'
), theirs as (
    select case when model in ('Random Selector', 'Rule-based Heuristic') then protocol else lower(model) end as model, protocol, accuracy
    from published_accuracy where category = 'All Application Domains' and protocol <> 'average'
)
select coalesce(o.model, t.model) as model, coalesce(o.protocol, t.protocol) as protocol, o.run_id, o.tasks, o.accuracy, o.accuracy_low, o.accuracy_high,
       t.accuracy as published
from ours o full join theirs t on lower(o.model) = t.model and o.protocol = t.protocol
order by max(coalesce(o.accuracy, t.accuracy)) over (partition by coalesce(o.model, t.model)) desc, model, protocol
