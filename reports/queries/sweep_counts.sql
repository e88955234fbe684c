-- The counts of every pair of cells of a sweep by episode, for paired tests.
select factor, value_a, value_b, cell_a, cell_b, episode_id, episodes, both_succeeded, only_a, only_b
from sweep_pairs where sweep_id = $sweep_id
order by factor, cell_a, cell_b, episode_id
