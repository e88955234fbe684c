-- The datasets that the newest runs are over and the newest of each name; those with runs first, then the newest.
with with_runs as (select distinct dataset_id from latest_runs)
select d.dataset_id, d.dataset, d.title, d.built_at, d.user_tasks
from datasets d left join with_runs w using (dataset_id)
qualify w.dataset_id is not null or row_number() over (partition by d.dataset order by d.built_at desc, d.dataset_id) = 1
order by w.dataset_id is null, d.built_at desc, d.dataset_id
