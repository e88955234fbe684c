-- Accuracy of every run over all its tasks, by category and by application, with intervals clustered by composition.
create view accuracy_by_slice as
with sliced as (
    select run_id, 'all' as slice, 'all' as value, composition_id, is_correct::int as correct, chance from scored_predictions
    union all
    select run_id, 'category', target_category, composition_id, is_correct::int, chance from scored_predictions
    union all
    select run_id, 'application', target_application, composition_id, is_correct::int, chance from scored_predictions
),
clusters as (
    select run_id, slice, value, composition_id, count(*) as tasks, sum(correct) as correct, sum(chance) as chance
    from sliced group by all
),
totals as (
    select run_id, slice, value, sum(tasks) as tasks, sum(correct) as correct, sum(correct) / sum(tasks) as accuracy,
           sum(chance) / sum(tasks) as chance, count(*) as clusters
    from clusters group by all
),
squares as (
    select run_id, slice, value, sum((c.correct - t.accuracy * c.tasks) ^ 2) as squares
    from clusters c join totals t using (run_id, slice, value) group by all
),
worth as (
    select *, effective_rows(tasks, clusters, accuracy, squares) as rows_worth from totals join squares using (run_id, slice, value)
)
select run_id, slice, value, tasks::bigint as tasks, correct::bigint as correct, accuracy,
       wilson_low(accuracy, rows_worth) as accuracy_low, wilson_high(accuracy, rows_worth) as accuracy_high, chance
from worth;

comment on view accuracy_by_slice is 'Accuracy over all tasks, by category and by application, of every run';
comment on column accuracy_by_slice.run_id is 'Run';
comment on column accuracy_by_slice.slice is 'all, category or application';
comment on column accuracy_by_slice.value is 'Which category or application';
comment on column accuracy_by_slice.tasks is 'Tasks that apply, with or without an answer';
comment on column accuracy_by_slice.correct is 'Tasks whose answer is valid';
comment on column accuracy_by_slice.accuracy is 'Share of the tasks whose answer is valid';
comment on column accuracy_by_slice.accuracy_low is 'Lower end of the 95% Wilson interval, clustered by composition';
comment on column accuracy_by_slice.accuracy_high is 'Upper end of that interval';
comment on column accuracy_by_slice.chance is 'Accuracy that a uniform choice among the candidates would have';
