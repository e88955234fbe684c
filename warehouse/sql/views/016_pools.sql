-- Pools of the newest runs, and the answers of each pool, during this load only. The runs of a pool are over the same tasks with the
-- same kind of answer: all runs, all of language models (those with a prompt), and all of one model under its protocols.
create temporary table pools as
with members as (
    select run_id, dataset_id, dataset, split, answer_kind, 'all' as pooled, null as model from latest_runs where answer_kind <> 'graph'
    union all
    select run_id, dataset_id, dataset, split, answer_kind, 'language models', null from latest_runs where answer_kind <> 'graph' and prompt is not null
    union all
    select run_id, dataset_id, dataset, split, answer_kind, 'model', model from latest_runs where answer_kind <> 'graph'
)
select dense_rank() over (order by dataset_id, split, answer_kind, pooled, model)::integer as pool, m.* replace (run_id::label as run_id)
from members m
where run_id in (select run_id::varchar from answer_cells);

create temporary table pooled_cells as
select pool, composition, target_application, target_category, counted_application, counted_category, sum(tasks)::bigint as tasks, sum(correct)::bigint as correct
from answer_cells join pools using (run_id)
where pooled <> 'model'
group by all;
