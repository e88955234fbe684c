-- Accuracy by model and protocol, and each model's average over its protocols, beside the paper's figures (AppSelectBench, Table 2 and Figure 6).
create table accuracy_by_model as
with shown as (
    select l.dataset_id, l.dataset, l.split, l.answer_kind, l.model, l.protocol, l.openness, l.run_id, 1 as runs, s.tasks, s.accuracy, s.accuracy_low, s.accuracy_high
    from latest_runs l join accuracy_by_slice s using (run_id) where s.slice = 'all'
    union all
    select d.dataset_id, d.dataset, d.split, d.answer_kind, d.model, 'average', d.openness, null, m.runs, m.tasks,
           m.accuracy, m.accuracy_low, m.accuracy_high
    from mean_accuracy m
    join (select pool, p.dataset_id, p.dataset, p.split, p.answer_kind, p.model, any_value(r.openness) as openness
          from pools p join runs r on r.run_id = p.run_id::varchar where p.pooled = 'model' group by all) d using (pool)
    where m.slice = 'all'
)
select s.*, p.accuracy as published
from shown s left join published_accuracy p on p.category = 'All Application Domains' and is_published_as(s.model, s.protocol, p.model, p.protocol)
order by s.dataset, s.dataset_id, s.split, s.answer_kind, s.model, s.protocol = 'average', s.protocol;

comment on table accuracy_by_model is 'Accuracy by model and protocol in the newest runs, with the average over protocols';
comment on column accuracy_by_model.dataset_id is 'Dataset of the runs';
comment on column accuracy_by_model.dataset is 'Name of that dataset';
comment on column accuracy_by_model.split is 'Split of the run, or all';
comment on column accuracy_by_model.answer_kind is 'application or set; a set counts by its first application';
comment on column accuracy_by_model.model is 'Model or baseline that answered';
comment on column accuracy_by_model.protocol is 'Protocol; or average, the mean over the protocols of the model with equal weights';
comment on column accuracy_by_model.openness is 'open or closed, for registered language models';
comment on column accuracy_by_model.run_id is 'Run; null for averages';
comment on column accuracy_by_model.runs is 'Number of runs behind the row';
comment on column accuracy_by_model.tasks is 'Tasks that apply, with or without an answer, over all those runs';
comment on column accuracy_by_model.accuracy is 'Share of the tasks whose answer is valid';
comment on column accuracy_by_model.accuracy_low is 'Lower end of its 95% Wilson interval, clustered by composition';
comment on column accuracy_by_model.accuracy_high is 'Upper end of that interval';
comment on column accuracy_by_model.published is 'AppSelectBench''s own figure for the same model or baseline, on its dataset; null if it has none';
