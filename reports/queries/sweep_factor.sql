-- Success by the values of one thing that varies in a sweep, all else the same, by level and by level and application.
select f.others, f.value, f.number, left(r.value, 2) as level, if(r.slice = 'level', 'all applications', substr(r.value, 5)) as application,
       r.success as accuracy, r.success_low as accuracy_low, r.success_high as accuracy_high, null::double as published
from sweep_factors f join sweep_results r using (sweep_id, number)
where f.sweep_id = $sweep_id and f.factor = $factor and r.slice in ('level', 'level and application') and r.played > 0
order by r.slice, level, application, f.others, f.number
