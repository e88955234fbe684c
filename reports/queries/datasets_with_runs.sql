-- The newest built dataset of each name that has runs, with its row accounting.
select d.dataset_id, d.dataset, d.title, d.built_at, d.user_tasks, d.rows_made, d.rows_rejected
from datasets d
where d.dataset_id in (select dataset_id from latest_runs)
order by d.built_at desc
