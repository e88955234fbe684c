select c.number, c.run_id, c.label, if(c.is_scripted, 'script', 'model') as played_by, r.played, r.success, r.success_low, r.success_high, r.mean_seconds, r.mean_tokens, r.mean_cost_usd
from sweep_cells c left join (from sweep_results where slice = 'all') r using (sweep_id, number) where c.sweep_id = $id order by c.number
