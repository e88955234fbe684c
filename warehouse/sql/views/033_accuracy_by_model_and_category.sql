-- Accuracy by model, protocol and category, beside the paper's figures (AppSelectBench, Tables 4 to 6 and Figure 7).
create table accuracy_by_model_and_category as
with shown as (
    select l.dataset_id, l.dataset, l.split, l.answer_kind, l.model, l.protocol, s.value as category, l.run_id, 1 as runs, s.tasks, s.accuracy, s.accuracy_low, s.accuracy_high
    from latest_runs l join accuracy_by_slice s using (run_id) where s.slice = 'category'
    union all
    select d.dataset_id, d.dataset, d.split, d.answer_kind, d.model, 'average', m.value, null, m.runs, m.tasks,
           m.accuracy, m.accuracy_low, m.accuracy_high
    from mean_accuracy m join (select distinct pool, dataset_id, dataset, split, answer_kind, model from pools where pooled = 'model') d using (pool)
    where m.slice = 'category'
)
select s.*, p.accuracy as published
from shown s left join published_accuracy p on p.category = s.category and is_published_as(s.model, s.protocol, p.model, p.protocol)
order by s.dataset, s.dataset_id, s.split, s.answer_kind, s.model, s.protocol = 'average', s.protocol, s.category;

comment on table accuracy_by_model_and_category is 'Accuracy by model, protocol and category in the newest runs, with the average over protocols';
comment on column accuracy_by_model_and_category.dataset_id is 'Dataset of the runs';
comment on column accuracy_by_model_and_category.dataset is 'Name of that dataset';
comment on column accuracy_by_model_and_category.split is 'Split of the run, or all';
comment on column accuracy_by_model_and_category.answer_kind is 'application or set; a set counts by its first application';
comment on column accuracy_by_model_and_category.model is 'Model or baseline that answered';
comment on column accuracy_by_model_and_category.protocol is 'Protocol; or average, the mean over the protocols of the model with equal weights';
comment on column accuracy_by_model_and_category.category is 'Primary category of the target';
comment on column accuracy_by_model_and_category.run_id is 'Run; null for averages';
comment on column accuracy_by_model_and_category.runs is 'Number of runs behind the row';
comment on column accuracy_by_model_and_category.tasks is 'Tasks that apply, with or without an answer, over all those runs';
comment on column accuracy_by_model_and_category.accuracy is 'Share of the tasks whose answer is valid';
comment on column accuracy_by_model_and_category.accuracy_low is 'Lower end of its 95% Wilson interval, clustered by composition';
comment on column accuracy_by_model_and_category.accuracy_high is 'Upper end of that interval';
comment on column accuracy_by_model_and_category.published is 'AppSelectBench''s own figure for the same model or baseline, on its dataset; null if it has none';
