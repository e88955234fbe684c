-- The confusion of categories over the newest runs together (AppSelectBench, Figure 9): every prediction counts once. A table, like that of single runs.
create table category_confusion_over_models as
select d.dataset_id, d.dataset, d.split, d.answer_kind, d.pooled, d.runs, c.target as target_category, c.answer as answered_category, c.tasks, c.share, c.share_low, c.share_high
from confusion_by('pooled_cells', pool, target_category, counted_category) c
join (select pool, dataset_id, dataset, split, answer_kind, pooled, count(*) as runs from pools group by all) d on d.pool = c.unit
order by d.dataset, d.dataset_id, d.split, d.answer_kind, d.pooled, target_category, answered_category;

comment on table category_confusion_over_models is 'Confusion of categories over the newest runs of a dataset together';
comment on column category_confusion_over_models.dataset_id is 'Dataset of the runs';
comment on column category_confusion_over_models.dataset is 'Name of that dataset';
comment on column category_confusion_over_models.split is 'Split of the run, or all';
comment on column category_confusion_over_models.answer_kind is 'application or set; a set counts by its first application';
comment on column category_confusion_over_models.pooled is 'Which runs: all, or those of language models';
comment on column category_confusion_over_models.runs is 'Number of those runs';
comment on column category_confusion_over_models.target_category is 'Primary category of the target';
comment on column category_confusion_over_models.answered_category is 'Primary category of the counted answer, or no answer';
comment on column category_confusion_over_models.tasks is 'Predictions, over all those runs';
comment on column category_confusion_over_models.share is 'Share of the predictions for the target category';
comment on column category_confusion_over_models.share_low is 'Lower end of its 95% Wilson interval, clustered by composition';
comment on column category_confusion_over_models.share_high is 'Upper end of that interval';
