-- The marks that judges gave each run by the rubric of its open-ended episodes, people and models apart, with intervals clustered by episode.
create view rubric_scores as
with given as (
    select suite, judge_kind, run_a, run_b, episode_id, unnest(marks) as mark from judgements
),
by_run as (
    select suite, judge_kind, run_a as run_id, episode_id, mark.mark_a as mark from given
    union all
    select suite, judge_kind, run_b, episode_id, mark.mark_b from given
),
by_episode as (select suite, judge_kind, run_id, episode_id, count(*) as n, sum(mark) as k from by_run group by all),
sums as (
    select suite, judge_kind, run_id, count(*) as episodes, sum(n) as marks, sum(n * n) as nn, sum(k) / sum(n) as mean_mark, sum(k * k) as kk, sum(k * n) as kn
    from by_episode group by all
),
squares as (select *, residual_squares(mean_mark, kk, kn, nn) as squares from sums)
select suite, judge_kind, run_id, episodes, marks::bigint as marks, mean_mark, interval_low(mean_mark, marks, nn, squares) as mean_mark_low,
       interval_high(mean_mark, marks, nn, squares) as mean_mark_high
from squares
order by suite, judge_kind, mean_mark desc, run_id;

comment on view rubric_scores is 'Mean marks of each judged run by the rubrics, people and models apart, with 95% intervals';
comment on column rubric_scores.suite is 'Suite';
comment on column rubric_scores.judge_kind is 'person or model';
comment on column rubric_scores.run_id is 'Run';
comment on column rubric_scores.episodes is 'Episodes with marks';
comment on column rubric_scores.marks is 'Marks: a judge gives one for each line of the rubric';
comment on column rubric_scores.mean_mark is 'Their mean: 0 is not met, 0.5 in part, 1 met';
comment on column rubric_scores.mean_mark_low is 'Lower end of its 95% interval, clustered by episode';
comment on column rubric_scores.mean_mark_high is 'Upper end of that interval';
