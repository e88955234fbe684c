select number, command from sweep_cells where sweep_id = $id order by number
