-- Wrong answers that models share: pairs that recur in at least three distinct models (AppSelectBench, section 6.3).
-- Random runs do not count: over enough tasks they give every pair, so two other models would be enough.
-- A table, because it reads every wrong answer.
create table consistent_confusions as
select d.dataset_id, d.dataset, s.target_application::varchar as target_application, s.counted_application::varchar as predicted_application,
       count(distinct r.model) as models, count(distinct s.run_id) as runs, count(*) as tasks, count(distinct s.task) as distinct_tasks,
       list(distinct r.model order by r.model) as model_names
from scored_rows s join runs r on r.run_id = s.run_id::varchar join datasets d using (dataset_id)
where not s.is_correct and s.counted_application <> 'no answer' and r.protocol <> 'random'
group by d.dataset_id, d.dataset, s.target_application, s.counted_application
having count(distinct r.model) >= 3
order by d.dataset, d.dataset_id, models desc, tasks desc, target_application, predicted_application;

comment on table consistent_confusions is 'Pairs of target and wrong answer that recur in at least three distinct models under any protocols; random runs do not count';
comment on column consistent_confusions.dataset_id is 'Dataset of the runs';
comment on column consistent_confusions.dataset is 'Name of that dataset';
comment on column consistent_confusions.target_application is 'Application that the text was made for';
comment on column consistent_confusions.predicted_application is 'Wrong answer, an application of the list';
comment on column consistent_confusions.models is 'Distinct models that gave the wrong answer';
comment on column consistent_confusions.runs is 'Runs with this wrong answer';
comment on column consistent_confusions.tasks is 'Wrong predictions, over all those runs';
comment on column consistent_confusions.distinct_tasks is 'User tasks with this wrong answer in some run';
comment on column consistent_confusions.model_names is 'Names of the models, sorted';
