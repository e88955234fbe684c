-- What a change of one thing does, over all pairs of cells of a sweep that differ in it alone: the counts behind the paired difference.
select factor, value_a, value_b, count(distinct (cell_a, cell_b)) as pairs, count(distinct episode_id) as clusters, sum(episodes)::bigint as episodes,
       sum(both_succeeded)::bigint as both_succeeded, sum(only_a)::bigint as only_a, sum(only_b)::bigint as only_b
from sweep_pairs where sweep_id = $sweep_id
group by factor, value_a, value_b
order by factor, min(cell_a), min(cell_b)
