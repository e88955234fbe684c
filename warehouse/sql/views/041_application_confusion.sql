-- Row-normalised confusion of applications, "no answer" among them. A table, because it sums every prediction by composition.
create table application_confusion as
select unit::varchar as run_id, target as target_application, answer as answered_application, tasks, share, share_low, share_high
from confusion_by('answer_cells', run_id, target_application, counted_application)
order by run_id, target_application, tasks desc, answered_application;

comment on table application_confusion is 'Shares of the tasks of each application by their answer; valid answers count as the target';
comment on column application_confusion.run_id is 'Run';
comment on column application_confusion.target_application is 'Application that the text was made for';
comment on column application_confusion.answered_application is 'Counted answer, or no answer';
comment on column application_confusion.tasks is 'Tasks';
comment on column application_confusion.share is 'Share of the tasks of the target application';
comment on column application_confusion.share_low is 'Lower end of its 95% Wilson interval, clustered by composition';
comment on column application_confusion.share_high is 'Upper end of that interval';
