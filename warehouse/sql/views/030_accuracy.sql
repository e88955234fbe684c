-- Accuracy of every run over all its tasks, and over the tasks with an answer. In the first a task without an answer counts as wrong.
create view accuracy as
with counted as (
    select run_id, count(*) filter (status = 'answered') as answered, sum(cost_usd) as cost_usd
    from predictions where status <> 'not_applicable' group by run_id
), shown as (
    select run_id, recall, row_number() over (partition by run_id order by k desc) = 1 as is_widest from retrieval_recall
)
select s.run_id, r.dataset, r.protocol, r.model, s.tasks, s.correct, s.accuracy, s.accuracy_low, s.accuracy_high, s.chance,
       c.answered, s.correct / nullif(c.answered, 0) as accuracy_of_answered, v.recall as retrieval_recall, c.cost_usd,
       r.dataset_id, r.split, r.answer_kind, r.started_at
from accuracy_by_slice s join runs r using (run_id) join counted c using (run_id) left join shown v on v.run_id = s.run_id and v.is_widest
where s.slice = 'all'
order by r.dataset, r.started_at, r.protocol;

comment on view accuracy is 'Accuracy of every run over all its tasks';
comment on column accuracy.run_id is 'Run';
comment on column accuracy.dataset is 'Name of the dataset';
comment on column accuracy.protocol is 'Protocol';
comment on column accuracy.model is 'Model or baseline that answered';
comment on column accuracy.tasks is 'Tasks that apply, with or without an answer';
comment on column accuracy.correct is 'Tasks whose answer is valid';
comment on column accuracy.accuracy is 'Share of the tasks whose answer is valid';
comment on column accuracy.accuracy_low is 'Lower end of the 95% Wilson interval, clustered by composition';
comment on column accuracy.accuracy_high is 'Upper end of that interval';
comment on column accuracy.chance is 'Accuracy that a uniform choice among the candidates would have';
comment on column accuracy.answered is 'Tasks with an answer in the list';
comment on column accuracy.accuracy_of_answered is 'Share of the answered tasks whose answer is valid; null if none is answered';
comment on column accuracy.retrieval_recall is 'Share of the tasks with a valid application among all the cards shown; null if none were retrieved';
comment on column accuracy.cost_usd is 'Dollars that the answers cost when they were paid';
comment on column accuracy.dataset_id is 'Dataset';
comment on column accuracy.split is 'Split of the run, or all';
comment on column accuracy.answer_kind is 'application or set; a set counts here by its first application';
comment on column accuracy.started_at is 'When the run first started';
