-- Figure 6: accuracy of each model under each protocol over one split of a dataset, and what AppSelectBench reports, on its own dataset.
with ours as (
    select model, protocol, run_id, tasks, accuracy, accuracy_low, accuracy_high from accuracy_by_model
    where dataset_id = $dataset_id and split = $split and answer_kind = 'application' and protocol <> 'average'
), theirs as (
    select case model when 'Random Selector' then 'random' when 'Rule-based Heuristic' then 'lexicons' else lower(model) end as key, model as published_as,
           protocol, accuracy as published
    from published_accuracy where category = 'All Application Domains' and protocol <> 'average'
), names as (
    select lower(model) as key, any_value(model) as model from ours group by lower(model)
)
select coalesce(o.model, n.model, t.published_as) as model, coalesce(o.protocol, t.protocol) as protocol, o.run_id, o.tasks, o.accuracy, o.accuracy_low, o.accuracy_high,
       t.published
from ours o full join theirs t on lower(o.model) = t.key and o.protocol = t.protocol left join names n on n.key = t.key
order by max(coalesce(o.accuracy, t.published)) over (partition by coalesce(o.model, n.model, t.published_as)) desc, model, protocol
