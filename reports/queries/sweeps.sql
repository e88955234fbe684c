-- The sweeps, newest first; what asked no model has no cost.
select w.sweep_id, w.sweep, w.title, w.suite, w.start, w.started_at, w.cells, count(distinct e.run_id) as played_cells, count(e.is_success) as played,
       count(*) filter (e.fault is not null) as faults, nullif(sum(e.cost_usd), 0) as cost_usd,
       case when bool_and(c.is_scripted) then 'scripts' when bool_or(c.is_scripted) then 'models and scripts' else 'models' end as players
from sweeps w join sweep_cells c using (sweep_id) left join episodes e using (run_id)
group by w.sweep_id, w.sweep, w.title, w.suite, w.start, w.started_at, w.cells
order by w.started_at desc, w.sweep_id
