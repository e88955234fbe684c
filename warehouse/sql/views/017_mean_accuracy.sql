-- Mean accuracy over the runs of each pool, as in AppSelectBench: every run has the same weight. During this load only; later views show it.
-- The runs answer the same tasks, so the error of the mean is clustered by composition across them: each composition brings the mean over the runs
-- of its summed residuals over their tasks (linearisation).
create temporary macro mean_by(slice_name, slice_value) as table
    with clusters as (
        select run_id, slice_value as value, composition, sum(tasks)::bigint as tasks, sum(correct)::bigint as correct from answer_cells group by all
    ),
    accuracies as (
        select run_id, value, sum(tasks) as tasks, sum(correct) / sum(tasks) as accuracy from clusters group by all
    ),
    means as (
        select pool, value, count(*) as runs, sum(tasks) as tasks, avg(accuracy) as accuracy from accuracies join pools using (run_id) group by all
    ),
    residuals as (
        select pool, value, composition, sum(c.tasks) as tasks, sum((c.correct - a.accuracy * c.tasks) / a.tasks) as residual
        from clusters c join accuracies a using (run_id, value) join pools using (run_id) group by all
    ),
    errors as (
        select pool, value, sum(tasks ^ 2) as nn, sum(residual ^ 2) as squares from residuals group by all
    )
    select pool, slice_name as slice, value::varchar as value, runs, tasks::bigint as tasks, accuracy,
           interval_low(accuracy, tasks, nn, squares * (tasks / runs) ^ 2) as accuracy_low,
           interval_high(accuracy, tasks, nn, squares * (tasks / runs) ^ 2) as accuracy_high
    from means join errors using (pool, value);

create temporary table mean_accuracy as
from mean_by('all', 'all'::label)
union all from mean_by('category', target_category);
