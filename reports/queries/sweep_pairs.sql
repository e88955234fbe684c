-- Every two cells of a sweep that differ in one thing alone: the counts behind their paired difference.
select factor, value_a, value_b, others, cell_a, cell_b, run_a, run_b, count(*) as clusters, sum(episodes)::bigint as episodes,
       sum(both_succeeded)::bigint as both_succeeded, sum(only_a)::bigint as only_a, sum(only_b)::bigint as only_b
from sweep_pairs where sweep_id = $sweep_id
group by all
order by factor, others, cell_a, cell_b
