-- Of some runs, in how many each scored task was scored; one row for each number of runs, so that one row with all of them means the same tasks.
select scored_by, count(*) as tasks
from (select task_id, count(*) as scored_by from scored_predictions where list_contains(?, run_id) group by task_id)
group by scored_by
