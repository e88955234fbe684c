-- The newest dataset of each name and those with shown runs, with their row accounting, newest run first; figures over models take the runs over one split.
with shown as (
    select dataset_id, count(*) as runs, max(started_at) as last_run, max_by(split, split = 'test') as split from latest_runs group by dataset_id
)
select d.dataset_id, d.dataset, d.title, d.built_at, d.user_tasks, d.rows_made, d.rows_rejected, coalesce(s.runs, 0) as runs, s.last_run, s.split,
       (select count(*) from runs r where r.dataset_id = d.dataset_id) - coalesce(s.runs, 0) as older_runs
from datasets d left join shown s using (dataset_id)
qualify row_number() over (partition by d.dataset order by d.built_at desc, d.dataset_id) = 1 or s.runs > 0
order by s.last_run desc nulls last, d.built_at desc, d.dataset_id
