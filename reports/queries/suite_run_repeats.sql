-- pass@k and pass^k of a run.
select * from pass_at_k where run_id = $run_id and repeated_enough > 0 order by k
