-- Accuracy by category, averaged over the newest runs, beside the paper's figures (AppSelectBench, Table 3 and Figure 8).
create table accuracy_by_category_over_models as
select d.dataset_id, d.dataset, d.split, d.answer_kind, d.pooled, m.value as category, m.runs, m.tasks, m.accuracy,
       m.accuracy_low, m.accuracy_high,
       rank() over (partition by m.pool order by m.accuracy desc) as place, p.value as published
from mean_accuracy m join (select distinct pool, dataset_id, dataset, split, answer_kind, pooled from pools where pooled <> 'model') d using (pool)
left join published_figures p on p.measure = 'accuracy' and p.subject = m.value and d.pooled = 'language models'
where m.slice = 'category'
order by d.dataset, d.dataset_id, d.split, d.answer_kind, d.pooled, place, category;

comment on table accuracy_by_category_over_models is 'Mean accuracy of the newest runs by category';
comment on column accuracy_by_category_over_models.dataset_id is 'Dataset of the runs';
comment on column accuracy_by_category_over_models.dataset is 'Name of that dataset';
comment on column accuracy_by_category_over_models.split is 'Split of the run, or all';
comment on column accuracy_by_category_over_models.answer_kind is 'application or set; a set counts by its first application';
comment on column accuracy_by_category_over_models.pooled is 'Which runs: all, or those of language models';
comment on column accuracy_by_category_over_models.category is 'Primary category of the target';
comment on column accuracy_by_category_over_models.runs is 'Number of runs in the mean, with equal weights';
comment on column accuracy_by_category_over_models.tasks is 'Tasks that apply, over all those runs';
comment on column accuracy_by_category_over_models.accuracy is 'Mean of the accuracies of the runs';
comment on column accuracy_by_category_over_models.accuracy_low is 'Lower end of its 95% Wilson interval, clustered by composition';
comment on column accuracy_by_category_over_models.accuracy_high is 'Upper end of that interval';
comment on column accuracy_by_category_over_models.place is 'Place by accuracy, easiest first; equal accuracies share a place';
comment on column accuracy_by_category_over_models.published is 'AppSelectBench, Table 3, over its language models; null for all';
