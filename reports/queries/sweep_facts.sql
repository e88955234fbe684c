-- What a sweep is.
select w.*, (select count(distinct run_id) from sweep_cells join episodes using (run_id) where sweep_id = w.sweep_id) as played_cells,
       (select bool_and(is_scripted) from sweep_cells where sweep_id = w.sweep_id) as is_all_scripted,
       (select bool_or(is_scripted) from sweep_cells where sweep_id = w.sweep_id) as is_some_scripted
from sweeps w where sweep_id = $sweep_id
