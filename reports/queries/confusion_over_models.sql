-- Figure 9: row-normalised confusion of categories over the language models that were run over one split of a dataset, or over all runs where none was.
select target_category, answered_category, tasks, share, share_low, share_high, pooled, runs
from category_confusion_over_models
where dataset_id = $dataset_id and split = $split and answer_kind = 'application'
qualify pooled = max(pooled) over ()
order by target_category, answered_category
