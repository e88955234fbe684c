-- How the answers of a run ended, with 95% intervals.
select status, tasks, share, share_low, share_high from status_shares where run_id = $run_id order by tasks desc, status
