-- Precision, recall and F1 of every application, over target and counted answer; equal to scikit-learn's on the same pairs.
-- Precision is a share of the answers, recall of the support, and F1 a function of the hits' share of both together (the Jaccard index),
-- so that each has an interval. A table, because it sums every prediction by composition.
create temporary macro scores_by(cells, unit_column) as table
    with seen as (
        select unit_column as unit, target_application as application, composition, tasks as support, if(counted_application = target_application, tasks, 0) as answers
        from query_table(cells)
        union all
        select unit_column, counted_application, composition, 0, tasks
        from query_table(cells) where counted_application <> target_application and counted_application <> 'no answer'
    ),
    clusters as (
        select unit, application, composition, sum(support)::bigint as support, sum(answers)::bigint as answers,
               sum(if(support > 0, answers, 0))::bigint as hits
        from seen group by all
    ),
    sums as (
        select unit, application, sum(support)::bigint as support, sum(answers)::bigint as answers, sum(hits)::bigint as hits,
               sum(hits * hits) as hh, sum(hits * support) as hs, sum(support * support) as ss, sum(hits * answers) as ha, sum(answers * answers) as aa,
               sum(support * answers) as sa
        from clusters group by all
    ),
    shares as (
        select *, hits / nullif(answers, 0) as precision, hits / nullif(support, 0) as recall, support + answers - hits as together,
               hits / (support + answers - hits) as jaccard
        from sums
    ),
    squares as (
        select *, residual_squares(precision, hh, ha, aa) as of_precision, residual_squares(recall, hh, hs, ss) as of_recall,
               ss + aa + hh + 2 * (sa - hs - ha) as tt, residual_squares(jaccard, hh, hs + ha - hh, tt) as of_jaccard
        from shares
    )
    select unit, application::varchar as application, support, answers, hits,
           precision, interval_low(precision, answers, aa, of_precision) as precision_low, interval_high(precision, answers, aa, of_precision) as precision_high,
           recall, interval_low(recall, support, ss, of_recall) as recall_low, interval_high(recall, support, ss, of_recall) as recall_high,
           2 * hits / (support + answers) as f1, f1_of_jaccard(interval_low(jaccard, together, tt, of_jaccard)) as f1_low,
           f1_of_jaccard(interval_high(jaccard, together, tt, of_jaccard)) as f1_high
    from squares;

create table application_scores as
select unit::varchar as run_id, * exclude (unit) from scores_by('answer_cells', run_id) order by run_id, application;

comment on table application_scores is 'Precision, recall and F1 of every application in every run';
comment on column application_scores.run_id is 'Run';
comment on column application_scores.application is 'Application';
comment on column application_scores.support is 'Tasks made for this application';
comment on column application_scores.answers is 'Answers that count as this application';
comment on column application_scores.hits is 'Tasks made for this application with a valid answer';
comment on column application_scores.precision is 'Hits over answers; null if no answer counts as it';
comment on column application_scores.precision_low is 'Lower end of its 95% Wilson interval, clustered by composition';
comment on column application_scores.precision_high is 'Upper end of that interval';
comment on column application_scores.recall is 'Hits over support; null if no task was made for it';
comment on column application_scores.recall_low is 'Lower end of its 95% Wilson interval, clustered by composition';
comment on column application_scores.recall_high is 'Upper end of that interval';
comment on column application_scores.f1 is 'Harmonic mean of precision and recall';
comment on column application_scores.f1_low is 'Lower end of its 95% interval: Wilson, clustered by composition, of the Jaccard index that F1 is a function of';
comment on column application_scores.f1_high is 'Upper end of that interval';
