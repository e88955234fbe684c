-- How the answers of a run ended, with 95% Wilson intervals.
select status, count(*) as tasks, count(*) / sum(count(*)) over () as share,
       wilson_low(count(*) / sum(count(*)) over (), sum(count(*)) over ()) as share_low,
       wilson_high(count(*) / sum(count(*)) over (), sum(count(*)) over ()) as share_high
from predictions where run_id = $run_id
group by status order by tasks desc, status
