with counted as (select status, count(*) as tasks, sum(count(*)) over () as of_all from predictions where run_id = $id group by status)
select status, tasks, tasks / of_all as share, wilson_low(tasks / of_all, of_all) as share_low, wilson_high(tasks / of_all, of_all) as share_high
from counted order by tasks desc, status
