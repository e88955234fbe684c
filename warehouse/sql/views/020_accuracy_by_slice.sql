-- Accuracy of every run over all its tasks and over slices of them, with intervals clustered by composition.
-- A table, because its intervals take sums by run, slice and composition over every prediction.
create temporary macro sums_by(slice_name, slice_value) as table
    select run_id, slice_name as slice, value, sum(tasks) as tasks, sum(correct) as correct, fsum(chance) as chance,
           sum(correct * correct) as kk, sum(correct * tasks) as kn, sum(tasks * tasks) as nn
    from (select run_id, slice_value as value, composition, count(*) as tasks, count(*) filter (is_correct) as correct, fsum(chance) as chance
          from scored_rows group by all)
    group by all;

create table accuracy_by_slice as
with sums as (
    from sums_by('all', 'all'::label)
    union all from sums_by('category', target_category)
    union all from sums_by('application', target_application)
    union all from sums_by('steps', steps)
    union all from sums_by('split', split)
    union all from sums_by('naming', naming)
    union all from sums_by('drop_out', drop_out)
    union all from sums_by('length', length)
    union all from sums_by('style', style)
    union all from sums_by('valid_set_size', valid_set_size)
    union all from sums_by('paraphrased', paraphrased)
    union all from sums_by('locale', locale)
    union all from sums_by('says_goal', says_goal)
    union all from sums_by('has_typo', has_typo)
),
shares as (
    select *, correct / tasks as accuracy, residual_squares(correct / tasks, kk, kn, nn) as squares from sums
)
select run_id::varchar as run_id, slice, value::varchar as value, tasks::bigint as tasks, correct::bigint as correct, accuracy,
       interval_low(accuracy, tasks, nn, squares) as accuracy_low, interval_high(accuracy, tasks, nn, squares) as accuracy_high, chance / tasks as chance
from shares
order by run_id, slice, value;

comment on table accuracy_by_slice is 'Accuracy of every run over all tasks and over slices of them';
comment on column accuracy_by_slice.run_id is 'Run';
comment on column accuracy_by_slice.slice is 'all, or a column of scored_tasks: category, application (the target), naming, drop_out, length, steps, style, valid_set_size, paraphrased, locale, split, says_goal, has_typo';
comment on column accuracy_by_slice.value is 'Value of the slice: the category, application, style and so on';
comment on column accuracy_by_slice.tasks is 'Tasks that apply, with or without an answer';
comment on column accuracy_by_slice.correct is 'Tasks whose answer is valid';
comment on column accuracy_by_slice.accuracy is 'Share of the tasks whose answer is valid';
comment on column accuracy_by_slice.accuracy_low is 'Lower end of the 95% Wilson interval, clustered by composition';
comment on column accuracy_by_slice.accuracy_high is 'Upper end of that interval';
comment on column accuracy_by_slice.chance is 'Accuracy that a uniform choice among the candidates would have';
