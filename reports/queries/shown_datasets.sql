-- The newest dataset of each name and those with shown runs, with their row accounting, newest run first; figures over models take the runs over one split.
select d.dataset_id, d.dataset, d.title, d.built_at, d.user_tasks, d.rows_made, d.rows_rejected,
       count(l.run_id) as runs, max(l.started_at) as last_run,
       max_by(l.split, l.split = 'test') as split,
       (select count(*) from runs r where r.dataset_id = d.dataset_id) - count(l.run_id) as older_runs
from datasets d left join latest_runs l using (dataset_id)
group by all
qualify row_number() over (partition by d.dataset order by d.built_at desc, d.dataset_id) = 1 or runs > 0
order by last_run desc nulls last, d.built_at desc, d.dataset_id
