-- Accuracy of every run over all its tasks.
create view accuracy as
select s.run_id, r.dataset, r.protocol, r.model, s.tasks, s.correct, s.accuracy, s.accuracy_low, s.accuracy_high, s.chance, r.dataset_id, r.split, r.started_at
from accuracy_by_slice s join runs r using (run_id)
where s.slice = 'all'
order by r.dataset, r.started_at, r.protocol;

comment on view accuracy is 'Accuracy of every run over all its tasks';
comment on column accuracy.run_id is 'Run';
comment on column accuracy.dataset is 'Name of the dataset';
comment on column accuracy.protocol is 'Protocol';
comment on column accuracy.model is 'What answered';
comment on column accuracy.tasks is 'Tasks that apply, with or without an answer';
comment on column accuracy.correct is 'Tasks whose answer is valid';
comment on column accuracy.accuracy is 'Share of the tasks whose answer is valid';
comment on column accuracy.accuracy_low is 'Lower end of the 95% Wilson interval, clustered by composition';
comment on column accuracy.accuracy_high is 'Upper end of that interval';
comment on column accuracy.chance is 'Accuracy that a uniform choice among the candidates would have';
comment on column accuracy.dataset_id is 'Dataset';
comment on column accuracy.split is 'Split that was run over, or all';
comment on column accuracy.started_at is 'When the run first started';
