-- The newest built dataset of each name, with its row accounting; those with runs first.
select d.dataset_id, d.dataset, d.title, d.built_at, d.user_tasks, d.rows_made, d.rows_rejected
from datasets d
qualify row_number() over (partition by d.dataset order by d.built_at desc, d.dataset_id) = 1
     or d.dataset_id in (select dataset_id from latest_runs)
order by d.dataset_id in (select dataset_id from latest_runs) desc, d.built_at desc
