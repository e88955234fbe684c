-- The judges: how much they judged, how often they see no difference, and whether they prefer what stands left.
create view judges as
with by_episode as (
    select judge, judge_kind, suite, episode_id, count(*) as judgements, count(*) filter (preferred_run_id is null) as ties,
           count(preferred_run_id) as decided, count(*) filter (preferred_run_id = left_run_id) as lefts
    from judgements group by all
),
sums as (
    select judge, judge_kind, sum(judgements)::bigint as judgements, sum(decided) as decided, sum(ties) / sum(judgements) as ties,
           sum(lefts) / nullif(sum(decided), 0) as lefts, sum(decided * decided) as nn, sum(lefts * lefts) as kk, sum(lefts * decided) as kn
    from by_episode group by all
),
time as (select judge, judge_kind, count(distinct pair_id) as pairs, sum(seconds) as seconds, sum(cost_usd) as cost_usd from judgements group by all)
select judge, judge_kind, pairs, judgements, ties as tie_share, lefts as left_share,
       interval_low(lefts, decided, nn, residual_squares(lefts, kk, kn, nn)) as left_share_low,
       interval_high(lefts, decided, nn, residual_squares(lefts, kk, kn, nn)) as left_share_high, seconds, cost_usd
from sums join time using (judge, judge_kind)
order by judge_kind desc, judge;

comment on view judges is 'The judges of pairs: how much they judged, their ties, and whether they prefer what stands left';
comment on column judges.judge is 'Name of the judge, or the model';
comment on column judges.judge_kind is 'person or model';
comment on column judges.pairs is 'Pairs that it judged';
comment on column judges.judgements is 'Judgements: a model judges each pair in both orders';
comment on column judges.tie_share is 'Share of ties';
comment on column judges.left_share is 'Share of the others in which it preferred the left; 0.5 is no preference of a side. Null if all are ties';
comment on column judges.left_share_low is 'Lower end of its 95% interval, clustered by episode';
comment on column judges.left_share_high is 'Upper end of that interval';
comment on column judges.seconds is 'Seconds that it took';
comment on column judges.cost_usd is 'Dollars';
