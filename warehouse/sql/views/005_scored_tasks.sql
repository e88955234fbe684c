-- The tasks that runs are scored on, with their slices. A table, because the scores of every prediction of every run use it.
create table scored_tasks as
with lists as (
    select distinct dataset_id, candidate_list(candidates) as candidate_list, len(candidates) as candidates, unnest(candidates) as application
    from runs where answer_kind <> 'graph'
),
able as (
    select dataset_id, task_id, unnest(valid_applications) as application from user_tasks
),
counted as (
    select dataset_id, candidate_list, task_id, count(*) as valid, count(*) / any_value(candidates) as chance
    from able join lists using (dataset_id, application) group by all
),
measured as (
    select t.*, n.candidate_list, n.valid, n.chance, len(c.atomic_tasks) as atomic_tasks, len(t.dropped_steps) as dropped, len(string_split(t.text, ' ')) as words
    from counted n join user_tasks t using (dataset_id, task_id) join compositions c using (composition_id)
)
select dataset_id, candidate_list, task_id, composition_id, target_application, category, chance, naming,
       case when dropped = 0 then 'none' when dropped < atomic_tasks then 'some' else 'goal only' end as drop_out,
       case when words < 10 then '1 to 9' when words < 20 then '10 to 19' when words < 30 then '20 to 29' when words < 40 then '30 to 39' else '40 and more' end as length,
       case when atomic_tasks = 0 then 'unknown' when atomic_tasks < 4 then atomic_tasks::varchar else '4 and more' end as steps,
       style,
       case when valid < 3 then valid::varchar when valid < 6 then '3 to 5' else '6 and more' end as valid_set_size,
       case when paraphrase_status is null then 'not asked' when paraphrase_status = 'accepted' then 'accepted' else 'kept' end as paraphrased,
       locale, split, if(says_goal, 'yes', 'no') as says_goal, if(has_typo, 'yes', 'no') as has_typo
from measured;

comment on table scored_tasks is 'User tasks of the datasets of runs, with their slices';
comment on column scored_tasks.dataset_id is 'Dataset';
comment on column scored_tasks.candidate_list is 'Hash of the candidates that runs chose from; candidate_list(candidates) of table runs';
comment on column scored_tasks.task_id is 'User task that a candidate can do';
comment on column scored_tasks.composition_id is 'Composition, by which errors are clustered';
comment on column scored_tasks.target_application is 'Application that the text was made for';
comment on column scored_tasks.category is 'Primary category of the target';
comment on column scored_tasks.chance is 'Share of the candidates that are valid';
comment on column scored_tasks.naming is 'How the text says which application is meant: application, kind, vendor or none';
comment on column scored_tasks.drop_out is 'none, some steps left out, or goal only if the text says no step';
comment on column scored_tasks.length is 'Words of the text, in bins';
comment on column scored_tasks.steps is 'Atomic tasks of the composition; unknown for imported tasks';
comment on column scored_tasks.style is 'Style of narration';
comment on column scored_tasks.valid_set_size is 'Number of valid candidates, in bins';
comment on column scored_tasks.paraphrased is 'not asked, accepted, or kept if the text stayed as narrated';
comment on column scored_tasks.locale is 'Locale of the argument values';
comment on column scored_tasks.split is 'train, dev or test';
comment on column scored_tasks.says_goal is 'yes or no: whether the text says the goal of its workflow';
comment on column scored_tasks.has_typo is 'yes or no: whether a word of the text is mistyped';
