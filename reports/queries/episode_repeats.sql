-- pass@k and pass^k of every run, newest first.
select p.*
from pass_at_k p left join suite_runs r using (run_id)
where p.repeated_enough > 0
order by r.started_at desc nulls last, p.run_id, p.k
