-- The steps of one episode of a run.
select * from steps where run_id = $run_id and episode_id = $episode_id and repeat = $repeat order by number
