-- How the episodes of a run ended.
select status, count(*) as episodes from episodes where run_id = $run_id group by status order by episodes desc, status
