-- Runs that were scored over the very same tasks of a dataset, newest first; of each such group the six newest.
with scored as (
    select run_id, count(*) as tasks, bit_xor(hash(task_id)) as which from scored_predictions where dataset_id = $dataset_id group by run_id
)
select s.run_id, l.protocol, l.model, l.split, s.tasks, s.which::varchar as which, count(*) over (partition by s.tasks, s.which) as comparable
from scored s join latest_runs l using (run_id)
qualify count(*) over (partition by s.tasks, s.which) > 1
        and row_number() over (partition by s.tasks, s.which order by l.started_at desc, s.run_id) <= 6
order by s.tasks desc, which, l.started_at desc, s.run_id
