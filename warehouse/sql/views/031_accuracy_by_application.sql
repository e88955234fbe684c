-- Accuracy of every run by the target's application.
create view accuracy_by_application as
select s.run_id, r.dataset, r.protocol, r.model, s.value as application, s.tasks, s.correct, s.accuracy, s.accuracy_low, s.accuracy_high, s.chance
from accuracy_by_slice s join runs r using (run_id)
where s.slice = 'application'
order by r.started_at, s.run_id, application;

comment on view accuracy_by_application is 'Accuracy of every run by application of the target';
comment on column accuracy_by_application.run_id is 'Run';
comment on column accuracy_by_application.dataset is 'Name of the dataset';
comment on column accuracy_by_application.protocol is 'Protocol';
comment on column accuracy_by_application.model is 'Model or baseline that answered';
comment on column accuracy_by_application.application is 'Target application';
comment on column accuracy_by_application.tasks is 'Tasks that apply, with or without an answer';
comment on column accuracy_by_application.correct is 'Tasks whose answer is valid';
comment on column accuracy_by_application.accuracy is 'Share of the tasks whose answer is valid';
comment on column accuracy_by_application.accuracy_low is 'Lower end of the 95% Wilson interval, clustered by composition';
comment on column accuracy_by_application.accuracy_high is 'Upper end of that interval';
comment on column accuracy_by_application.chance is 'Accuracy that a uniform choice among the candidates would have';
