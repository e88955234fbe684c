-- Accuracy of every run by the target's primary category.
create view accuracy_by_category as
select s.run_id, r.dataset, r.protocol, r.model, s.value as category, s.tasks, s.correct, s.accuracy, s.accuracy_low, s.accuracy_high, s.chance
from accuracy_by_slice s join runs r using (run_id)
where s.slice = 'category'
order by r.started_at, s.run_id, category;

comment on view accuracy_by_category is 'Accuracy of every run by category of the target';
comment on column accuracy_by_category.run_id is 'Run';
comment on column accuracy_by_category.dataset is 'Name of the dataset';
comment on column accuracy_by_category.protocol is 'Protocol';
comment on column accuracy_by_category.model is 'Model or baseline that answered';
comment on column accuracy_by_category.category is 'Primary category of the target';
comment on column accuracy_by_category.tasks is 'Tasks that apply, with or without an answer';
comment on column accuracy_by_category.correct is 'Tasks whose answer is valid';
comment on column accuracy_by_category.accuracy is 'Share of the tasks whose answer is valid';
comment on column accuracy_by_category.accuracy_low is 'Lower end of the 95% Wilson interval, clustered by composition';
comment on column accuracy_by_category.accuracy_high is 'Upper end of that interval';
comment on column accuracy_by_category.chance is 'Accuracy that a uniform choice among the candidates would have';
