-- Success of the cells of a sweep, over all episodes and by level.
select number, number || '. ' || label as cell, if(slice = 'all', 'all levels', value) as level, success as accuracy, success_low as accuracy_low,
       success_high as accuracy_high, null::double as published
from sweep_results where sweep_id = $sweep_id and slice in ('all', 'level') and played > 0
order by number, slice, value
