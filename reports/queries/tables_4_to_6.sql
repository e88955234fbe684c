-- Tables 4 to 6: accuracy by category, model and protocol over one split of a dataset, with AppSelectBench's own beside it.
-- A model's average is over the protocols that were run; baselines have that figure alone. A model stands beside the paper's of the same name.
with ours as (
    select category, model, max(accuracy) filter (protocol = 'zero_shot') as zero_shot, max(accuracy_low) filter (protocol = 'zero_shot') as zero_shot_low, max(accuracy_high) filter (protocol = 'zero_shot') as zero_shot_high,
           max(accuracy) filter (protocol = 'few_shot') as few_shot, max(accuracy_low) filter (protocol = 'few_shot') as few_shot_low, max(accuracy_high) filter (protocol = 'few_shot') as few_shot_high,
           max(accuracy) filter (protocol = 'ras') as ras, max(accuracy_low) filter (protocol = 'ras') as ras_low, max(accuracy_high) filter (protocol = 'ras') as ras_high,
           max(accuracy) filter (protocol = 'average') as overall, max(accuracy_low) filter (protocol = 'average') as overall_low, max(accuracy_high) filter (protocol = 'average') as overall_high,
           max(runs) as protocols
    from accuracy_by_model_and_category
    where dataset_id = $dataset_id and split = $split and answer_kind = 'application'
    group by category, model
), theirs as (
    select category, case model when 'Random Selector' then 'random' when 'Rule-based Heuristic' then 'lexicons' else lower(model) end as key, model as published_as,
           max(accuracy) filter (protocol = 'zero_shot') as zero_shot_published, max(accuracy) filter (protocol = 'few_shot') as few_shot_published,
           max(accuracy) filter (protocol = 'ras') as ras_published, max(accuracy) filter (protocol not in ('zero_shot', 'few_shot', 'ras')) as overall_published
    from published_accuracy where category <> 'All Application Domains' group by category, model
)
select coalesce(o.category, t.category) as category, coalesce(o.model, t.published_as) as model, o.* exclude (category, model), t.* exclude (category, key, published_as)
from ours o full join theirs t on lower(o.model) = t.key and o.category = t.category
order by 1, overall desc nulls last, overall_published desc, model
