select status, tasks, share, share_low, share_high from status_shares where run_id = $id order by tasks desc, status
