-- The cells of a sweep by application, in the shape of Windows Agent Arena's Table 4.
pivot (
    select number, label, if(is_scripted, 'script', 'model') as player, run_id, if(slice = 'all', 'all', value) as part, success, success_low, success_high
    from sweep_results where sweep_id = $sweep_id and slice in ('all', 'application')
)
on part using first(success) as success, first(success_low) as success_low, first(success_high) as success_high
order by number
