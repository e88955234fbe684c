-- Figure 7: accuracy by model and category, averaged over the protocols of a model over one split of a dataset, and AppSelectBench's.
select model, category, runs, tasks, accuracy, accuracy_low, accuracy_high
from accuracy_by_model_and_category
where dataset_id = $dataset_id and split = $split and answer_kind = 'application' and protocol = 'average'
union all
select 'paper: ' || model, category, null, null, accuracy, null, null
from published_accuracy where category <> 'All Application Domains' and protocol not in ('zero_shot', 'few_shot', 'ras')
order by runs is null, model, category
