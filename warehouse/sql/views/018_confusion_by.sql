-- Row-normalised confusion from cells of (unit, composition, target, answer), during this load only: the unit is a run or a pool of runs.
create temporary macro confusion_by(cells, unit_column, target_column, answer_column) as table
    with counted as (
        select unit_column as unit, target_column as target, answer_column as answer, composition, sum(tasks)::bigint as tasks from query_table(cells) group by all
    ),
    clusters as (
        select unit, target, composition, sum(tasks)::bigint as tasks from counted group by all
    ),
    targets as (
        select unit, target, sum(tasks)::bigint as of_target, sum(tasks * tasks)::bigint as nn from clusters group by all
    ),
    sums as (
        select unit, target, answer, sum(c.tasks)::bigint as tasks, sum(c.tasks * c.tasks)::bigint as kk, sum(c.tasks * r.tasks)::bigint as kn
        from counted c join clusters r using (unit, target, composition) group by all
    ),
    shares as (
        select unit, target, answer, tasks, of_target, tasks / of_target as share, nn, residual_squares(tasks / of_target, kk, kn, nn) as squares
        from sums join targets using (unit, target)
    )
    select unit, target::varchar as target, answer::varchar as answer, tasks, share, interval_low(share, of_target, nn, squares) as share_low,
           interval_high(share, of_target, nn, squares) as share_high
    from shares;
