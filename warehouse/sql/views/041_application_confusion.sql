-- Row-normalised confusion of applications, "no answer" among them.
create view application_confusion as
select run_id, target_application, counted_application as answered_application, count(*) as tasks,
       count(*) / sum(count(*)) over (partition by run_id, target_application) as share
from scored_predictions
group by run_id, target_application, counted_application
order by run_id, target_application, tasks desc, answered_application;

comment on view application_confusion is 'Of the tasks of an application, the share whose answer is each application; valid answers count as the target';
comment on column application_confusion.run_id is 'Run';
comment on column application_confusion.target_application is 'Application that the text was made for';
comment on column application_confusion.answered_application is 'Counted answer, or no answer';
comment on column application_confusion.tasks is 'Tasks';
comment on column application_confusion.share is 'Share of the tasks of the target application';
