select status, count(*) as episodes, count(*) filter (is_success) as succeeded, avg(reward) as mean_reward from episodes where run_id = $id group by status order by 2 desc, 1
