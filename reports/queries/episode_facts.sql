-- One episode of a run.
select * from episodes where run_id = $run_id and episode_id = $episode_id and repeat = $repeat
