-- The scored predictions with small numbers for words, during this load only. The next views sum them often by composition; hashing words would take ten times as long.
create temporary type label as enum (
    select label from (
        select run_id as label from runs
        union select application from candidates
        union select category from candidates
        union select predicted_application from predictions
        union select unnest([target_application, category, naming, drop_out, length, steps, style, valid_set_size, paraphrased, locale, split, says_goal, has_typo])
              from scored_tasks
        union select status from predictions
        union select unnest(['no answer', 'all'])
    ) where label is not null order by label
);

create temporary table numbered_compositions as
select dataset_id, composition_id, row_number() over ()::integer as composition from (select distinct dataset_id, composition_id from user_tasks);

create temporary table numbered_runs as
select run_id, run_id::label as run, dataset_id, dense_rank() over (order by dataset_id, candidates)::smallint as task_list, candidate_list(candidates) as candidate_list
from runs where answer_kind <> 'graph';

create temporary table labelled_tasks as
select l.task_list, t.task_id, row_number() over ()::integer as task, c.composition,
       target_application::label as target_application, category::label as category, chance, naming::label as naming, drop_out::label as drop_out,
       length::label as length, steps::label as steps, style::label as style, valid_set_size::label as valid_set_size, paraphrased::label as paraphrased,
       locale::label as locale, split::label as split, says_goal::label as says_goal, has_typo::label as has_typo
from scored_tasks t
join numbered_compositions c using (dataset_id, composition_id)
join (select distinct task_list, dataset_id, candidate_list from numbered_runs) l using (dataset_id, candidate_list);

create temporary table scored_rows as
select r.run as run_id, t.* exclude (task_list, task_id, category), t.category as target_category, p.status::label as status,
       case when p.is_correct then t.target_application else coalesce(p.predicted_application::label, 'no answer') end as counted_application,
       case when p.is_correct then t.category else coalesce(a.category::label, 'no answer') end as counted_category,
       p.is_correct
from predictions p
join numbered_runs r using (run_id)
join labelled_tasks t on t.task_list = r.task_list and t.task_id = p.task_id
left join candidates a on a.dataset_id = r.dataset_id and a.application = p.predicted_application
where p.status <> 'not_applicable';

-- The same by composition: how often each answer was counted for each target, and how often it was right.
create temporary table answer_cells as
select run_id, composition, target_application, target_category, counted_application, counted_category, count(*) as tasks, count(*) filter (is_correct) as correct
from scored_rows group by all;
